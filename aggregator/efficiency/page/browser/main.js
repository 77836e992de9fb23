// Shows what huddle show --json prints of the efficiency of a run, or of runs side by side.

const data = JSON.parse(document.getElementById("data").textContent);
const SPACE = "http://www.w3.org/2000/svg";
const SHOWN_PHASES = 20;
const SHOWN_NODES = 32;
const SHOWN_RANKS = 10;
// Of more ranks a bar stands for several.
const SHOWN_BARS = 256;

const count = (value) => value.toLocaleString("en");
const many = (value, word) => `${count(value)} ${word}${value === 1 ? "" : "s"}`;
const points = (value) => (value === null || value === undefined ? "" : `${(100 * value).toFixed(1)} %`);
const seconds = (value) => `${Number(value.toPrecision(4))} s`;

function drawn(name, values, text) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A share as a bar in a cell.
function bar(value) {
  const svg = drawn("svg", { "aria-hidden": "true" });
  svg.append(drawn("rect", { class: "rest", x: 0, y: "30%", width: "100%", height: "40%" }),
             drawn("rect", { class: "found", x: 0, y: "30%", width: `${Math.min(Math.max(100 * value, 0), 100)}%`, height: "40%" }));
  return svg;
}

function show(id, head, rows) {
  document.getElementById(id).hidden = false;
  fill(document.getElementById(`${id}-table`), head, rows);
}

function rest(id, left, word) {
  document.getElementById(`${id}-rest`).textContent = left > 0 ? `and ${many(left, word)} more, which huddle show --json lists` : "";
}

function traffic(run) {
  const pair = run.busiest_pair;
  if (pair === null) return [];
  const alike = pair.pairs_as_busy > 1 ? `; ${many(pair.pairs_as_busy - 1, "other pair")} as much` : "";
  return [[`${pair.ranks[0]} and ${pair.ranks[1]}`, `are the ranks that talk most: ${(100 * pair.bytes / pair.bytes_of_all_pairs).toFixed(1)} % of all bytes between ranks${alike}`]];
}

function headline(run) {
  const on = data.nodes > 0 ? ` on ${many(data.nodes, "node")}` : "";
  const threads = run.threads === run.ranks ? "" : ` with ${many(run.threads, "thread")}`;
  document.getElementById("summary").textContent = `${many(run.ranks, "rank")}${threads}${on}, ${seconds(run.elapsed_s)}${data.started ? `, started ${data.started}` : ""}.`;
  const list = [];
  if (run.parallel_efficiency !== null) list.push([points(run.parallel_efficiency), "parallel efficiency: the part of all threads' time that is computation"]);
  if (run.openmp !== null || run.parallel_efficiency === null) list.push([points(run.mpi.parallel_efficiency), "MPI's parallel efficiency: the part of the ranks' time outside MPI"]);
  list.push([points(run.mpi.load_balance), "load balance: the rest is lost since ranks wait for the one that computes longest"],
            [points(run.mpi.communication_efficiency), "communication: the rest is lost since that rank is in MPI, too"]);
  if (run.openmp !== null) list.push([points(run.openmp.parallel_efficiency), "OpenMP's parallel efficiency: of what threads do while their rank is outside MPI"]);
  if (run.ipc !== null) list.push([run.ipc.toFixed(2), "instructions per cycle"]);
  if (run.memory_bytes_per_s !== null) list.push([`${(run.memory_bytes_per_s / 1e9).toFixed(1)} GB/s`, "traffic of memory, by misses of the last cache"]);
  showFigures([...list, ...traffic(run)]);
}

