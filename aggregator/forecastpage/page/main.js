// Puts the page together.

function bytesText(bytes) {
  const scale = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([size]) => bytes >= size) || [1, "bytes"];
  return `${Number((bytes / scale[0]).toPrecision(3))} ${scale[1]}`;
}

function head() {
  const [first = "no file", ...others] = data.files;
  const title = others.length > 0 ? `${first} and ${others.length} more` : first;
  document.getElementById("heading").textContent = `Forecast from ${title}`;
  document.title = `Forecast: ${title}`;
  const parts = [many(data.screening.kept, "row"), many(data.regions.length, "region"), many(data.sizes, "problem size"),
                 many(data.configurations, "configuration")];
  document.getElementById("summary").textContent = parts.join(" \u00b7 ");
  const remarks = document.getElementById("remarks");
  remarks.hidden = data.remarks.length === 0;
  remarks.append(...listItems(data.remarks));
}

// The one sentence that counts: what may be expected of a size that was not measured.
function verdict({ validation }) {
  if (!validation) return null;
  const best = (heldOut) => validation.results.filter((result) => result.heldOut === heldOut && result.medianError !== null)
    .sort((a, b) => a.medianError - b.medianError)[0];
  const parts = [["between", "sizes between those measured"], ["beyond", "sizes beyond the largest"]]
    .map(([heldOut, words]) => [best(heldOut), words]).filter(([result]) => result)
    .map(([result, words]) => `${words} are foretold with a median error of ${asPercent(result.medianError)} (${result.model})`);
  if (parts.length === 0) return null;
  const text = `${parts.join("; ")}.`;
  return text[0].toUpperCase() + text.slice(1);
}

function sources({ study, validation }) {
  const found = [];
  if (validation && validation.points.all > 0)
    found.push({ name: "of held-out sizes", explanation: "Rows of problem sizes that were held out as a whole, by the model that did best there.",
                 points: new Points(validation.points) });
  if (study && study.points.all > 0) {
    const sampling = study.samplings[study.elected];
    const which = sampling ? ` (${sampling.name})` : "";
    found.push({ name: "of the elected sampling", explanation: `Test rows of the elected sampling${which}, by the forest.`, points: new Points(study.points) });
  }
  return found;
}

function section(target) {
  const { study, validation } = target;
  const name = `title-${target.target}`;
  const made = html("section", { class: "target", "aria-labelledby": name }, html("h2", { id: name }, `${TARGETS[target.target].title} (${target.unit})`));
  made.dataset.target = target.target;
  document.getElementById("targets").append(made);
  const sentence = verdict(target);
  if (sentence) made.append(html("p", { class: "verdict" }, sentence));
  if (validation && validation.remarks.length > 0 && validation.bySize.length > 0) made.append(...reasons(validation));
  const plots = html("div", { class: "plots" });
  made.append(plots);
  const figure = (kind) => {
    const element = html("figure", { class: kind });
    plots.append(element);
    return element;
  };
  const found = sources(target);
  if (found.length > 0) new Scatter(figure("rows"), target, found);
  new SizePlot(figure("sizes"), target);
  if (study) new SamplingPlot(figure("samplings"), target);
  const tables = html("div", { class: "tables" });
  if (validation) tables.append(validationTable(validation));
  if (study && study.importance.length > 0) tables.append(importanceTable(study));
  if (study && study.samplings.length > 0) {
    const wide = samplingTable(study);
    wide.classList.add("wide");
    if (study.remarks.length > 0) wide.append(html("ul", {}, ...listItems(study.remarks)));
    tables.append(wide);
  }
  made.append(tables);
  if (validation && validation.bySize.length > 0) made.append(sizeTable(validation));
}

function about() {
  const body = document.getElementById("about-body");
  const { reading, screening } = data;
  if (data.files.length > 1) body.append(html("ul", { id: "files" }, ...listItems(data.files)));
  const every = reading.stride > 1 ? ` There were too many: each ${whole(reading.stride)}th row was kept.` : "";
  body.append(html("p", {}, `${bytesText(reading.bytes)} were read.${every}`));
  body.append(leftOutTable("reading", "Reading:", reading, reading.rows));
  body.append(leftOutTable("screening", "Screening:", screening, reading.kept));
}

head();
if (data.targets.length === 0) document.getElementById("targets").append(html("p", {}, "There is nothing to show: neither energy nor time was studied."));
data.targets.forEach(section);
about();
document.documentElement.dataset.ready = "yes";
