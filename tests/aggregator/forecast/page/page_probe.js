// Runs inside the page, after its own script: uses it as a person would, and leaves what it saw in an
// element that the test reads.
(() => {
  const seen = { errors: window.pageErrors, targets: {} };
  const text = (element) => (element ? element.textContent : null);
  const number = (cell) => (cell.dataset.value === "null" ? null : Number(cell.dataset.value));

  const rows = (section, table) => [...section.querySelectorAll(`[data-table=${table}] tbody tr:not(.group)`)].map((line) => ({
    name: text(line.cells[0]), best: line.classList.contains("best"), texts: [...line.cells].map(text),
    values: [...line.cells].filter((cell) => cell.dataset.value !== undefined).map(number),
  }));
  const ticks = (plot, axis) => [...plot.querySelectorAll(`.tick.${axis}`)].map((tick) => ({
    value: Number(tick.dataset.value), at: Number(tick.dataset.at), label: text(tick.querySelector("text")),
    box: tick.querySelector("text") ? tick.querySelector("text").getBoundingClientRect().toJSON() : null,
  }));

  // All marks of a plot, one after the other by the arrow key.
  function walk(figure) {
    const plot = figure.querySelector(".stage > svg");
    const tip = figure.querySelector(".tip");
    if (!plot) return null;
    const press = (name) => plot.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const marks = [];
    press("End");
    const last = tip.hidden ? null : tip.textContent;
    press("Escape");
    const closed = tip.hidden;
    for (let before = -1; before !== marks.length && marks.length < 1000;) {
      before = marks.length;
      press("ArrowRight");
      const sign = plot.querySelector("circle.chosen");
      if (!sign) break;
      const mark = { values: JSON.parse(tip.dataset.values), text: tip.textContent, x: Number(sign.getAttribute("cx")), y: Number(sign.getAttribute("cy")) };
      const previous = marks[marks.length - 1];
      if (!previous || JSON.stringify(previous) !== JSON.stringify(mark)) marks.push(mark);
    }
    press("Escape");
    return { marks, last, closed, x: ticks(plot, "x"), y: ticks(plot, "y") };
  }

  function scatter(figure) {
    const found = { controls: [...figure.querySelectorAll("select")].map((select) => [...select.options].map(({ value }) => value)) };
    found.caption = text(figure.querySelector("figcaption p"));
    found.legend = [...figure.querySelectorAll(".legend button")].map(text);
    found.shown = walk(figure);
    const stage = figure.querySelector(".stage");
    const [mark] = found.shown.marks;
    if (mark) {
      const box = stage.querySelector("svg").getBoundingClientRect();
      stage.querySelector("svg").dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + mark.x + 1, clientY: box.top + mark.y + 1, bubbles: true }));
      found.hovered = text(figure.querySelector(".tip"));
      stage.querySelector("svg").dispatchEvent(new PointerEvent("pointerleave", {}));
    }
    const select = figure.querySelector("select");
    if (select && select.options.length === 2 && select.options[1].value.includes("sampling")) {
      select.value = select.options[1].value;
      select.dispatchEvent(new Event("change"));
      found.otherRows = walk(figure);
    }
    const button = figure.querySelector(".legend button");
    if (button) {
      const count = () => [...figure.querySelectorAll(".mark")].reduce((sum, mark) => sum + Number(mark.dataset.rows), 0);
      found.counts = [count()];
      button.click();
      found.counts.push(count(), button.getAttribute("aria-pressed"));
      button.click();
    }
    return found;
  }

  try {
    for (const section of document.querySelectorAll(".target")) {
      const found = { verdict: text(section.querySelector(".verdict")) };
      for (const table of ["samplings", "importance", "validation", "sizes"]) found[table] = rows(section, table);
      const figure = section.querySelector("figure.rows");
      if (figure) found.scatter = scatter(figure);
      found.samplingsTold = text(section.querySelector(".wide .about-table"));
      found.validationText = text(section.querySelector("[data-table=validation]"));
      found.bySizeTitle = text(section.querySelector("figure.sizes h3"));
      found.bySize = walk(section.querySelector("figure.sizes"));
      found.nothing = [...section.querySelectorAll("figure .nothing, figure.sizes li")].map(text);
      found.samplingPlot = section.querySelector("figure.samplings") ? walk(section.querySelector("figure.samplings")) : null;
      found.bands = [...section.querySelectorAll("figure.samplings text.title")].map((title) => ({ text: text(title), x: Number(title.getAttribute("x")) }));
      seen.targets[section.dataset.target] = found;
    }
  } catch (error) {
    seen.errors.push(`probe: ${error.stack}`);
  }
  seen.ready = document.documentElement.dataset.ready;
  seen.title = document.title;
  seen.heading = text(document.getElementById("heading"));
  seen.summary = text(document.getElementById("summary"));
  seen.remarks = [...document.querySelectorAll("#remarks li, .wide li")].map(text);
  const about = document.getElementById("about");
  seen.leftOut = ["reading", "screening"].flatMap((table) => rows(about, table));
  seen.about = text(document.getElementById("about"));
  seen.foreign = document.querySelectorAll("img, link, script[src], iframe, object, b").length;
  seen.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify(seen);
  document.body.append(answer);
})();