function factors(run) {
  const rows = [];
  const add = (depth, name, value, error) => {
    if (value === null || value === undefined) return;
    rows.push([[name, `depth${depth}`], [points(value)], [error ? `\u00b1 ${(200 * error).toFixed(1)}` : "", "wide"], [[bar(value)], "plot"]]);
  };
  const hybrid = run.openmp !== null || run.parallel_efficiency === null;
  const errors = run.standard_errors;
  if (hybrid) add(0, "parallel efficiency", run.parallel_efficiency);
  const depth = hybrid ? 1 : 0;
  add(depth, hybrid ? "MPI parallel efficiency" : "parallel efficiency", run.mpi.parallel_efficiency, errors.parallel_efficiency);
  add(depth + 1, "load balance", run.mpi.load_balance, errors.load_balance);
  add(depth + 2, "across nodes", run.load_balance_across_nodes);
  add(depth + 2, "within nodes", run.load_balance_within_nodes);
  add(depth + 1, "communication", run.mpi.communication_efficiency, errors.communication_efficiency);
  if (run.openmp !== null) {
    add(1, "OpenMP parallel efficiency", run.openmp.parallel_efficiency);
    add(2, "load balance", run.openmp.load_balance);
    add(2, "scheduling", run.openmp.scheduling_efficiency);
    add(2, "serialisation", run.openmp.serialisation_efficiency);
  }
  show("factors", [["efficiency"], ["%"], ["", "wide"], ["", "plot"]], rows);
  const hints = [];
  if (run.openmp_unknown) hints.push(`OpenMP's efficiency is not known: ${run.openmp_unknown}.`);
  if (run.estimated_mpi_share > 0) hints.push(`${(100 * run.estimated_mpi_share).toFixed(0)} % of the time in MPI is estimated from a sample of its calls; behind \u00b1 are twice the standard errors.`);
  document.getElementById("factors-hint").textContent = hints.join(" ");
}

function phases(run) {
  if (run.by_phase.length === 0) return;
  const places = new Map(data.places.map((place) => [place.id, place]));
  const openmp = run.by_phase.some((phase) => phase.openmp !== null);
  const shown = run.by_phase.slice(0, SHOWN_PHASES);
  const head = [["lost % of run"], ["efficiency"], ["load balance", "wide"], ["communication", "wide"]];
  if (openmp) head.push(["OpenMP", "wide"]);
  show("phases", [...head, ["slowest rank"], ["over mean", "wide"], ["between", "place"]], shown.map((phase) => {
    const place = places.get(phase.id);
    const cells = [[(100 * phase.lost_share).toFixed(1), phase.lost_share >= .1 ? "loss" : undefined], [points(phase.parallel_efficiency ?? phase.mpi.parallel_efficiency)],
                   [points(phase.mpi.load_balance), "wide"], [points(phase.mpi.communication_efficiency), "wide"]];
    if (openmp) cells.push([phase.openmp === null ? "" : points(phase.openmp.parallel_efficiency), "wide"]);
    return [...cells, [count(phase.slowest_rank)], [`${phase.slowest_over_mean.toFixed(2)}\u00d7`, "wide"], [place === undefined ? "" : `${place.begin} \u2192 ${place.end}`, "place"]];
  }));
  rest("phases", run.by_phase.length - shown.length, "phase");
}

function nodes(run) {
  if (run.by_node.length < 2) return;
  const used = (node) => node.parallel_efficiency ?? node.mpi.parallel_efficiency;
  // Of many, those that are used worst.
  const listed = run.by_node.length > SHOWN_NODES ? [...run.by_node].sort((a, b) => used(a) - used(b)) : run.by_node;
  const shown = listed.slice(0, SHOWN_NODES);
  show("nodes", [["node"], ["ranks", "wide"], ["efficiency"], ["load balance"], ["communication", "wide"], ["", "plot"]], shown.map((node) => {
    const whole = used(node);
    return [[node.node], [count(node.ranks), "wide"], [points(whole)], [points(node.mpi.load_balance)], [points(node.mpi.communication_efficiency), "wide"], [[bar(whole)], "plot"]];
  }));
  rest("nodes", run.by_node.length - shown.length, "node");
}

