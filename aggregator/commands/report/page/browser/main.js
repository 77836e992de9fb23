// Shows the summary that huddle report --json prints.

const data = JSON.parse(document.getElementById("data").textContent);
const KWH = 3.6e6;
const SPACE = "http://www.w3.org/2000/svg";
// Of more months a chart shows the last ones; the table has all.
const SHOWN_MONTHS = 24;
const SHOWN_PROGRAMS = 15;

const count = (value) => value.toLocaleString("en");
const many = (value, word) => `${count(value)} ${word}${value === 1 ? "" : "s"}`;
const day = (time) => time.slice(0, 10);
const figure = (value) => Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 4 });
const change = (after, before) => (before > 0 ? `${after > before ? "+" : "\u2212"}${Math.abs(100 * (after / before - 1)).toFixed(1)} %` : "");

function drawn(name, values, text) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function headline() {
  const all = data.all;
  document.getElementById("summary").textContent = data.first === undefined
    ? "No job was recorded in this time."
    : `${many(all.runs, "run")} of ${many(data.users, "user")} from ${day(data.first)} to ${day(data.last)}: ${count(all.measured)} measured, ${count(all.packed)} packed, ${count(all.left)} left as submitted.`;
  const free = data.unused_nodes;
  const list = [
    [`${figure(all.freed_node_h)} node-hours`, `freed of ${figure(all.submitted_node_h)} as submitted (${(100 * all.freed_share).toFixed(1)} %). What becomes of free nodes: ${free.text}${free.assumed ? " (assumed)" : ""}`],
    [`${count(all.packed)} of ${count(all.runs)} runs`, `packed; ${count(all.compared)} of them are compared with a run as submitted`]];
  if (all.compared_energies > 0) {
    const machine = all.machine_saved_j === undefined ? "; the machine takes no less where other jobs use the free nodes" : `; the machine took ${figure(all.machine_saved_j / KWH)} kWh less`;
    list.push([`${figure(all.energy_after_j / KWH)} kWh`, `in place of ${figure(all.energy_before_j / KWH)} (${change(all.energy_after_j, all.energy_before_j)}), measured both before and after of ${many(all.compared_energies, "run")}${machine}`]);
  }
  list.push([`${count(all.bounds_kept)} kept`, `promises, and ${count(all.bounds_broken)} broken`]);
  const rates = data.rates;
  const money = (value) => `${figure(value)}${rates.currency ? ` ${rates.currency}` : ""}`;
  if (rates.saved_node_hours_money !== undefined)
    list.push([money(rates.saved_node_hours_money), `worth of node-hours, at ${money(rates.node_hour_price)} each`]);
  if (rates.saved_energy_money !== undefined)
    list.push([money(rates.saved_energy_money), `worth of energy that the machine did not take, at ${money(rates.kwh_price)} for a kWh`]);
  if (rates.saved_co2_kg !== undefined)
    list.push([`${figure(rates.saved_co2_kg)} kg CO\u2082`, `less for the same jobs, at ${figure(rates.co2_g_per_kwh)} g for a kWh${rates.machine_saved_co2_kg === undefined ? "" : `; ${figure(rates.machine_saved_co2_kg)} kg of the machine`}`]);
  showFigures(list);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const shortMonth = (month) => `${MONTHS[Number(month.slice(5)) - 1]} ${month.slice(2, 4)}`;

// Columns of months; `parts` gives two values of a month: what is behind, and what is before it or, if `beside`, next to it.
function chart(months, parts, beside, label) {
  const width = 46, height = 190, top = 18, bottom = 20;
  const svg = drawn("svg", { viewBox: `0 0 ${Math.max(months.length, 6) * width} ${height}`, role: "img", "aria-label": label, preserveAspectRatio: "xMinYMid meet" });
  const most = Math.max(...months.flatMap((month) => parts(month)), 0);
  const high = (value) => (most > 0 ? Math.max((value / most) * (height - top - bottom), 0) : 0);
  svg.append(drawn("line", { x1: 0, x2: Math.max(months.length, 6) * width, y1: height - bottom, y2: height - bottom }));
  months.forEach((month, i) => {
    const [behind, front] = parts(month);
    const bar = (kind, value, x, wide) => svg.append(drawn("rect", { class: kind, x, y: height - bottom - high(value), width: wide, height: high(value) }));
    bar("before", behind, i * width + 6, beside ? 16 : 34);
    bar("freed", front, i * width + (beside ? 24 : 6), beside ? 16 : 34);
    const note = beside ? change(front, behind) : `${percent(front, behind).toFixed(1)} %`;
    svg.append(drawn("text", { x: i * width + 23, y: height - bottom - high(Math.max(behind, front)) - 4 }, note),
               drawn("text", { x: i * width + 23, y: height - 5 }, shortMonth(month.name)));
  });
  return svg;
}

// A share as a bar in a cell.
function bar(part, whole) {
  const svg = drawn("svg", { "aria-hidden": "true" });
  svg.append(drawn("rect", { class: "before", x: 0, y: "30%", width: "100%", height: "40%" }),
             drawn("rect", { class: "freed", x: 0, y: "30%", width: `${Math.min(Math.max(percent(part, whole), 0), 100)}%`, height: "40%" }));
  return svg;
}

function table(id, title, rows, name) {
  if (rows.length === 0) return;
  document.getElementById(id).hidden = false;
  const energy = rows.some((row) => row.compared_energies > 0);
  const head = [[title], ["runs", "wide"], ["packed"], ["node-hours", "wide"], ["freed"], ["share"], ["kept", "wide"], ["broken"]];
  if (energy) head.push(["kWh before", "wide"], ["after", "wide"]);
  fill(document.getElementById(`${id}-table`), [...head, ["", "plot"]], rows.map((row) => {
    const cells = [[name(row)], [count(row.runs), "wide"], [count(row.packed)], [figure(row.submitted_node_h), "wide"], [figure(row.freed_node_h)],
                   [share(row.freed_node_h, row.submitted_node_h)], [count(row.bounds_kept), "wide"], [count(row.bounds_broken), row.bounds_broken > 0 ? "broken" : undefined]];
    if (energy) for (const part of ["before", "after"]) cells.push([row.compared_energies > 0 ? figure(row[`energy_${part}_j`] / KWH) : "", "wide"]);
    return [...cells, [[bar(row.freed_node_h, row.submitted_node_h)], "plot"]];
  }));
}

function charts() {
  const months = data.months.slice(-SHOWN_MONTHS);
  if (months.length === 0) return;
  document.getElementById("hours-chart").append(chart(months, (month) => [month.submitted_node_h, month.freed_node_h], false, "Node-hours by month, as submitted and freed"));
  const metered = months.filter((month) => month.compared_energies > 0);
  if (metered.length === 0) return;
  document.getElementById("energy-figure").hidden = false;
  document.getElementById("energy-chart").append(chart(metered, (month) => [month.energy_before_j / KWH, month.energy_after_j / KWH], true, "kWh by month, as submitted and packed"));
}

function programs() {
  const shown = data.programs.slice(0, SHOWN_PROGRAMS);
  if (shown.length === 0) return;
  document.getElementById("programs").hidden = false;
  const openmp = shown.some((one) => one.openmp_efficiency !== undefined);
  const points = (value) => (value === undefined ? "" : `${(100 * value).toFixed(1)} %`);
  const head = [["program"], ["runs", "wide"], ["ranks", "wide"], ["node-hours", "wide"], ["lost"], ["efficiency"], ["load balance", "wide"], ["communication", "wide"]];
  if (openmp) head.push(["OpenMP", "wide"]);
  fill(document.getElementById("programs-table"), [...head, ["", "plot"]], shown.map((one) => {
    const ranks = one.least_ranks === one.most_ranks ? count(one.most_ranks) : `${count(one.least_ranks)}\u2013${count(one.most_ranks)}`;
    const cells = [[one.program || "not known"], [count(one.runs), "wide"], [ranks, "wide"], [figure(one.node_h), "wide"], [figure(one.lost_node_h)],
                   [points(one.parallel_efficiency)], [points(one.load_balance), "wide"], [points(one.communication_efficiency), "wide"]];
    if (openmp) cells.push([points(one.openmp_efficiency), "wide"]);
    return [...cells, [[bar(one.parallel_efficiency, 1)], "plot"]];
  }));
  const rest = data.programs.length - shown.length;
  document.getElementById("programs-rest").textContent = rest > 0 ? `${many(rest, "more program")} lost less.` : "";
}

function sentences() {
  const all = data.all;
  const worst = data.worst_promise;
  const rest = all.compared - all.bounds_kept - all.bounds_broken;
  document.getElementById("promises").textContent = `Of ${many(all.compared, "compared run")} ${count(all.bounds_kept)} kept the bound of slowdown that their plans were made for, and ${count(all.bounds_broken)} did not.${rest > 0 ? ` Of ${count(rest)} the record does not hold the bound.` : ""}`
    + (worst === undefined ? "" : ` The worst: job ${worst.job} of ${worst.user} (${worst.label}) on ${day(worst.start)} took ${(100 * worst.slowdown).toFixed(1)} % longer, with a bound of ${Number((100 * worst.slowdown_bound).toPrecision(4))} %.`);
  const cost = data.measuring;
  const more = (value, unit) => `${figure(Math.abs(value))} ${unit} ${value < 0 ? "less" : "more"}`;
  document.getElementById("measuring").textContent = cost.runs === 0
    ? "No run was measured."
    : `${many(cost.runs, "measured run")} took ${figure(cost.node_h)} node-hours, which they would have taken anyway, but for the recorder.`
      + (cost.second_runs === 0 ? "" : ` ${many(cost.second_runs, "second run")} on nodes that were filled in different ways took ${more(cost.second_more_s, "s")} and ${more(cost.second_more_node_h, "node-hours")} than as submitted.`);
}

function control() {
  const group = data.control_group;
  if (group === undefined) return;
  document.getElementById("control").hidden = false;
  document.getElementById("control-text").textContent = `${count(group.control)} of ${many(group.control + group.packed, "job")} that would be packed were drawn to run as submitted.`
    + (group.control_failed + group.packed_failed === 0 ? "" : ` Beside them, ${count(group.control_failed)} of the drawn runs and ${count(group.packed_failed)} of the others failed.`)
    + (group.saved_node_h === undefined ? " They are too few for a comparison yet."
      : ` Packing all of them saves ${figure(group.saved_node_h)} of ${figure(group.submitted_node_h)} node-hours: ${figure(group.saved_low_node_h)} to ${figure(group.saved_high_node_h)} with 90 %, however often one looks.`);
}

function left() {
  if (data.all.left === 0) return;
  document.getElementById("left").hidden = false;
  const rows = [...data.left_reasons];
  if (data.left_otherwise.runs > 0) rows.push({ reason: "other reasons", ...data.left_otherwise });
  fill(document.getElementById("left-table"), [["since"], ["runs"], ["node-hours"], ["", "plot"]],
       rows.map((row) => [[row.reason], [count(row.runs)], [figure(row.node_h)], [[bar(row.runs, data.all.left)], "plot"]]));
}

headline();
charts();
table("months", "month", data.months, (row) => row.name);
table("partitions", "partition", data.partitions, (row) => row.name || "not known");
programs();
sentences();
control();
left();
document.getElementById("notes").append(...data.notes.map((text) => element("li", text)));
document.documentElement.dataset.ready = "yes";
