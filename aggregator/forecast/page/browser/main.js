// Puts the page together.

function bytesText(bytes) {
  const scale = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([size]) => bytes >= size) || [1, "bytes"];
  return `${Number((bytes / scale[0]).toPrecision(3))} ${scale[1]}`;
}

function head() {
  const [first = "no file", ...others] = report.files;
  const title = others.length > 0 ? `${first} and ${others.length} more` : first;
  document.getElementById("heading").textContent = `Forecast from ${title}`;
  document.title = `Forecast: ${title}`;
  const parts = [many(report.screened.kept, "row"), many(report.regions.length, "region"), many(report.sizes, "problem size"),
                 many(report.configurations, "configuration")];
  document.getElementById("summary").textContent = parts.join(" \u00b7 ");
  const remarks = document.getElementById("remarks");
  remarks.hidden = report.remarks.length === 0;
  remarks.append(...listItems(report.remarks));
}

// The one sentence that counts: what may be expected of a size that was not measured.
function verdict({ validation }) {
  if (!validation) return null;
  const { several } = factorOf(validation);
  const best = (heldOut) => validation.results.filter((result) => result.held_out === heldOut && result.median_error !== null)
    .sort((a, b) => a.median_error - b.median_error)[0];
  const parts = [["sizes_between", `${several} between those measured`], ["sizes_beyond", `${several} beyond the largest`]]
    .map(([heldOut, words]) => [best(heldOut), words]).filter(([result]) => result)
    .map(([result, words]) => `${words} are predicted with a median error of ${asPercent(result.median_error)} (${result.model})`);
  if (parts.length === 0) return null;
  const text = `${parts.join("; ")}.`;
  return text[0].toUpperCase() + text.slice(1);
}

// What there is of a target; null for a study or a validation that was not made.
function partsOf(name) {
  const of = (parts) => parts.find(({ target }) => target === name) || null;
  return { ...TARGETS[name], name, study: of(report.studies), validation: of(report.validations), rows: of(plots) };
}

function sources({ study, validation, rows }) {
  const found = [];
  if (validation && rows.held_out.all > 0) {
    const { several, longSeveral } = factorOf(validation);
    found.push({ name: `of held-out ${several}`, explanation: `Rows of ${longSeveral} that were held out as a whole, by the model that did best there.`,
                 points: new Points(rows.held_out) });
  }
  if (study && rows.sampling.all > 0) {
    const which = study.elected === null ? "" : ` (${study.elected})`;
    found.push({ name: "of the elected sampling", explanation: `Test rows of the elected sampling${which}, by the forest.`, points: new Points(rows.sampling) });
  }
  return found;
}

function section(target) {
  const { study, validation } = target;
  const name = `title-${target.name}`;
  const made = html("section", { class: "target", "aria-labelledby": name }, html("h2", { id: name }, `${target.title} (${target.unit})`));
  made.dataset.target = target.name;
  document.getElementById("targets").append(made);
  const sentence = verdict(target);
  if (sentence) made.append(html("p", { class: "verdict" }, sentence));
  if (validation && validation.remarks.length > 0 && validation.by_size.length > 0) made.append(...reasons(validation));
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
  if (study && study.variables.length > 0) tables.append(importanceTable(study));
  if (study && study.samplings.length > 0) {
    const wide = samplingTable(study);
    wide.classList.add("wide");
    if (study.remarks.length > 0) wide.append(html("ul", {}, ...listItems(study.remarks)));
    tables.append(wide);
  }
  made.append(tables);
  if (validation && validation.by_size.length > 0) made.append(sizeTable(validation));
}

function about() {
  const body = document.getElementById("about-body");
  const { read, screened } = report;
  if (report.files.length > 1) body.append(html("ul", { id: "files" }, ...listItems(report.files)));
  const every = read.stride > 1 ? ` There were too many: each ${whole(read.stride)}th row was kept.` : "";
  body.append(html("p", {}, `${bytesText(read.bytes)} were read.${every}`));
  body.append(leftOutTable("reading", "Reading:", read, read.rows));
  body.append(leftOutTable("screening", "Screening:", screened, read.kept));
}

head();
const targets = Object.keys(TARGETS).map(partsOf).filter(({ study, validation }) => study || validation);
if (report.forecasts.length > 0) document.getElementById("targets").append(html("section", { class: "target" }, forecastTable(report.forecasts)));
else if (targets.length === 0) document.getElementById("targets").append(html("p", {}, "There is nothing to show: neither energy nor time was studied."));
targets.forEach(section);
about();
document.documentElement.dataset.ready = "yes";
