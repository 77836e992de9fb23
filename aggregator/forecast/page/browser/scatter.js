// Rows as predicted against rows as measured, on logarithmic axes.

class Scatter {
  // `sources`: [{name, explanation, points}], the first one shown first.
  constructor(figure, target, sources) {
    this.figure = figure;
    this.unit = target.unit;
    this.noun = target.noun;
    this.sources = sources;
    this.hidden = new Set();
    this.intervals = true;
    this.caption = html("p");
    this.controls = html("div", { class: "controls" });
    this.legend = html("div", { class: "legend" });
    const stage = html("div", { class: "stage" });
    figure.append(html("figcaption", {}, html("h3", {}, "Predicted against measured"), this.caption), this.controls, this.legend, stage);
    this.chooser = new Chooser(stage, `Predicted against measured ${this.noun}; arrow keys go from row to row`,
                               (plot, width) => this.draw(plot, width));
    this.take(sources[0]);
  }

  take(source) {
    this.source = source;
    this.points = source.points;
    [this.way] = this.points.ways;
    this.regroup();
  }

  regroup() {
    this.hidden.clear();
    this.groups = this.points.groups(this.way);
    this.showCaption();
    this.showControls();
    this.showLegend();
    this.chooser.redraw();
  }

  showCaption() {
    const { points } = this;
    const parts = [this.source.explanation];
    if (points.all > points.count) parts.push(`${whole(points.count)} of ${many(points.all, "row")}, evenly chosen.`);
    const withInterval = points.drawn.filter((i) => points.hasInterval(i));
    const inside = withInterval.filter((i) => points.isInside(i)).length;
    if (withInterval.length > 0)
      parts.push(`${whole(inside)} of these ${whole(withInterval.length)} (${(100 * inside / withInterval.length).toFixed(1)} %) are inside of their 90 % interval.`);
    if (points.notDrawn > 0)
      parts.push(`${many(points.notDrawn, "row")} can't be shown: measured or predicted is not above 0.`);
    this.caption.textContent = parts.join(" ");
  }

  showControls() {
    this.controls.replaceChildren();
    if (this.sources.length > 1)
      this.addChoice("Rows: ", this.sources.map(({ name }) => name), this.source.name,
                     (name) => this.take(this.sources.find((source) => source.name === name)));
    if (this.points.ways.length > 1)
      this.addChoice("Colour by: ", this.points.ways, this.way, (way) => {
        this.way = way;
        this.regroup();
      });
    const box = html("input", { type: "checkbox" });
    box.checked = this.intervals;
    box.addEventListener("change", () => {
      this.intervals = box.checked;
      this.chooser.redraw();
    });
    this.controls.append(html("label", {}, box, " 90 % intervals"));
  }

  addChoice(title, names, chosen, onChange) {
    const select = html("select", {}, ...names.map((name) => html("option", { value: name }, name)));
    select.value = chosen;
    select.addEventListener("change", () => {
      onChange(select.value);
      this.controls.querySelectorAll("select").forEach((other) => {
        if (other.dataset.title === title) other.focus();
      });
    });
    select.dataset.title = title;
    this.controls.append(html("label", {}, title, select));
  }

  showLegend() {
    if (!this.way) return this.legend.replaceChildren();
    const keys = this.groups.map((group, number) => {
      const button = html("button", { type: "button", "aria-pressed": "true", title: `${group.label}: ${many(group.rows.length, "row")}` },
                          keySign(number, group.colour), html("span", {}, group.label));
      button.addEventListener("click", () => {
        if (!this.hidden.delete(number)) this.hidden.add(number);
        button.setAttribute("aria-pressed", String(!this.hidden.has(number)));
        this.chooser.redraw();
      });
      return button;
    });
    this.legend.replaceChildren(html("span", { class: "title" }, `${this.points.titleOf(this.way)}:`), ...keys);
  }

