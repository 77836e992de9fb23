// Elements of SVG and HTML, scales, ticks, and the frame of a plot.

const CHARACTER = 6.7;  // px, of a digit on an axis

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function listItems(texts) {
  return texts.map((text) => html("li", {}, text));
}

function linearTicks(low, high, most) {
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; ++n) ticks.push(Number((n * step).toPrecision(12)));
  return ticks;
}

// Powers of ten with what fits between them; of a narrow range round numbers.
function logTicks(low, high, most) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const from = (mantissas, every) => {
    const ticks = [];
    for (let power = first; power <= last; ++power)
      if (power % every === 0) ticks.push(...mantissas.map((mantissa) => Number(`${mantissa}e${power}`)));
    return ticks.filter((tick) => tick >= low && tick <= high);
  };
  const fine = from([1, 2, 5], 1);
  if (fine.length < 3) return linearTicks(low, high, Math.min(most, 6));
  if (fine.length <= most) return fine;
  for (let every = 1; every < 700; ++every) {
    const ticks = from([1], every);
    if (ticks.length <= most) return ticks.length >= 2 ? ticks : from([1, 3], every).slice(0, most);
  }
  return [];
}

// From numbers to px.
class Scale {
  constructor(low, high, logarithmic) {
    this.logarithmic = logarithmic;
    this.low = low;
    this.high = high;
  }

  // Around all values, with some room.
  static around(values, logarithmic, room = 0.05) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (logarithmic) {
      const more = Math.max((high / low) ** room, 1.06);
      return new Scale(low / more, high * more, true);
    }
    const more = (high - low) * room || Math.max(Math.abs(high) * 0.1, 1e-9);
    return new Scale(low - more, high + more, false);
  }

  // `from` and `to` may be the other way round.
  over(from, to) {
    this.from = from;
    this.to = to;
    return this;
  }

  at(value) {
    const share = this.logarithmic ? Math.log(value / this.low) / Math.log(this.high / this.low)
                                   : (value - this.low) / (this.high - this.low);
    return this.from + share * (this.to - this.from);
  }

  // Drawn at the edge if beyond it.
  clamped(value) {
    return this.at(Math.min(Math.max(value, this.low), this.high));
  }

  ticks(most) {
    return (this.logarithmic ? logTicks : linearTicks)(this.low, this.high, Math.max(most, 2));
  }
}

function widest(labels) {
  return Math.max(...labels.map((label) => label.length), 1) * CHARACTER;
}

function overlap(scale, ticks, label) {
  const labels = ticks.map(label);
  return ticks.slice(1).some((tick, i) => scale.at(tick) - scale.at(ticks[i]) - (labels[i].length + labels[i + 1].length) * CHARACTER / 2 < 8);
}

// Grid lines and labels below the box {left, right, top, bottom}: at the numbers `wanted`, if they have room, else at round
// ones.
function drawHorizontalAxis(parent, box, scale, label, title, wanted = []) {
  scale.over(box.left, box.right);
  let ticks = wanted;
  if (ticks.length === 0 || overlap(scale, ticks, label)) {
    ticks = scale.ticks((box.right - box.left) / 28);
    for (let most = ticks.length; most > 2 && overlap(scale, ticks, label); --most) ticks = scale.ticks(most - 1);
  }
  for (const tick of ticks) {
    const x = scale.at(tick);
    parent.append(svg("g", { class: "tick x", "data-value": tick, "data-at": x },
                      svg("line", { x1: x, x2: x, y1: box.top, y2: box.bottom }),
                      svg("text", { x, y: box.bottom + 16, "text-anchor": "middle" }, label(tick))));
  }
  if (title) parent.append(svg("text", { x: (box.left + box.right) / 2, y: box.bottom + 35, "text-anchor": "middle" }, title));
}

// The room that the labels of a vertical axis of that height take.
function verticalRoom(scale, height, label) {
  return widest(scale.ticks(height / 30).map(label)) + 10;
}

function drawVerticalAxis(parent, box, scale, label) {
  scale.over(box.bottom, box.top);
  for (const tick of scale.ticks((box.bottom - box.top) / 30)) {
    const y = scale.at(tick);
    const group = svg("g", { class: "tick y", "data-value": tick, "data-at": y },
                      svg("line", { x1: box.left, x2: box.right, y1: y, y2: y }));
    if (label) group.append(svg("text", { x: box.left - 6, y: y + 4, "text-anchor": "end" }, label(tick)));
    parent.append(group);
  }
}

function drawFrame(parent, box) {
  parent.append(svg("rect", { class: "frame", x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }));
}

// Marks differ in shape, not in colour alone.
const SHAPES = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x - r * 0.88} ${y - r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}z`,
  (x, y, r) => `M${x} ${y - r * 1.2}l${r * 1.15} ${r * 2}h${-r * 2.3}z`,
  (x, y, r) => `M${x} ${y - r * 1.25}l${r * 1.25} ${r * 1.25}l${-r * 1.25} ${r * 1.25}l${-r * 1.25} ${-r * 1.25}z`,
  (x, y, r) => `M${x} ${y + r * 1.2}l${r * 1.15} ${-r * 2}h${-r * 2.3}z`,
  (x, y, r) => `M${x - r * 1.2} ${y - r * 0.4}h${r * 0.8}v${-r * 0.8}h${r * 0.8}v${r * 0.8}h${r * 0.8}v${r * 0.8}h${-r * 0.8}v${r * 0.8}h${-r * 0.8}v${-r * 0.8}h${-r * 0.8}z`,
];

function markPath(shape, x, y, r) {
  return SHAPES[shape % SHAPES.length](Number(x.toFixed(1)), Number(y.toFixed(1)), r);
}

// A mark for a legend.
function keySign(shape, colour, open = false) {
  const style = open ? `fill: none; stroke: ${colour}; stroke-width: 1.5` : `fill: ${colour}`;
  return svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: markPath(shape, 8, 8, 4.5), style }));
}
