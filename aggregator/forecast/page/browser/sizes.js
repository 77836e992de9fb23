// The error of each model by problem size, for sizes that were held out: between others, and beyond them.

const FACETS = [["sizes_between", "interpolation", "between"], ["sizes_beyond", "extrapolation", "beyond"]];

// Words for what was held out in whole values: sizes, or another factor where rows have too few of them.
const FACTORS = {
  size: { one: "size", several: "sizes", long: "problem size", longSeveral: "problem sizes" },
  frequency: { one: "frequency", several: "frequencies", long: "frequency", longSeveral: "frequencies" },
  nodes: { one: "nodes", several: "nodes", long: "number of nodes", longSeveral: "numbers of nodes" },
  packages: { one: "packages", several: "packages", long: "number of packages a node", longSeveral: "numbers of packages a node" },
};

function factorOf({ factor }) {
  const one = `number of ${factor}`;
  const several = `numbers of ${factor}`;
  return FACTORS[factor] || { one, several, long: one, longSeveral: several };
}

class SizePlot {
  constructor(figure, target) {
    const { validation } = target;
    this.noun = target.noun;
    this.factor = factorOf(validation || { factor: "size" });
    const { one, several, long } = this.factor;
    this.errors = validation ? validation.by_size.filter(({ median_error }) => median_error !== null) : [];
    this.absent = validation ? validation.by_size.length - this.errors.length : 0;
    this.models = [...new Set(this.errors.map(({ model }) => model))];
    this.facets = FACETS.filter(([heldOut]) => this.errors.some((error) => error.held_out === heldOut));
    const caption = html("figcaption", {}, html("h3", {}, `Error by ${long}`),
                         html("p", {}, `Median relative error of each ${one} while all of its rows were held out.`));
    figure.append(caption);
    if (this.absent > 0) caption.lastChild.append(` ${whole(this.absent)} ${this.absent === 1 ? one : several} without an error that is known.`);
    if (this.facets.length === 0) {
      figure.append(html("p", { class: "nothing" }, `No ${one} was held out.`), ...reasons(validation));
      return;
    }
    figure.append(html("div", { class: "legend" }, ...this.models.map((model) => {
      const kind = kindOf(model);
      return html("span", { class: "key" }, keySign(kind, `var(--kind-${kind})`), html("span", {}, model));
    })));
    const stage = html("div", { class: "stage" });
    figure.append(stage);
    new Chooser(stage, `Error by ${long}; arrow keys go from mark to mark`, (plot, width) => this.draw(plot, width)).redraw();
  }

  errorScale() {
    const values = this.errors.map(({ median_error }) => median_error);
    const above = values.filter((value) => value > 0);
    const [least, most] = [Math.min(...above), Math.max(...above)];
    if (above.length > 0 && most / least > 30) return Scale.around(above, true);
    return new Scale(0, above.length > 0 ? most * 1.08 : 0.01, false);
  }

  sizeScale(errors) {
    const sizes = errors.map(({ size }) => size);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    return Scale.around(sizes, least > 0 && most / least >= 6, 0.08);
  }

  draw(plot, width) {
    const y = this.errorScale();
    const percentLabel = (value) => `${short(100 * value)} %`;
    const height = 290;
    const left = 24 + verticalRoom(y, height - 80, percentLabel);
    const gap = 14;
    const each = (width - left - 12 - gap * (this.facets.length - 1)) / this.facets.length;
    const items = [];
    this.facets.forEach(([heldOut, title, where], number) => {
      const start = left + number * (each + gap);
      const box = { left: start, right: start + each, top: 40, bottom: height - 44 };
      if (heldOut === "sizes_beyond")
        plot.append(svg("rect", { class: "beyond", x: box.left, y: box.top, width: each, height: box.bottom - box.top }));
      const errors = this.errors.filter((error) => error.held_out === heldOut);
      const x = this.sizeScale(errors);
      drawVerticalAxis(plot, box, y, number === 0 ? percentLabel : null);
      drawHorizontalAxis(plot, box, x, short, this.factor.long, [...new Set(errors.map(({ size }) => size))].sort((a, b) => a - b));
      plot.append(svg("text", { class: "title", x: box.left, y: 16 }, title), svg("text", { class: "quiet", x: box.left, y: 32 }, `${where} ${this.factor.several}`));
      for (const model of this.models) items.push(...this.drawModel(plot, x, y, model, errors.filter((error) => error.model === model)));
      drawFrame(plot, box);
    });
    plot.append(svg("text", { transform: `translate(12 ${(40 + height - 44) / 2}) rotate(-90)`, "text-anchor": "middle" }, `error of ${this.noun}`));
    return { height, items, mark: ring };
  }

  drawModel(plot, x, y, model, errors) {
    const kind = kindOf(model);
    const colour = `var(--kind-${kind})`;
    const items = errors.sort((a, b) => a.size - b.size).map((error) => ({
      x: x.at(error.size), y: y.clamped(error.median_error), values: error,
      text: `${model}\n${this.factor.one} ${plain(error.size)}, ${error.held_out === "sizes_between" ? "between others" : "beyond the others"}\n` +
            `median error ${asPercent(error.median_error, 2)} of ${many(error.rows, "row")}`,
    }));
    if (items.length === 0) return items;
    plot.append(svg("path", { class: "line", d: `M${items.map(({ x: px, y: py }) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L")}`,
                              style: `stroke: ${colour}; stroke-dasharray: ${DASHES[kind % DASHES.length]}` }));
    plot.append(svg("path", { class: "mark", d: items.map((item) => markPath(kind, item.x, item.y, 4)).join(""), style: `fill: ${colour}` }));
    return items;
  }
}

// A model has the same colour in all plots of the page.
const KINDS = ["forest", "linear regression", "scaling law", "scaling law x forest"];
const DASHES = ["none", "6 3", "2 3", "8 3 2 3", "none", "6 3", "2 3", "8 3 2 3"];

function kindOf(model) {
  if (!KINDS.includes(model)) KINDS.push(model);
  return KINDS.indexOf(model) % GROUPS;
}

function reasons(validation) {
  if (!validation || validation.remarks.length === 0) return [];
  return [html("ul", {}, ...listItems(validation.remarks))];
}