  // Both axes have the same range, so that the diagonal is where predicted equals measured. Nearly all intervals count for
  // it, as far as they leave room for the marks.
  scale() {
    const { points } = this;
    const values = [];
    const [lows, highs] = [[], []];
    for (const i of points.drawn) {
      values.push(points.measured[i], points.value[i]);
      if (points.hasInterval(i) && points.low[i] > 0) lows.push(points.low[i]);
      if (points.hasInterval(i)) highs.push(points.high[i]);
    }
    const share = (numbers, part) => numbers.sort((a, b) => a - b).slice(Math.floor(part * numbers.length)).slice(0, 1);
    const { low, high } = Scale.around(values, true, 0);
    const ends = [...share(lows, 0.05).map((end) => Math.max(end, low / 2)), ...share(highs, 0.95).map((end) => Math.min(end, high * 2))];
    return Scale.around([...values, ...ends], true);
  }

  draw(plot, width) {
    const { points } = this;
    const label = (value) => withUnit(value, this.unit);
    if (points.drawn.length === 0) {
      plot.append(svg("text", { class: "quiet", x: 10, y: 30 }, "No row to show."));
      return { height: 50, items: [], mark: ring };
    }
    const [x, y] = [this.scale(), this.scale()];
    const height = Math.round(Math.min(Math.max(width * 1.08, 280), 720));
    const box = { left: 22 + verticalRoom(y, height - 60, label), right: width - 12, top: 8, bottom: height - 44 };
    drawHorizontalAxis(plot, box, x, label, `measured ${this.noun}`);
    drawVerticalAxis(plot, box, y, label);
    plot.append(svg("text", { transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `predicted ${this.noun}`));
    plot.append(svg("line", { class: "diagonal", x1: x.at(x.low), y1: y.at(y.low), x2: x.at(x.high), y2: y.at(y.high) }));
    const items = this.drawGroups(plot, x, y);
    drawFrame(plot, box);
    return { height, items, mark: (item) => this.markOf(item, y) };
  }

  drawGroups(plot, x, y) {
    const { points } = this;
    const radius = points.drawn.length > 1500 ? 2 : points.drawn.length > 300 ? 2.6 : 3.6;
    const opacity = points.drawn.length > 1500 ? 0.25 : 0.5;
    const items = [];
    const marks = [];
    this.groups.forEach((group, number) => {
      if (this.hidden.has(number)) return;
      const lines = [];
      const shapes = [];
      for (const i of group.rows) {
        const [px, py] = [x.at(points.measured[i]), y.at(points.value[i])];
        if (points.hasInterval(i)) lines.push(`M${px.toFixed(1)} ${y.clamped(points.low[i]).toFixed(1)}V${y.clamped(points.high[i]).toFixed(1)}`);
        shapes.push(markPath(number, px, py, radius));
        items.push({ x: px, y: py, row: i, get text() { return points.describe(i, this.unit); }, unit: this.unit,
                     get values() { return rowValues(points, i); } });
      }
      if (this.intervals) plot.append(svg("path", { class: "interval", d: lines.join(""), style: `stroke: ${group.colour}; stroke-opacity: ${opacity}` }));
      marks.push(svg("path", { class: "mark", d: shapes.join(""), style: `fill: ${group.colour}; fill-opacity: .85`, "data-rows": group.rows.length }));
    });
    plot.append(...marks);
    return items.sort((a, b) => points.measured[a.row] - points.measured[b.row]);
  }

  markOf(item, y) {
    const group = svg("g", {}, ring(item));
    if (this.points.hasInterval(item.row)) {
      const [low, high] = [y.clamped(this.points.low[item.row]), y.clamped(this.points.high[item.row])];
      group.append(svg("path", { class: "chosen", d: `M${item.x - 4} ${low}h8M${item.x} ${low}V${high}M${item.x - 4} ${high}h8` }));
    }
    return group;
  }
}

function rowValues(points, i) {
  return { region: points.region[i], size: points.size[i], processes: points.processes[i], threads: points.threads[i],
           frequency: points.frequency[i], measured: points.measured[i], value: points.value[i], low: points.low[i], high: points.high[i] };
}
