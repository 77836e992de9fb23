// The six samplings of the published method: R^2, time and Selection of each.

class SamplingPlot {
  constructor(figure, target) {
    this.study = target.study;
    this.samplings = this.study.samplings;
    const asked = asPercent(this.study.asked_r2, 0);
    const missed = this.study.fewest === null ? `No sampling reaches a cross-validated R\u00b2 of ${asked}.` : "";
    figure.append(html("figcaption", {}, html("h3", {}, "Samplings"),
                       html("p", {}, `Models grown on one row in so many, tried on the others. Elected: the best Selection (R\u00b2 in percent over seconds). Fewest: the fewest rows whose cross-validated R\u00b2 reaches ${asked}. ${missed}`)));
    if (this.samplings.length === 0) {
      figure.append(html("p", { class: "nothing" }, "No sampling was tried."));
      return;
    }
    const colour = (kind) => `var(--kind-${kind})`;
    figure.append(html("div", { class: "legend" }, ...SamplingPlot.SERIES.map(({ name, kind, open }) =>
      html("span", { class: "key" }, keySign(kind, colour(kind), open), html("span", {}, name)))));
    const stage = html("div", { class: "stage" });
    figure.append(stage);
    new Chooser(stage, "The six samplings; arrow keys go from mark to mark", (plot, width) => this.draw(plot, width)).redraw();
  }

  // Each panel: its title, and the series in it.
  panels() {
    const of = (series, member, text) => ({ ...SamplingPlot.SERIES[series], member, text });
    const r2 = (value) => `R\u00b2 ${asPercent(value, 2)}`;
    const seconds = (value) => withUnit(value, "s");
    return [
      { title: "R\u00b2", height: 124, label: (value) => `${short(100 * value)} %`, scale: (values) => this.r2Scale(values),
        series: [of(2, "cross_validated_r2", r2), of(1, "linear_r2", r2), of(0, "r2", r2)] },
      { title: "time", height: 70, label: (value) => withUnit(value, "s"), scale: positiveScale,
        series: [of(1, "linear_seconds", seconds), of(0, "seconds", seconds)] },
      { title: "Selection", height: 70, label: short, scale: positiveScale,
        series: [of(0, "selection", (value) => `Selection ${short(value)}`)] },
    ];
  }

  // What is far below 0 stands at the lower edge.
  r2Scale(values) {
    const low = Math.max(Math.min(...values), -0.2);
    const high = Math.max(...values, low + 0.01);
    const room = (high - low) * 0.1;
    return new Scale(low - room, Math.min(high + room, Math.max(1, high)), false);
  }

  draw(plot, width) {
    const panels = this.panels().map((panel) => {
      const values = panel.series.flatMap(({ member }) => this.samplings.map((sampling) => sampling[member])).filter((value) => value !== null);
      return { ...panel, values, y: values.length > 0 ? panel.scale(values) : null };
    }).filter(({ y }) => y);
    const left = 24 + Math.max(...panels.map(({ y, height, label }) => verticalRoom(y, height, label)), 0);
    const step = (width - left - 12) / this.samplings.length;
    const at = (number) => left + (number + 0.5) * step;
    const height = panels.reduce((sum, panel) => sum + panel.height + 12, 24) + 44;
    const bands = this.drawBands(plot, at, step, height);
    const items = [];
    let top = 24;
    for (const panel of panels) {
      const box = { left, right: width - 12, top, bottom: top + panel.height };
      drawVerticalAxis(plot, box, panel.y, panel.label);
      plot.append(svg("text", { transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, panel.title));
      if (panel.series[0].member === "cross_validated_r2") this.drawAsked(plot, box, panel.y);
      for (const series of panel.series) items.push(...this.drawSeries(plot, at, panel.y, series));
      drawFrame(plot, box);
      top += panel.height + 12;
    }
    plot.append(...bands);
    this.drawNames(plot, at, step, top);
    return { height, items, mark: ring };
  }

  drawBands(plot, at, step, height) {
    const [elected, fewest] = [this.study.elected, this.study.fewest].map((name) => this.samplings.findIndex((sampling) => sampling.name === name));
    const texts = [];
    const add = (number, text) => {
      plot.append(svg("rect", { class: "band", x: at(number) - step / 2, y: 4, width: step, height: height - 4, rx: 4 }));
      texts.push(svg("text", { class: "title", x: at(number), y: 18, "text-anchor": "middle" }, text));
    };
    if (elected >= 0 && elected === fewest) add(elected, step > 105 ? "elected, fewest" : "both");
    else {
      if (elected >= 0) add(elected, "elected");
      if (fewest >= 0) add(fewest, "fewest");
    }
    return texts;
  }

  drawAsked(plot, box, y) {
    if (this.study.asked_r2 < y.low || this.study.asked_r2 > y.high) return;
    const at = y.at(this.study.asked_r2);
    plot.append(svg("line", { class: "asked", x1: box.left, x2: box.right, y1: at, y2: at }));
  }

  drawSeries(plot, at, y, { name, kind, open, member, text }) {
    const colour = `var(--kind-${kind})`;
    const items = this.samplings.map((sampling, number) => ({ sampling, number, value: sampling[member] }))
      .filter(({ value }) => value !== null && !(y.logarithmic && value <= 0))
      .map(({ sampling, number, value }) => ({
        x: at(number), y: y.clamped(value), low: value < y.low, values: { sampling: sampling.name, member, value },
        text: `${sampling.name}: ${many(sampling.training_rows, "row")}\n${member === "selection" ? "" : `${name}: `}${text(value)}`,
      }));
    const down = (item) => `M${item.x - 5} ${item.y - 9}l5 8l5 -8`;
    if (items.length > 1)
      plot.append(svg("path", { class: "line", d: `M${items.map(({ x: px, y: py }) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L")}`,
                                style: `stroke: ${colour}; stroke-dasharray: ${DASHES[kind]}` }));
    plot.append(svg("path", { class: open ? "mark open" : "mark", d: items.filter(({ low }) => !low).map((item) => markPath(kind, item.x, item.y, 4)).join(""),
                              style: open ? `stroke: ${colour}; fill: var(--raised)` : `fill: ${colour}` }));
    plot.append(svg("path", { class: "line", d: items.filter(({ low }) => low).map(down).join(""), style: `stroke: ${colour}` }));
    return items;
  }

  drawNames(plot, at, step, top) {
    const counts = this.samplings.map(({ training_rows: count }) => many(count, "row"));
    this.samplings.forEach((sampling, number) => {
      plot.append(svg("text", { x: at(number), y: top + 6, "text-anchor": "middle" }, sampling.name));
      if (step > widest(counts) + 4)
        plot.append(svg("text", { class: "quiet", x: at(number), y: top + 22, "text-anchor": "middle" }, counts[number]));
    });
  }
}

SamplingPlot.SERIES = [{ name: "forest", kind: 0, open: false }, { name: "linear regression", kind: 1, open: false },
                       { name: "forest, cross-validated", kind: 2, open: true }];

function positiveScale(values) {
  return Math.min(...values) > 0 ? Scale.around(values, true, 0.12) : Scale.around(values, false, 0.12);
}
