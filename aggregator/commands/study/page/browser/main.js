// Shows the document that huddle study --json prints, of which it has the first groups only.

const data = JSON.parse(document.getElementById("data").textContent);
const COLOURS = {
  could_use_fewer: "--gain", measured_first: "--measured", fills_cores: "--full", fills_memory: "--full",
  one_node: "--single", gpu: "--gpu",
};

function figures() {
  const all = data.all.node_h;
  const freed = data.freed_node_h;
  const bound = Number((100 * data.slowdown).toPrecision(4));
  document.getElementById("summary").textContent =
    `${data.all.jobs.toLocaleString("en")} jobs took ${hours(all)} node-hours. Packed jobs may take up to ${bound} % more time.`;
  const list = [[`${hours(freed.mean)} node-hours`, `${share(freed.mean, all)} of all would be free; 90 % interval ${interval(freed)} (${share(freed.low, all)} to ${share(freed.high, all)})`]];
  if (data.packable.jobs > 0)
    list.push([`${data.packable.jobs.toLocaleString("en")} jobs`, `with ${hours(data.packable.node_h)} node-hours are packable with a probability of 95 % or more`]);
  if (data.all.charge_h > 0)
    list.push([`${hours(data.freed_charge_h.mean)} billing-hours`, `less would be charged, of ${hours(data.all.charge_h)}; 90 % interval ${interval(data.freed_charge_h)}`]);
  if (data.machine_kwh)
    list.push([`${hours(data.machine_kwh.mean)} kWh`, `less would be drawn by the machine (90 % interval ${interval(data.machine_kwh)}), and ${hours(data.job_kwh.mean)} kWh by the jobs: free nodes draw power, too`]);
  else if (data.asleep_kwh)
    list.push([`${hours(data.asleep_kwh.mean)} kWh`, `less would be drawn if free nodes slept (90 % interval ${interval(data.asleep_kwh)}); none if they stay on`]);
  showFigures(list);
}

function verdicts() {
  const there = data.verdicts.filter((verdict) => verdict.jobs > 0);
  const judged = there.filter((verdict) => verdict.judged);
  const unjudged = there.filter((verdict) => !verdict.judged);
  const total = (name) => unjudged.reduce((sum, verdict) => sum + verdict[name], 0);
  const bar = document.getElementById("shares");
  const part = (text, amount, colour) => {
    const made = element("span");
    made.style.width = `${percent(amount, data.all.node_h)}%`;
    made.style.background = `var(${colour})`;
    made.title = `${text}: ${share(amount, data.all.node_h)}`;
    bar.append(made);
    return made.title;
  };
  const texts = judged.map((verdict) => part(verdict.text, verdict.node_h, COLOURS[verdict.verdict]));
  const unknown = "can't be judged, and are counted as no gain, since they";
  if (unjudged.length > 0) texts.push(part("can't be judged", total("node_h"), "--unknown"));
  bar.setAttribute("aria-label", `Node-hours of jobs that ${texts.join("; ")}`);
  const row = (name, verdict, kind) => [[name, kind], [verdict.jobs.toLocaleString("en")], [hours(verdict.node_h)], [share(verdict.node_h, data.all.node_h)]];
  const rows = judged.map((verdict) => row([swatch(COLOURS[verdict.verdict]), verdict.text], verdict));
  if (unjudged.length > 0) {
    rows.push(row([swatch("--unknown"), unknown], { jobs: total("jobs"), node_h: total("node_h") }));
    for (const verdict of unjudged) rows.push(row(verdict.text, verdict, "below"));
  }
  fill(document.getElementById("verdicts"), [["jobs that"], ["jobs"], ["node-hours"], ["share"]], rows);
}

function plot(figure, most) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const add = (name, values) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    svg.append(made);
  };
  const at = (value) => `${1 + 97 * (most > 0 ? value / most : 0)}%`;
  add("line", { class: "range", x1: at(figure.low), x2: at(figure.high), y1: "50%", y2: "50%" });
  add("circle", { class: "mean", cx: at(figure.mean), cy: "50%", r: 4 });
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

function group(title, kind) {
  const there = data[kind];
  if (there.length === 0) return;
  const most = Math.max(...there.map((one) => one.freed_node_h.high));
  const section = element("section");
  const table = element("table");
  const scroll = element("div", undefined, "scroll");
  scroll.append(table);
  section.append(element("h2", `By ${title}`), scroll);
  fill(table, [[title], ["jobs", "wide"], ["node-hours", "wide"], ["freed"], ["share"], ["90 % interval"], ["", "plot"]],
       there.map((one) => [
         [one.name], [one.all.jobs.toLocaleString("en"), "wide"], [hours(one.all.node_h), "wide"], [hours(one.freed_node_h.mean)],
         [share(one.freed_node_h.mean, one.all.node_h)], [interval(one.freed_node_h)], [[plot(one.freed_node_h, most)], "plot"]]));
  if (data.more[kind] > 0) section.append(element("p", `and ${data.more[kind]} more, which huddle study --json lists`, "hint"));
  document.getElementById("groups").append(section);
}

function measure() {
  if (data.measure_first.length === 0) return;
  document.getElementById("measure").hidden = false;
  fill(document.getElementById("measure-table"), [["program"], ["measured runs"], ["freed"], ["90 % interval"]],
       data.measure_first.map((one) => [[one.application], [String(one.measured_runs)], [hours(one.freed_node_h.mean)], [interval(one.freed_node_h)]]));
}

function notes() {
  const sentences = data.nodes.map((node) => {
    if (node.cpus === null) return `Nobody knows the nodes of partition ${node.partition}: its jobs are not judged.`;
    const memory = node.memory_bytes === null ? "memory that nobody knows" : `${(node.memory_bytes / 2 ** 30).toFixed(1)} GiB`;
    return `Nodes of partition ${node.partition}: ${node.cpus} CPUs, ${node.cpus_per_core} of them a core, ${memory}, ${node.machine === null ? "as jobs had them" : `by the machine document ${node.machine}`}.`;
  });
  document.getElementById("notes").append(...[...sentences, ...data.notes].map((text) => element("li", text)));
}

figures();
verdicts();
group("partition", "partitions");
group("account", "accounts");
group("program", "applications");
group("nodes", "sizes");
measure();
notes();
document.documentElement.dataset.ready = "yes";
