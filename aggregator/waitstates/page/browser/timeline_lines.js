// What the timeline draws over its bins: messages from rank to rank, and names of functions.

// More lines than this hide what is below them, and each other: then the view must be closer.
const MOST_LINES = 3000;

class TimelineMessages {
  // Row and time of sending, row and time of receiving, the receiver's waiting.
  constructor(timeline) {
    this.timeline = timeline;
    this.shown = data.messages.length > 0;
  }

  // The view's messages, with their ends on the screen.
  visible() {
    const { left, right, top, bottom } = this.timeline.view;
    const lines = [];
    for (let i = 0; i < data.messages.length; i += 5) {
      const [from, sent, to, received, waiting] = data.messages.slice(i, i + 5);
      const [begin, end] = [sent, received].map((ticks) => this.timeline.source.binOf(ticks));
      if (end < left || begin > right || Math.max(from, to) + 1 <= top || Math.min(from, to) >= bottom) continue;
      const [x1, y1, x2, y2] = [this.timeline.x(begin), this.timeline.y(from + 0.5), this.timeline.x(end), this.timeline.y(to + 0.5)];
      lines.push({ x1, y1, x2, y2, waiting, from, to, sent, received });
    }
    document.getElementById("messages-hint").hidden = lines.length <= MOST_LINES;
    return lines.length <= MOST_LINES ? lines : [];
  }

  // Many lines are faint, so that they hide nothing. Those that were waited for come last.
  draw(context) {
    if (!this.shown) return;
    const lines = this.visible();
    const { colours } = this.timeline;
    const strength = Math.min(Math.max(300 / (lines.length || 1), 0.06), 0.8);
    for (const waited of [false, true]) {
      context.strokeStyle = waited ? colours.late : colours.message;
      context.globalAlpha = waited ? Math.min(1, 2 * strength) : strength;
      context.lineWidth = 1.2;
      context.beginPath();
      for (const line of lines) {
        if (line.waiting > 0 !== waited) continue;
        context.moveTo(line.x1, line.y1);
        context.lineTo(line.x2, line.y2);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // The message whose line is nearest to a place, if that is near.
  at(x, y) {
    if (!this.shown) return null;
    let [best, least] = [null, 4];
    for (const line of this.visible()) {
      const [dx, dy] = [line.x2 - line.x1, line.y2 - line.y1];
      const along = Math.min(Math.max(((x - line.x1) * dx + (y - line.y1) * dy) / (dx * dx + dy * dy || 1), 0), 1);
      const distance = Math.hypot(x - line.x1 - along * dx, y - line.y1 - along * dy);
      if (distance < least) [best, least] = [line, distance];
    }
    return best;
  }

  describe({ from, to, sent, received, waiting }) {
    const name = (row) => rowTitle(data.rows[row]);
    const seconds = (ticks) => withUnit(ticks * secondsPerTick, "s");
    const text = `message from ${name(from)}, ${seconds(sent)}, to ${name(to)}, ${seconds(received)}`;
    return waiting > 0 ? `${text}: its receiver waited ${seconds(waiting)} for it` : text;
  }
}

class TimelineFunctions {
  constructor(timeline) {
    this.timeline = timeline;
    this.shown = data.functions.length > 0;
    this.byRow = Array.from({ length: rowCount }, () => []);
    for (let i = 0; i < data.functions.length; i += 4) {
      const [row, first, bins, path] = data.functions.slice(i, i + 4);
      this.byRow[row].push({ first, end: first + bins, path });
    }
  }

  static title(path) {
    return data.paths.regions[data.paths.region[path]];
  }

  // Only where there is room for a name.
  draw(context) {
    if (!this.shown) return;
    const { timeline } = this;
    const { left, right, top, bottom } = timeline.view;
    if (timeline.height / (bottom - top) < 15) return;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (let row = Math.floor(top); row < Math.min(Math.ceil(bottom), rowCount); ++row)
      for (const { first, end, path } of this.byRow[row]) {
        if (end <= left || first >= right) continue;
        const from = timeline.x(Math.max(first, left));
        const width = timeline.x(Math.min(end, right)) - from;
        if (width < 28) continue;
        this.label(context, TimelineFunctions.title(path), from + 4, timeline.y(row + 0.5), width - 8);
      }
  }

  // Cut where it does not fit, on a ground that any colour can be below.
  label(context, title, x, y, room) {
    let text = title;
    if (context.measureText(text).width > room) {
      let length = Math.min(text.length, Math.ceil(room / 3));
      while (length >= 8 && context.measureText(`${text.slice(0, length)}\u2026`).width > room) --length;
      if (length < 8) return;
      text = `${text.slice(0, length)}\u2026`;
    }
    const { colours } = this.timeline;
    context.globalAlpha = 0.72;
    context.fillStyle = colours.raised;
    context.fillRect(x - 2, y - 7, context.measureText(text).width + 4, 14);
    context.globalAlpha = 1;
    context.fillStyle = colours.text;
    context.fillText(text, x, y);
  }

  // What a bin of a row was mostly spent in; the way to it, and its place in the source.
  describe(row, bin) {
    const found = this.byRow[row].find(({ first, end }) => bin >= first && bin < end);
    if (!found) return "";
    const names = [];
    for (let { path } = found; path >= 0 && names.length < 4; path = data.paths.parent[path]) names.unshift(TimelineFunctions.title(path));
    const place = data.paths.place[found.path];
    return `mostly in ${names.join(" / ")}${place ? ` (${place.slice(place.lastIndexOf("/") + 1)})` : ""}`;
  }
}