// A bar for each rank, or for several: their mean, and from the lowest to the highest.
function rankChart(ranks, each) {
  const height = 190, top = 8, bottom = 20, width = 1000;
  const bars = Math.ceil(ranks.length / each);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Time outside MPI by rank", preserveAspectRatio: "none" });
  const at = (value) => height - bottom - Math.min(value, 1) * (height - top - bottom);
  for (let i = 0; i < bars; ++i) {
    const shares = ranks.slice(i * each, (i + 1) * each).map((rank) => rank.outside_mpi_share);
    const mean = shares.reduce((sum, value) => sum + value, 0) / shares.length;
    const wide = Math.min(width / bars, 125);
    svg.append(drawn("rect", { class: "rest", x: i * wide + wide * .1, y: top, width: wide * .8, height: height - bottom - top }),
               drawn("rect", { class: "found", x: i * wide + wide * .1, y: at(mean), width: wide * .8, height: height - bottom - at(mean) }));
    if (each > 1) svg.append(drawn("line", { class: "span", x1: (i + .5) * wide, x2: (i + .5) * wide, y1: at(Math.min(...shares)), y2: at(Math.max(...shares)) }));
  }
  svg.append(drawn("line", { x1: 0, x2: width, y1: height - bottom, y2: height - bottom }));
  return svg;
}

function ranks(run) {
  const each = Math.ceil(run.by_rank.length / SHOWN_BARS);
  document.getElementById("ranks-caption").textContent = `Time outside MPI, as a share of the run's, in the order of ranks${each > 1 ? `; a bar stands for ${each} ranks, its line goes from their lowest to their highest` : ""}`;
  document.getElementById("ranks-chart").append(rankChart(run.by_rank, each));
  const longest = [...run.by_rank].sort((a, b) => b.outside_mpi_s - a.outside_mpi_s);
  const shown = longest.slice(0, SHOWN_RANKS);
  const openmp = shown.some((rank) => rank.openmp !== null);
  const head = [["computes longest: rank"], ["outside MPI"], ["of run"]];
  if (openmp) head.push(["OpenMP", "wide"]);
  show("ranks", [...head, ["", "plot"]], shown.map((rank) => {
    const cells = [[count(rank.rank)], [seconds(rank.outside_mpi_s)], [points(rank.outside_mpi_share)]];
    if (openmp) cells.push([rank.openmp === null ? "" : points(rank.openmp.parallel_efficiency), "wide"]);
    return [...cells, [[bar(rank.outside_mpi_share)], "plot"]];
  }));
  rest("ranks", longest.length - shown.length, "rank");
}

// Speedup against threads, both by powers of two.
function speedupChart(runs) {
  const width = 640, height = 220, left = 44, bottom = 24, top = 22;
  const first = runs[0];
  const log = (value) => Math.log2(value);
  const most = Math.max(log(runs[runs.length - 1].threads / first.threads), 1);
  const high = Math.max(most, ...runs.map((run) => log(run.speedup)));
  const low = Math.min(0, ...runs.map((run) => log(run.speedup)));
  const x = (threads) => left + (log(threads / first.threads) / most) * (width - left - 20);
  const y = (speedup) => height - bottom - ((log(speedup) - low) / (high - low)) * (height - top - bottom);
  const path = (kind, places) => drawn("path", { class: kind, d: places.map(([at, up], i) => `${i === 0 ? "M" : "L"}${at.toFixed(1)} ${up.toFixed(1)}`).join("") });
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Speedup by size", preserveAspectRatio: "xMinYMid meet" });
  const last = runs[runs.length - 1].threads;
  svg.append(drawn("line", { x1: left, x2: width, y1: height - bottom, y2: height - bottom }),
             path("ideal", [[x(first.threads), y(1)], [x(last), y(last / first.threads)]]),
             path("found", runs.map((run) => [x(run.threads), y(run.speedup)])));
  for (const run of runs)
    svg.append(drawn("circle", { cx: x(run.threads), cy: y(run.speedup), r: 4 }),
               drawn("text", { x: x(run.threads), y: height - 8 }, count(run.threads)),
               drawn("text", { x: x(run.threads), y: y(run.speedup) - 9 }, `${run.speedup.toFixed(2)}\u00d7`));
  return svg;
}

