// Tables of all numbers.

const HELD_OUT = {
  rows: ["Random rows", "Rows of the same runs are on both sides: this tells how well rows of what was measured are foretold, and nothing of new sizes."],
  between: ["Whole sizes between others", "What to expect of a new size within the range that was measured (interpolation)."],
  beyond: ["The largest sizes", "What to expect beyond the largest size that was measured (extrapolation). A forest can't follow there."],
};

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

function validationTable({ results }) {
  const rows = [];
  for (const [heldOut, [title, explanation]] of Object.entries(HELD_OUT)) {
    const mine = results.filter((result) => result.heldOut === heldOut);
    if (mine.length === 0) continue;
    rows.push(html("tr", { class: "group" }, html("th", { colspan: "5", scope: "rowgroup" }, title, html("p", {}, explanation))));
    const errors = mine.map(({ medianError }) => medianError).filter((error) => error !== null);
    for (const result of mine) {
      const line = row(result.model, countCell(result.rows), percentCell(result.medianError), percentCell(result.r2), percentCell(result.coverage));
      if (mine.length > 1 && result.medianError === Math.min(...errors)) {
        line.classList.add("best");
        line.firstChild.append(" (best)");
      }
      line.dataset.heldOut = heldOut;
      line.dataset.model = result.model;
      rows.push(line);
    }
  }
  return table("validation", "How well it foretells", "What was held out was not seen while models were made. Best: the least median error.",
               ["held out, model", "#rows", "#median error %", "#R\u00b2 %", "#in 90 % interval %"], rows);
}

function samplingTable(study) {
  const rows = study.samplings.map((sampling, number) => {
    const marks = [number === study.elected && "elected", number === study.fewest && "fewest", !sampling.possible && "too few rows"].filter(Boolean);
    const line = row(sampling.name + (marks.length > 0 ? ` (${marks.join(", ")})` : ""), countCell(sampling.training), countCell(sampling.test),
                     percentCell(sampling.r2), percentCell(sampling.crossR2), percentCell(sampling.linearR2), secondsCell(sampling.seconds),
                     secondsCell(sampling.linearSeconds), numberCell(sampling.selection),
                     percentCell(sampling.coverage));
    if (marks.length > 0 && sampling.possible) line.classList.add("best");
    return line;
  });
  const how = `R\u00b2 of the test rows. All variables on the largest sampling: ${asPercent(study.allVariablesR2, 2)}; the kept ones: ${asPercent(study.keptVariablesR2, 2)}. The whole took ${withUnit(study.seconds, "s")}.`;
  return table("samplings", "Samplings", how, ["sampling", "#training rows", "#test rows", "#forest R\u00b2 %", "#cross-validated R\u00b2 %",
                                               "#linear R\u00b2 %", "#forest time", "#linear time", "#Selection", "#in 90 % interval %"], rows);
}

function importanceTable(study) {
  const most = Math.max(...study.importance.map(({ importance }) => importance), 0);
  const rows = study.importance.map(({ variable, importance, kept }) => {
    const bar = html("i");
    bar.style.width = `${most > 0 ? Math.max(100 * importance / most, 0) : 0}%`;
    return row(variable + (kept ? "" : " (dropped)"), numberCell(importance),
               html("td", { class: kept ? "bar-cell" : "bar-cell dropped" }, bar));
  });
  return table("importance", "Variables", "By how much the mean squared error rises, as a multiple of itself, if the values of a variable change places among rows.",
               ["variable", "#importance", ""], rows);
}

function sizeTable({ bySize }) {
  const rows = bySize.map((error) => {
    const line = row(HELD_OUT[error.heldOut][0], html("td", {}, error.model), cell(plain(error.size), error.size), countCell(error.rows),
                     percentCell(error.medianError));
    return line;
  });
  return html("details", {}, html("summary", {}, "Errors by problem size as a table"),
              table("sizes", "Errors by problem size", "", ["held out", "model", "#size", "#rows", "#median error %"], rows));
}

function leftOutTable(id, title, { leftOut, remarks, kept }, of) {
  const body = html("div", {});
  const rows = leftOut.map(({ reason, rows: count, first }) => row(reason, countCell(count), html("td", {}, first)));
  const explanation = `${whole(kept)} of ${many(of, "row")} kept.`;
  if (rows.length > 0) body.append(table(id, title, explanation, ["left out", "#rows", "the first of them"], rows));
  else body.append(html("p", {}, html("span", { class: "table-title" }, title), ` ${explanation}`));
  if (remarks.length > 0) body.append(html("ul", {}, ...listItems(remarks)));
  return body;
}
