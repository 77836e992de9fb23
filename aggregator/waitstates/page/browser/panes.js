// The three panes: each shows what is selected to the left of it.

function callRoots() {
  const nodes = [];
  for (let path = 0; path < pathCount; ++path) {
    const title = data.paths.regions[data.paths.region[path]];
    nodes.push({ id: `path${path}`, path, title, place: data.paths.place[path], children: [], className: inMpi[path] ? "mpi" : "" });
  }
  const all = { id: "paths", path: -1, title: "all call paths", children: [], className: "root", fixed: true };
  for (let path = 0; path < pathCount; ++path) {
    const parent = data.paths.parent[path];
    (parent >= 0 ? nodes[parent] : all).children.push(nodes[path]);
  }
  return [all];
}

function rowTitle([, first, last, thread, together]) {
  if (first !== last) return `ranks ${first} to ${last}`;
  if (together > 1) return `rank ${first}, threads`;
  return thread > 0 ? `thread ${thread}` : `rank ${first}`;
}

// Node, rank, thread: a rank's threads are below it, the first one stands for the rank by itself.
function systemRoots() {
  const all = { id: "system", title: "all ranks", rows: [], children: [], className: "root", fixed: true };
  const nodes = data.nodes.map((name, number) => ({ id: `node${number}`, title: name, rows: [], children: [] }));
  const named = data.nodes.some((name) => name !== "");
  const ranks = new Map();
  data.rows.forEach((row, number) => {
    const [node, first, , thread] = row;
    const item = { id: `row${number}`, title: rowTitle(row), rows: [number], children: [] };
    const above = named ? nodes[node] : all;
    if (thread > 0 && ranks.has(first)) ranks.get(first).children.push(item);
    else above.children.push(item);
    if (thread === 0) ranks.set(first, item);
  });
  if (named) all.children = nodes;
  return [all];
}

class Panes {
  constructor() {
    this.mode = "absolute";
    this.metrics = new Tree(document.getElementById("metric-tree"), metricTrees(),
                            (node, open) => this.showMetric(node, open), () => this.metricChanged());
    this.calls = new Tree(document.getElementById("call-tree"), callRoots(),
                          (node, open) => this.showCall(node, open), () => this.callChanged());
    this.system = new Tree(document.getElementById("system-tree"), systemRoots(),
                           (node, open) => this.showSystem(node, open), () => this.systemChanged());
    this.onRow = () => {};
    this.totalOf = new Map();
    this.begin();
  }

  begin() {
    const [time] = this.metrics.roots;
    const mpi = time.children.find((node) => node.id === "mpi");
    this.metrics.expanded.add("time").add("mpi");
    this.metrics.selected = mpi.children[0].children.length > 0 ? mpi.children[0] : time;
    this.calls.expanded.add("paths");
    this.system.expanded.add("system");
    if (rowCount <= 64) for (const node of this.system.roots[0].children) this.system.expanded.add(node.id);
    this.computeMetric();
    this.openHeavyPaths(this.calls.roots[0], 0);
    this.computeRows();
    this.redraw();
  }

  // So that most of the metric is in sight.
  openHeavyPaths(node, depth) {
    if (depth > 40) return;
    for (const child of node.children) {
      if (child.children.length === 0 || this.inclusive[child.path] < 0.05 * this.total) continue;
      this.calls.expanded.add(child.id);
      this.openHeavyPaths(child, depth + 1);
    }
  }

  // What all panes to the right need of the selected metric.
  computeMetric() {
    const node = this.metrics.selected;
    this.cells = cellsOf(node, this.metrics.isExpanded(node));
    this.exclusive = pathTotals(this.cells);
    this.inclusive = this.exclusive.slice();
    for (let path = pathCount - 1; path >= 0; --path) {
      const parent = data.paths.parent[path];
      if (parent >= 0) this.inclusive[parent] += this.inclusive[path];
    }
    this.total = sum(this.exclusive);
    this.computeRows();
  }

  // The line of all call paths counts for the unit, not for the colours.
  computeCallScale() {
    const values = this.calls.visible().map(({ node }) => this.callValue(node, this.calls.isExpanded(node)));
    this.callScale = scaleFor(this.metrics.selected.unit, largestOf(values));
    this.largestPath = largestOf(values.slice(1));
  }

  computeRows() {
    this.rows = new Float64Array(rowCount);
    const { selected } = this.calls;
    const paths = [];
    const visit = (node, alone) => {
      if (node.path >= 0) paths.push(node.path);
      if (!alone) for (const child of node.children) visit(child, false);
    };
    visit(selected, selected.path >= 0 && this.calls.isExpanded(selected));
    for (const path of paths) for (const some of this.cells) some.addRows(path, this.rows);
    this.rowTotal = sum(this.rows);
    this.computeCallScale();
    this.computeSystemScale();
  }

