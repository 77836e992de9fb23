// Puts the page together.

function head() {
  const program = data.program.slice(data.program.lastIndexOf("/") + 1);
  document.getElementById("trace").textContent = program || data.trace;
  document.title = `Where ranks wait: ${program || data.trace}`;
  if (program) {
    document.getElementById("program").hidden = false;
    document.getElementById("program").textContent = `${data.program}, trace ${data.trace}`;
  }
  const ranks = new Set();
  for (const [, first, last] of data.rows) for (let rank = first; rank <= last; ++rank) ranks.add(rank);
  const total = (runs) => sum(pathTotals([runs]));
  const time = Cells.of(data.time, secondsPerTick);
  const [all, mpi] = [total(time), total(time.only((path) => inMpi[path]))];
  const waiting = sum(Object.values(data.waitTime).map((runs) => total(Cells.of(runs, secondsPerTick))));
  const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const nodes = data.nodes.filter((name) => name !== "").length;
  const parts = [many(ranks.size, "rank") + (nodes > 0 ? ` on ${many(nodes, "node")}` : ""), withUnit(data.runTicks * secondsPerTick, "s"), many(data.events, "event"),
                 `${percent(mpi, all).toFixed(1)} % of all time in MPI`, `${percent(waiting, all).toFixed(1)} % waiting`];
  if (data.together > 1) parts.push(`shown in groups of up to ${data.together}`);
  document.getElementById("summary").textContent = parts.join(" \u00b7 ");
  if (data.power)
    document.getElementById("power").textContent = `Power of ${data.power.machine} (${data.power.origin}); waiting can save ${(100 * data.power.idle).toFixed(2)} % idle and ${(100 * data.power.busy).toFixed(2)} % busy at most.`;
}

function remarks() {
  if (data.remarks.length === 0) return;
  document.getElementById("remarks").hidden = false;
  document.getElementById("remark-list").replaceChildren(...data.remarks.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    return line;
  }));
}

head();
remarks();
const panes = new Panes();
for (const choice of document.querySelectorAll("input[name=mode]"))
  choice.addEventListener("change", () => {
    panes.mode = choice.value;
    panes.redraw();
  });
if (data.timeline) {
  document.getElementById("timeline").hidden = false;
  const timeline = new Timeline(new TimelineData(data.timeline));
  panes.onRow = (row) => timeline.mark(row);
}
document.documentElement.dataset.ready = "yes";
