// Tables of all numbers.

// How rows were held out: its title, and what its errors mean.
function heldOutWords(validation) {
  const { one, several } = factorOf(validation);
  return {
    rows: ["Random rows", `Rows of the same runs are on both sides: this shows how well rows of what was measured are predicted, and nothing about new ${several}.`],
    sizes_between: [`Whole ${several} between others`, `What to expect of a new ${one} within the range that was measured (interpolation).`],
    sizes_beyond: [`The largest ${several}`, `What to expect beyond the largest ${one} that was measured (extrapolation). A forest can't follow there.`],
  };
}

function cell(text, value) {
  const element = html("td", { class: value === null ? "number absent" : "number" }, value === null ? "not known" : text);
  if (value !== undefined) element.dataset.value = value;
  return element;
}

const percentCell = (share, digits = 2) => cell(share === null ? "" : (100 * share).toFixed(digits), share);
const countCell = (count) => cell(whole(count), count);
const secondsCell = (seconds) => cell(seconds === null ? "" : withUnit(seconds, "s"), seconds);

const numberCell = (value) => cell(value === null ? "" : plain(value), value);

// Columns that hold numbers have a title that begins with "#".
function table(id, title, explanation, columns, rows) {
  const head = columns.map((column) => html("th", { scope: "col", class: column.startsWith("#") ? "number" : "" }, column.replace(/^#/, "")));
  const made = html("table", { "aria-label": title }, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));
  made.dataset.table = id;
  return html("div", {}, html("h3", { class: "table-title" }, title), html("p", { class: "about-table" }, explanation),
              html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, made));
}

function row(name, ...cells) {
  return html("tr", {}, html("th", { scope: "row" }, name), ...cells);
}

function validationTable(validation) {
  const { results } = validation;
  const rows = [];
  for (const [heldOut, [title, explanation]] of Object.entries(heldOutWords(validation))) {
    const mine = results.filter((result) => result.held_out === heldOut);
    if (mine.length === 0) continue;
    rows.push(html("tr", { class: "group" }, html("th", { colspan: "5", scope: "rowgroup" }, title, html("p", {}, explanation))));
    const errors = mine.map(({ median_error }) => median_error).filter((error) => error !== null);
    for (const result of mine) {
      const line = row(result.model, countCell(result.rows), percentCell(result.median_error), percentCell(result.r2), percentCell(result.coverage));
      if (mine.length > 1 && result.median_error === Math.min(...errors)) {
        line.classList.add("best");
        line.firstChild.append(" (best)");
      }
      line.dataset.heldOut = heldOut;
      line.dataset.model = result.model;
      rows.push(line);
    }
  }
  return table("validation", "How well it predicts", "What was held out was not seen while models were made. Best: the least median error.",
               ["held out, model", "#rows", "#median error %", "#R\u00b2 %", "#in 90 % interval %"], rows);
}

function samplingTable(study) {
  const rows = study.samplings.map((sampling) => {
    const marks = [sampling.name === study.elected && "elected", sampling.name === study.fewest && "fewest", !sampling.possible && "too few rows"].filter(Boolean);
    const line = row(sampling.name + (marks.length > 0 ? ` (${marks.join(", ")})` : ""), countCell(sampling.training_rows), countCell(sampling.test_rows),
                     percentCell(sampling.r2), percentCell(sampling.cross_validated_r2), percentCell(sampling.linear_r2), secondsCell(sampling.seconds),
                     secondsCell(sampling.linear_seconds), numberCell(sampling.selection),
                     percentCell(sampling.coverage));
    if (marks.length > 0 && sampling.possible) line.classList.add("best");
    return line;
  });
  const how = `R\u00b2 of the test rows. All variables, learnt from ${study.compared}: ${asPercent(study.all_variables_r2, 2)}; the kept ones: ${asPercent(study.kept_variables_r2, 2)}. The whole took ${withUnit(study.seconds, "s")}.`;
  return table("samplings", "Samplings", how, ["sampling", "#training rows", "#test rows", "#forest R\u00b2 %", "#cross-validated R\u00b2 %",
                                               "#linear R\u00b2 %", "#forest time", "#linear time", "#Selection", "#in 90 % interval %"], rows);
}

function importanceTable(study) {
  const most = Math.max(...study.variables.map(({ importance }) => importance), 0);
  const rows = study.variables.map(({ variable, importance, kept }) => {
    const bar = html("i");
    bar.style.width = `${most > 0 ? Math.max(100 * importance / most, 0) : 0}%`;
    return row(variable + (kept ? "" : " (dropped)"), numberCell(importance),
               html("td", { class: kept ? "bar-cell" : "bar-cell dropped" }, bar));
  });
  return table("importance", "Variables", "By how much the mean squared error rises, as a multiple of itself, if the values of a variable change places among rows.",
               ["variable", "#importance", ""], rows);
}

function sizeTable(validation) {
  const words = heldOutWords(validation);
  const { one, long } = factorOf(validation);
  const rows = validation.by_size.map((error) => {
    const line = row(words[error.held_out][0], html("td", {}, error.model), cell(plain(error.size), error.size), countCell(error.rows),
                     percentCell(error.median_error));
    return line;
  });
  return html("details", {}, html("summary", {}, `Errors by ${long} as a table`),
              table("sizes", `Errors by ${long}`, "", ["held out", "model", `#${one}`, "#rows", "#median error %"], rows));
}

// What was asked for with --at.
function forecastTable(forecasts) {
  const named = [["size", "size"], ["processes", "processes"], ["threads", "threads"], ["frequency_ghz", "GHz"],
    ["nodes", "nodes"], ["packages", "packages a node"]];
  const known = named.filter(([key]) => new Set(forecasts.map((forecast) => forecast[key])).size > 1 || forecasts[0][key] !== 1);
  const range = (value, unit) => html("td", { class: value === null ? "number absent" : "number" },
    value === null ? "not known" : `${withUnit(value.value, unit)} (${withUnit(value.low, unit)} to ${withUnit(value.high, unit)})`);
  const rows = forecasts.map((forecast) => {
    const [first, ...others] = known.length > 0 ? known : named.slice(0, 1);
    const line = row(plain(forecast[first[0]]), ...others.map(([key]) => numberCell(forecast[key])), range(forecast.time_s, "s"), range(forecast.energy_j, "J"),
                     html("td", {}, forecast.beyond.join(", ") || "nothing"));
    line.dataset.size = forecast.size;
    return line;
  });
  const titles = (known.length > 0 ? known : named.slice(0, 1)).map(([, title], i) => (i === 0 ? title : `#${title}`));
  return table("forecasts", "Predicted", "The whole program on configurations that were asked for; in brackets where it lies with a probability of 90 %.",
               [...titles, "#time", "#energy", "beyond what was measured"], rows);
}

function leftOutTable(id, title, { left_out, remarks, kept }, of) {
  const body = html("div", {});
  const rows = left_out.map(({ reason, rows: count, first }) => row(reason, countCell(count), html("td", {}, first)));
  const explanation = `${whole(kept)} of ${many(of, "row")} kept.`;
  if (rows.length > 0) body.append(table(id, title, explanation, ["left out", "#rows", "the first of them"], rows));
  else body.append(html("p", {}, html("span", { class: "table-title" }, title), ` ${explanation}`));
  if (remarks.length > 0) body.append(html("ul", {}, ...listItems(remarks)));
  return body;
}
