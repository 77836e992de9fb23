// Ranks down, time across. A pixel has the mixed colours of the bins and ranks that fall on it.

const AXIS = { left: 64, top: 22 };

class Timeline {
  constructor(source) {
    this.source = source;
    this.canvas = document.getElementById("canvas");
    this.stage = document.getElementById("stage");
    this.tip = document.getElementById("tip");
    this.path = data.criticalPath;
    this.marked = -1;
    this.showPatterns = false;
    this.showPath = this.path.length > 0;
    this.picture = document.createElement("canvas");
    this.reset();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    this.stage.style.height = `${Math.min(Math.max(AXIS.top + 6 + rowCount * 22, 140), Math.round(0.62 * window.innerHeight) + 40)}px`;
    this.restyle();
    this.resize();
  }

  // In bins and rows.
  reset() {
    this.view = { left: this.source.low, right: this.source.high, top: 0, bottom: rowCount };
  }

  restyle() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = {};
    for (const name of ["computation", "mpi", "waiting", "empty", "path", "text", "quiet", "line", "focus", "raised"]) this.colours[name] = colour(name);
    const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    this.parts = {};
    for (const name of ["computation", "mpi", "waiting", "empty"]) this.parts[name] = parts(this.colours[name]);
    this.palette = PALETTE.map(parts);
    this.legend();
    this.draw();
  }

  legend() {
    const keys = [["computation", this.colours.computation], ["MPI", this.colours.mpi]];
    if (this.showPatterns) for (const pattern of this.source.met) keys.push([data.patterns[pattern].title, PALETTE[pattern]]);
    else keys.push(["waiting", this.colours.waiting]);
    document.getElementById("legend").replaceChildren(...keys.map(([name, colour]) => {
      const key = document.createElement("span");
      key.className = "key";
      const box = document.createElement("i");
      box.style.background = colour;
      key.append(box, name);
      return key;
    }));
  }

  resize() {
    const { width, height } = this.stage.getBoundingClientRect();
    this.dots = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(width * this.dots));
    this.canvas.height = Math.max(1, Math.round(height * this.dots));
    this.width = Math.max(1, width - AXIS.left);
    this.height = Math.max(1, height - AXIS.top);
    this.draw();
  }

  // Pixels of the page, within the picture.
  x(bin) {
    return AXIS.left + ((bin - this.view.left) / (this.view.right - this.view.left)) * this.width;
  }
  y(row) {
    return AXIS.top + ((row - this.view.top) / (this.view.bottom - this.view.top)) * this.height;
  }
  binAt(x) {
    return this.view.left + ((x - AXIS.left) / this.width) * (this.view.right - this.view.left);
  }
  rowAt(y) {
    return this.view.top + ((y - AXIS.top) / this.height) * (this.view.bottom - this.view.top);
  }

  draw() {
    if (!this.width || !this.parts) return;
    const context = this.canvas.getContext("2d");
    context.setTransform(this.dots, 0, 0, this.dots, 0, 0);
    context.fillStyle = this.colours.raised;
    context.fillRect(0, 0, this.width + AXIS.left, this.height + AXIS.top);
    this.paintCells();
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, AXIS.left, AXIS.top, this.width, this.height);
    this.drawMark(context);
    context.save();
    context.beginPath();
    context.rect(AXIS.left, AXIS.top, this.width, this.height);
    context.clip();
    if (this.showPath) this.drawPath(context);
    context.restore();
    this.drawAxes(context);
    const { left, right, top, bottom } = this.view;
    Object.assign(this.canvas.dataset, { left, right, top, bottom });
    this.canvas.setAttribute("aria-label", `Timeline of ${rowCount} rows, ${withUnit(this.source.secondsOf(left), "s")} to ${withUnit(this.source.secondsOf(right), "s")}`);
  }

  // A pixel for each visible row, or for each that the screen has if there are more rows.
  paintCells() {
    const { left, right, top, bottom } = this.view;
    const columns = Math.max(1, Math.min(Math.round(this.width * this.dots), 4000));
    const rows = Math.max(1, Math.min(Math.round(this.height * this.dots), (bottom - top) * Math.ceil(this.height / 8)));
    const lines = bottom - top <= 200 ? Math.round(this.height * this.dots) : Math.round(rows);
    this.picture.width = columns;
    this.picture.height = lines;
    const context = this.picture.getContext("2d");
    const image = context.createImageData(columns, lines);
    const range = (from, to, most) => {
      const first = Math.min(Math.max(Math.floor(from), 0), most - 1);
      return [first, Math.min(Math.max(Math.ceil(to - 1e-9), first + 1), most)];
    };
    const gap = this.height / (bottom - top) > 6;
    let before = "";
    for (let line = 0; line < lines; ++line) {
      const from = top + (line / lines) * (bottom - top);
      const to = top + ((line + 1) / lines) * (bottom - top);
      // Where a row has several lines, they are alike, and a thin gap parts it from the next.
      const wide = to - from < 1;
      const [firstRow, endRow] = wide ? range(from, Math.floor(from) + 1, rowCount) : range(from, to, rowCount);
      const atGap = gap && Math.floor(to) > Math.floor(from);
      const same = `${firstRow} ${endRow} ${atGap}`;
      if (same === before) {
        image.data.copyWithin(4 * columns * line, 4 * columns * (line - 1), 4 * columns * line);
        continue;
      }
      before = same;
      for (let column = 0; column < columns; ++column) {
        const [firstBin, endBin] = range(left + (column / columns) * (right - left), left + ((column + 1) / columns) * (right - left), this.source.bins);
        const colour = atGap ? this.parts.empty : this.mixed(this.source.over(firstBin, endBin, firstRow, endRow));
        const at = 4 * (line * columns + column);
        for (let i = 0; i < 3; ++i) image.data[at + i] = colour[i];
        image.data[at + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }

  mixed({ alive, mpi, waiting, pattern }) {
    const { computation, empty } = this.parts;
    const wait = this.showPatterns && pattern >= 0 ? this.palette[pattern] : this.parts.waiting;
    return computation.map((part, i) => {
      const busy = part * (1 - Math.max(mpi, waiting)) + this.parts.mpi[i] * Math.max(mpi - waiting, 0) + wait[i] * waiting;
      return alive * busy + (1 - alive) * empty[i];
    });
  }

  drawMark(context) {
    if (this.marked < 0) return;
    context.strokeStyle = this.colours.focus;
    context.lineWidth = 2;
    context.strokeRect(AXIS.left + 1, this.y(this.marked), this.width - 2, Math.max(this.y(this.marked + 1) - this.y(this.marked), 2));
  }

  // Jumps between ranks are faint, one for each column of pixels, so that many of them hide nothing.
  drawPath(context) {
    context.save();
    context.beginPath();
    context.rect(AXIS.left, AXIS.top, this.width, this.height);
    context.clip();
    const stays = new Path2D();
    const jumps = new Path2D();
    let last = -1;
    for (let i = 0; i < this.path.length; i += 3) {
      const y = this.y(this.path[i] + 0.5);
      const [begin, end] = [this.path[i + 1], this.path[i + 2]].map((ticks) => this.x(this.source.binOf(ticks)));
      stays.moveTo(begin, y);
      stays.lineTo(Math.max(end, begin + 0.5), y);
      if (i === 0 || Math.round(begin) === last) continue;
      last = Math.round(begin);
      jumps.moveTo(begin, this.y(this.path[i - 3] + 0.5));
      jumps.lineTo(begin, y);
    }
    const stroke = (line, colour, width, strength) => {
      context.globalAlpha = strength;
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke(line);
    };
    stroke(jumps, this.colours.path, 1, 0.35);
    stroke(stays, this.colours.raised, 5, 0.8);
    stroke(stays, this.colours.path, 2.5, 1);
    context.restore();
  }

  drawAxes(context) {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = this.colours.quiet;
    context.strokeStyle = this.colours.line;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    const [from, to] = [this.source.secondsOf(this.view.left), this.source.secondsOf(this.view.right)];
    const raw = ((to - from) / this.width) * 110;
    const step = [1, 2, 5, 10].map((by) => by * 10 ** Math.floor(Math.log10(raw))).find((size) => size >= raw);
    const scale = scaleFor("s", to);
    const digits = Math.max(0, -Math.floor(Math.log10(step / scale.factor) + 1e-9));
    context.textAlign = "left";
    for (let tick = Math.ceil(from / step - 1e-9); tick * step <= to * (1 + 1e-12); ++tick) {
      const x = this.x(this.source.binOf((tick * step) / secondsPerTick));
      context.beginPath();
      context.moveTo(x, AXIS.top - 6);
      context.lineTo(x, AXIS.top);
      context.stroke();
      if (x < this.width + AXIS.left - 50) context.fillText(`${((tick * step) / scale.factor).toFixed(Math.min(digits, 12))} ${scale.name}`, x + 3, AXIS.top - 11);
    }
    context.textAlign = "right";
    const perRow = this.height / (this.view.bottom - this.view.top);
    const each = 2 ** Math.max(0, Math.ceil(Math.log2(15 / perRow)));
    for (let row = Math.max(0, Math.ceil(this.view.top / each) * each); row < Math.min(this.view.bottom, rowCount); row += each) {
      const y = Math.max(this.y(row) + perRow / 2, AXIS.top + 6);
      if (y < AXIS.top + this.height - 5) context.fillText(this.shortTitle(row), AXIS.left - 7, y);
    }
  }

  shortTitle(row) {
    const [, first, last, thread] = data.rows[row];
    return first !== last ? `${first}\u2013${last}` : thread > 0 ? `${first}.${thread}` : `rank ${first}`;
  }

  // About a place on the screen, in time or in rows.
  zoom(factor, place, rows) {
    const [low, high] = rows ? ["top", "bottom"] : ["left", "right"];
    const { least, most } = this.limits(low);
    const [from, to] = [this.view[low], this.view[high]];
    const about = rows ? this.rowAt(place) : this.binAt(place);
    const length = Math.min(Math.max((to - from) * factor, Math.min(least, most)), most);
    this.moveTo(low, high, about - ((about - from) / (to - from)) * length, length);
  }

  // Where the view may begin, and how much it may show.
  limits(low) {
    if (low === "top") return { first: 0, least: 1, most: rowCount };
    return { first: this.source.low, least: 4, most: this.source.high - this.source.low };
  }

  moveTo(low, high, from, length) {
    const { first, most } = this.limits(low);
    this.view[low] = Math.min(Math.max(from, first), first + most - length);
    this.view[high] = this.view[low] + length;
    this.draw();
  }

  pan(bins, rows) {
    const { left, right, top, bottom } = this.view;
    this.moveTo("left", "right", left + bins, right - left);
    this.moveTo("top", "bottom", top + rows, bottom - top);
  }

  mark(row) {
    this.marked = row;
    this.draw();
  }

  pointAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  listen() {
    let from = null;
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = this.pointAt(event);
      const amount = event.deltaY || event.deltaX;
      const factor = Math.exp(Math.sign(amount) * 0.25);
      if (event.shiftKey) this.zoom(factor, y, true);
      else this.zoom(factor, x, false);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      from = this.pointAt(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("pointermove", (event) => {
      const to = this.pointAt(event);
      if (from) {
        this.pan(this.binAt(from.x) - this.binAt(to.x), this.rowAt(from.y) - this.rowAt(to.y));
        from = to;
      }
      this.describe(to);
    });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", () => this.showAll());
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    document.getElementById("zoom-in").addEventListener("click", () => this.zoomMiddle(0.5));
    document.getElementById("zoom-out").addEventListener("click", () => this.zoomMiddle(2));
    document.getElementById("zoom-reset").addEventListener("click", () => this.showAll());
    document.getElementById("show-patterns").addEventListener("change", (event) => {
      this.showPatterns = event.target.checked;
      this.restyle();
    });
    document.getElementById("path-switch").hidden = this.path.length === 0;
    document.getElementById("show-path").addEventListener("change", (event) => {
      this.showPath = event.target.checked;
      this.draw();
    });
  }

  showAll() {
    this.reset();
    this.draw();
  }

  zoomMiddle(factor) {
    this.zoom(factor, AXIS.left + this.width / 2, false);
  }

  onKey(event) {
    const tenth = (this.view.right - this.view.left) / 10;
    const some = Math.max(1, (this.view.bottom - this.view.top) / 10);
    const keys = {
      ArrowLeft: () => this.pan(-tenth, 0),
      ArrowRight: () => this.pan(tenth, 0),
      ArrowUp: () => this.pan(0, -some),
      ArrowDown: () => this.pan(0, some),
      "+": () => this.zoomMiddle(0.5),
      "-": () => this.zoomMiddle(2),
      0: () => this.showAll(),
    };
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  // What the place under the pointer holds.
  describe({ x, y }) {
    const [bin, row] = [Math.floor(this.binAt(x)), Math.floor(this.rowAt(y))];
    this.tip.hidden = !(x >= AXIS.left && y >= AXIS.top && bin >= 0 && bin < this.source.bins && row >= 0 && row < rowCount);
    if (this.tip.hidden) return;
    const { alive, mpi, waiting, pattern } = this.source.over(bin, bin + 1, row, row + 1);
    const node = data.nodes[data.rows[row][0]];
    const [, first, , thread] = data.rows[row];
    const who = thread > 0 ? `rank ${first}, thread ${thread}` : rowTitle(data.rows[row]);
    const lines = [node ? `${who} on ${node}` : who, `${withUnit(this.source.secondsOf(bin), "s")} to ${withUnit(this.source.secondsOf(bin + 1), "s")}`];
    if (alive === 0) lines.push("not there");
    else {
      lines.push(`computation ${(100 * (1 - Math.max(mpi, waiting))).toFixed(0)} %`, `MPI ${(100 * mpi).toFixed(0)} %`);
      if (waiting > 0) lines.push(`waiting ${(100 * waiting).toFixed(0)} %${pattern >= 0 ? `, mostly ${data.patterns[pattern].title}` : ""}`);
    }
    this.tip.textContent = lines.join("\n");
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.min(x + 14, this.width + AXIS.left - box.width - 4)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(y + 14, this.height + AXIS.top - box.height - 4))}px`;
  }
}

