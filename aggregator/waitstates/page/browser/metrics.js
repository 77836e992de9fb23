// The tree of metrics. A node's own cells are what its children do not have.

const WHY = {
  late_sender: "A receive, or the completion of one, began before its message was sent: until it was.",
  late_receiver: "A send, or its completion, could not end before its receive was posted: until it was.",
  wait_at_barrier: "At a barrier, until the last one came.",
  wait_at_nxn: "At a collective where all need something of all (allreduce, alltoall, ...), until the last one came.",
  late_broadcast: "At a broadcast or scatter, until the root came.",
  early_reduce: "The root of a reduce or gather, until the last one came.",
  early_scan: "At a scan, until the last of the lower ranks came.",
  late_post: "One-sided: the begin of an access epoch, until the last target had posted its window.",
  late_complete: "One-sided: the end of an exposure epoch, until the last origin had completed its access.",
  wait_at_fence: "One-sided: at a fence, until the last one came.",
  late_sender_while_polling: "Tests or probes that return at once, again and again, until the message that they find was sent.",
  late_sender_wrong_order: "As Late Sender, although another message had been sent already that was received later: receiving that one first would have used the time.",
  lock_contention: "One-sided: a call that locks or unlocks a window, until the rank that had the lock began to release it.",
  wait_at_file_access: "At a collective access to a file, until the last one came.",
  openmp_lock_contention: "A thread that wants a lock or a critical section, until the thread that had it released it.",
  wait_at_openmp_barrier: "A thread at a barrier of OpenMP, until the last one of its team came.",
};

function metric(id, title, unit, why, own, children = []) {
  return { id, title, unit, why, own, children };
}

// A node for each pattern that somebody met.
function patternNodes(prefix, unit, byPattern, factor, which) {
  const nodes = [];
  data.patterns.forEach(({ name, title }, number) => {
    if (!byPattern[number]) return;
    const own = Cells.of(byPattern[number], factor).only(which);
    if (own.byPath.size > 0) nodes.push(metric(`${prefix}/${name}`, title, unit, WHY[name], own));
  });
  return nodes;
}

function timeTree() {
  const isMpi = (path) => inMpi[path];
  const isOther = (path) => !inMpi[path];
  const whole = Cells.of(data.time, secondsPerTick);
  const inside = patternNodes("waiting", "s", data.waitTime, secondsPerTick, isMpi);
  const outside = patternNodes("outside", "s", data.waitTime, secondsPerTick, isOther);
  const without = (which, waits) => waits.reduce((cells, node) => cells.less(node.own, which), whole.only(which));
  const waiting = metric("waiting", "Waiting", "s", "Time in MPI until a partner had come: the wait states found.", null, inside);
  const children = [
    metric("computation", "Computation", "s", "Time outside MPI, waiting of threads left out.", without(isOther, outside)),
    metric("mpi", "MPI", "s", "Time in MPI. Expanded: without waiting, that is, transfer and the library's own work.",
           without(isMpi, inside), [waiting]),
  ];
  if (outside.length > 0)
    children.push(metric("outside", "Waiting of threads", "s", "Time of OpenMP threads at barriers, until the last one came, and for locks.", null, outside));
  return metric("time", "Time", "s", "Time of all ranks and threads together.", null, children);
}

function waitTree(id, title, unit, why, byPattern, factor) {
  return metric(id, title, unit, why, null, patternNodes(id, unit, byPattern, factor, () => true));
}

// A measure of a study, and its parts below it.
function measureTree({ title, explanation, cells, parts }, id) {
  const children = parts.map((part, number) => measureTree(part, `${id}/${number}`));
  return metric(id, title, "s", explanation, Cells.of(cells, secondsPerTick), children);
}

function metricTrees() {
  const nano = 1e-9;
  const trees = [timeTree()];
  if (Object.keys(data.waitCount).length > 0)
    trees.push(
      waitTree("count", "Wait states", "n", "How many there are.", data.waitCount, 1),
      waitTree("energy", "Energy of waiting", "J", "What cores draw while they wait in the state that programs run in.", data.energy, nano),
      waitTree("esp", "Savable, idle", "J", "ESP: how much less energy waiting would take if each wait state were spent idle, in the power state that is best for its length. An upper limit.", data.esp, nano),
      waitTree("esp_bw", "Savable, busy", "J", "ESP_BW: the same if cores went on polling, in a lower power state.", data.espBw, nano));
  trees.push(metric("visits", "Visits", "n", "How often call paths were entered.", Cells.of(data.visits, 1)));
  data.measures.forEach((measure, number) => trees.push(measureTree(measure, `measure${number}`)));
  return trees;
}

// The cells that a node stands for: its own alone if it is expanded, else also those below it.
function cellsOf(node, expanded) {
  const cells = node.own ? [node.own] : [];
  if (!expanded) for (const child of node.children) cells.push(...cellsOf(child, false));
  return cells;
}

function pathTotals(cells) {
  const totals = new Float64Array(pathCount);
  for (const some of cells) some.addTotals(totals);
  return totals;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function largestOf(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