const METRICS = [
  [0, "global efficiency", (run) => run.global_efficiency], [1, "parallel efficiency", (run) => run.parallel_efficiency],
  [2, "MPI parallel efficiency", (run) => (run.openmp === null ? null : run.mpi.parallel_efficiency)], [2, "load balance", (run) => run.mpi.load_balance],
  [2, "communication", (run) => run.mpi.communication_efficiency], [2, "OpenMP parallel efficiency", (run) => run.openmp?.parallel_efficiency],
  [3, "load balance of threads", (run) => run.openmp?.load_balance], [3, "scheduling", (run) => run.openmp?.scheduling_efficiency],
  [3, "serialisation", (run) => run.openmp?.serialisation_efficiency], [1, "computation scaling", (run) => run.computation_scaling],
  [2, "instructions", (run) => run.instruction_scaling], [2, "IPC", (run) => run.ipc_scaling], [2, "clock", (run) => run.clock_scaling]];

function scaling(found) {
  const { runs, outlook } = found;
  document.getElementById("summary").textContent = `${found.scaling === "weak" ? "Weak" : "Strong"} scaling${found.scaling_is_known ? "" : ", since no profile says otherwise"}. ${outlook.sentence}`;
  const most = runs[runs.length - 1];
  const hybrid = runs.some((run) => run.threads !== run.ranks);
  const word = hybrid ? "thread" : "rank";
  const list = [[`${most.speedup.toFixed(2)}\u00d7`, `as fast with ${many(most.threads, word)} as with ${count(runs[0].threads)}`],
                [points(outlook.efficiency_of_largest), "of the smallest run's efficiency is left"]];
  if (outlook.falls_most) list.push([outlook.falls_most, "is what falls most"]);
  if (outlook.limit_threads !== null) list.push([many(outlook.limit_threads, word), outlook.kind === "stopped" ? "is where it stops scaling" : "is where half of the efficiency is left, by Amdahl's law"]);
  showFigures(list);
  document.getElementById("scaling").hidden = false;
  document.getElementById("speedup-chart").append(speedupChart(runs));
  const there = METRICS.filter(([, , of]) => runs.some((run) => of(run) !== null && of(run) !== undefined));
  show("factors", [[""], ...runs.map((run, i) => [`run ${i + 1}`])], [
    [["ranks"], ...runs.map((run) => [count(run.ranks)])], ...(hybrid ? [[["threads"], ...runs.map((run) => [count(run.threads)])]] : []),
    [["nodes"], ...runs.map((run) => [run.nodes > 0 ? count(run.nodes) : ""])], [["time"], ...runs.map((run) => [seconds(run.elapsed_s)])],
    ...there.map(([depth, name, of]) => [[name, `depth${depth}`], ...runs.map((run) => [points(of(run)), of(run) < .8 ? "loss" : undefined])])]);
}

const notes = ["Load balance is the mean of the ranks' times outside MPI over the longest of them; communication is the longest over the run's time; parallel efficiency is their product, and for programs with threads that of MPI and OpenMP. These are the metrics of POP."];
document.title = `Efficiency of ${data.program}`;
document.getElementById("title").textContent = document.title;
if (data.scaling !== undefined) {
  scaling(data.scaling);
  notes.push("Computation scaling compares the useful time of all threads with the smallest run's; global efficiency is parallel efficiency x computation scaling.",
             ...data.scaling.runs.map((run, i) => `Run ${i + 1}: ${run.profile}`));
} else {
  const run = data.efficiency;
  headline(run);
  factors(run);
  phases(run);
  nodes(run);
  ranks(run);
  notes.push("A phase is what ranks do between two calls that come again. What it loses is time of threads in MPI and, as far as it is known, idle in OpenMP.",
             "Why ranks wait, and for whom, needs a trace: huddle record --trace, then huddle waitstates --html.");
}
document.getElementById("notes").append(...notes.map((text) => element("li", text)));
document.documentElement.dataset.ready = "yes";