  // Nodes are coloured among themselves, and so are ranks.
  computeSystemScale() {
    const values = this.system.visible().map(({ node }) => this.systemValue(node, this.system.isExpanded(node)));
    this.systemScale = scaleFor(this.metrics.selected.unit, largestOf(values));
    this.largestRow = largestOf(this.rows);
    this.largestNode = largestOf(this.system.roots[0].children.map((node) => this.systemValue(node, false)));
  }

  callValue(node, open) {
    if (node.path < 0) return this.total;
    return open ? this.exclusive[node.path] : this.inclusive[node.path];
  }

  systemValue(node, open) {
    const own = sum(node.rows.map((row) => this.rows[row]));
    if (open && !node.fixed) return own;
    return own + sum(node.children.map((child) => this.systemValue(child, false)));
  }

  metricValue(node, open) {
    if (node.ownTotal === undefined) node.ownTotal = node.own ? sum(pathTotals([node.own])) : 0;
    return open ? node.ownTotal : node.ownTotal + sum(node.children.map((child) => this.metricValue(child, false)));
  }

  // The total of the tree that a metric is in.
  rootTotal(node) {
    const root = this.metrics.roots.find((tree) => {
      const has = (some) => some === node || some.children.some(has);
      return has(tree);
    });
    if (!this.totalOf.has(root.id)) this.totalOf.set(root.id, this.metricValue(root, false));
    return this.totalOf.get(root.id);
  }

  showMetric(node, open) {
    const value = this.metricValue(node, open);
    const whole = this.rootTotal(node);
    const share = this.metrics.roots.includes(node) ? 0 : percent(value, whole) / 100;
    if (this.mode !== "absolute") return { value, share, text: percent(value, whole).toFixed(2), name: `${node.title} (%)` };
    const scale = scaleFor(node.unit, whole);
    const name = scale.name ? `${node.title} (${scale.name})` : node.title;
    return { value, share, text: inScale(value, scale), name };
  }

  show(value, scale, selectionTotal) {
    const whole = this.mode === "total" ? this.rootTotal(this.metrics.selected) : selectionTotal;
    return this.mode === "absolute" ? inScale(value, scale) : percent(value, whole).toFixed(2);
  }

  showCall(node, open) {
    const value = this.callValue(node, open);
    return { value, share: node.path < 0 ? 0 : value / this.largestPath, text: this.show(value, this.callScale, this.total) };
  }

  showSystem(node, open) {
    const value = this.systemValue(node, open);
    const largest = node.rows.length > 0 ? this.largestRow : this.largestNode;
    return { value, share: node.fixed ? 0 : value / largest, text: this.show(value, this.systemScale, this.rowTotal) };
  }

  metricChanged() {
    this.computeMetric();
    this.redraw(this.metrics);
  }

  callChanged() {
    this.computeRows();
    this.redraw(this.calls);
  }

  systemChanged() {
    this.computeSystemScale();
    this.redraw(this.system);
    const { rows } = this.system.selected;
    this.onRow(rows.length > 0 ? rows[0] : -1);
  }

  // Why panes show nothing of a metric, or of a call path, that there is time of.
  notes() {
    const note = (id, text) => {
      document.getElementById(id).hidden = !text;
      document.getElementById(id).textContent = text;
    };
    const { selected } = this.metrics;
    const emptyMetric = this.total === 0 && this.metrics.isExpanded(selected) && this.metricValue(selected, false) > 0;
    note("call-note", emptyMetric ? `${selected.title} is expanded: it stands for what none of the metrics below it has, and that is nothing. Select one of these, or close it.` : "");
    const path = this.calls.selected;
    const emptyPath = !emptyMetric && this.rowTotal === 0 && path.path >= 0 && this.calls.isExpanded(path) && this.inclusive[path.path] > 0;
    note("system-note", emptyPath ? `${path.title} is expanded: it stands for itself without the call paths below it, and that is nothing here. Select one of these, or close it.` : "");
  }

  redraw(but) {
    this.notes();
    for (const tree of [this.metrics, this.calls, this.system]) if (tree !== but) tree.draw(false);
    document.getElementById("explanation").textContent = this.metrics.selected.why;
    const unitOf = (scale) => (this.mode === "absolute" ? scale.name && `(${scale.name})` : "(%)");
    document.getElementById("call-unit").textContent = unitOf(this.callScale);
    document.getElementById("system-unit").textContent = unitOf(this.systemScale);
  }
}

