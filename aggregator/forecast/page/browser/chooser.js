// What the mouse, a finger or the arrow keys choose among the marks of a plot, and the text about it.

class Chooser {
  // `draw(width)` gives {height, items: [{x, y, text, values}], mark(item)}: items in the order of the arrow keys;
  // mark() gives an element that shows which one is chosen.
  constructor(stage, label, draw) {
    this.stage = stage;
    this.draw = draw;
    this.plot = svg("svg", { tabindex: "0", role: "img", "aria-label": label });
    this.tip = html("div", { class: "tip", role: "status" });
    this.tip.hidden = true;
    stage.append(this.plot, this.tip);
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerdown", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.choose(-1));
    this.plot.addEventListener("blur", () => this.choose(-1));
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.width = 0;
    new ResizeObserver(() => requestAnimationFrame(() => {
      if (Math.abs(this.stage.clientWidth - this.width) > 1) this.redraw();
    })).observe(stage);
  }

  redraw() {
    this.width = Math.max(this.stage.clientWidth, 200);
    this.plot.replaceChildren();
    const { height, items, mark } = this.draw(this.plot, this.width);
    this.items = items;
    this.mark = mark;
    this.plot.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.choose(-1);
  }

  point(event) {
    const box = this.plot.getBoundingClientRect();
    const factor = this.width / box.width;
    const [x, y] = [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
    let nearest = -1;
    let least = 20 * 20;
    this.items.forEach((item, number) => {
      const distance = (item.x - x) ** 2 + (item.y - y) ** 2;
      if (distance < least) [nearest, least] = [number, distance];
    });
    if (nearest !== this.chosen) this.choose(nearest);
  }

  key(event) {
    const last = this.items.length - 1;
    const to = { ArrowRight: this.chosen + 1, ArrowUp: this.chosen + 1, ArrowLeft: this.chosen - 1, ArrowDown: this.chosen - 1,
                 Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.choose(event.key === "Escape" ? -1 : Math.min(Math.max(to, 0), last));
  }

  choose(number) {
    this.chosen = number;
    if (this.sign) this.sign.remove();
    this.tip.hidden = number < 0;
    if (number < 0) return;
    const item = this.items[number];
    this.sign = this.mark(item);
    this.plot.append(this.sign);
    this.tip.textContent = item.text;
    this.tip.dataset.values = JSON.stringify(item.values);
    this.placeTip(item);
  }

  // Beside the mark, inside of the stage.
  placeTip(item) {
    const factor = this.stage.clientWidth / this.width;
    const [x, y] = [item.x * factor, item.y * factor];
    this.tip.style.left = "0";
    this.tip.style.top = "0";
    const { offsetWidth: wide, offsetHeight: high } = this.tip;
    const left = x + 14 + wide <= this.stage.clientWidth ? x + 14 : x - 14 - wide;
    this.tip.style.left = `${Math.max(left, 0)}px`;
    this.tip.style.top = `${Math.max(Math.min(y - high / 2, this.stage.clientHeight - high), 0)}px`;
  }
}

function ring(item) {
  return svg("circle", { class: "chosen", cx: item.x, cy: item.y, r: 7 });
}
