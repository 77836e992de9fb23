// Runs inside the page, after its own script: uses it as a person would, and leaves what it saw in an
// element that the test reads.
(() => {
  const seen = { errors: window.pageErrors };
  const items = (tree) => [...document.querySelectorAll(`#${tree}-tree .item`)];
  const find = (tree, id) => items(tree).find((item) => item.dataset.id === id);
  const read = (tree) => items(tree).map((item) => ({
    id: item.dataset.id, value: Number(item.dataset.value), text: item.querySelector(".value").textContent,
    name: item.querySelector(".name").textContent, level: Number(item.getAttribute("aria-level")),
    place: item.querySelector(".place")?.textContent, expanded: item.getAttribute("aria-expanded"), selected: item.getAttribute("aria-selected") === "true",
  }));
  const key = (tree, name) => document.querySelector(`#${tree}-tree [tabindex="0"]`)
    .dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const click = (tree, id, part) => find(tree, id).querySelector(part).click();
  const choose = (tree, id) => click(tree, id, ".name");
  const openAll = (tree) => {
    for (let closed; (closed = items(tree).find((item) => item.getAttribute("aria-expanded") === "false"));) closed.querySelector(".toggle").click();
  };
  const closeBelow = (tree, id) => {
    if (find(tree, id).getAttribute("aria-expanded") === "true") click(tree, id, ".toggle");
  };
  const mode = (value) => {
    const button = document.querySelector(`input[value=${value}]`);
    button.checked = true;
    button.dispatchEvent(new Event("change"));
  };

  function panes() {
    seen.begin = { metric: read("metric"), call: read("call"), system: read("system") };
    openAll("metric");
    openAll("call");
    openAll("system");
    seen.metrics = read("metric");
    // Each leaf of the metrics: its call paths, and its ranks in each of them.
    seen.leaves = {};
    for (const { id, expanded } of seen.metrics) {
      if (expanded !== null) continue;
      choose("metric", id);
      choose("call", "paths");
      const leaf = { call: read("call"), system: {} };
      for (const { id: path, value } of leaf.call) {
        if (value === 0 || path === "paths") continue;
        choose("call", path);
        leaf.system[path] = read("system");
      }
      seen.leaves[id] = leaf;
    }
  }

  // Why a pane shows nothing.
  const note = (id) => (document.getElementById(id).hidden ? "" : document.getElementById(id).textContent);

  function collapsed() {
    choose("metric", "waiting");
    seen.notes = { metric: note("call-note") };
    closeBelow("metric", "waiting");
    seen.notes.closedMetric = note("call-note");
    choose("call", "path0");
    seen.notes.path = note("system-note");
    closeBelow("call", "path0");
    seen.notes.closedPath = note("system-note");
    seen.collapsed = { metric: read("metric"), call: read("call"), system: read("system") };
    mode("total");
    seen.percent = { metric: read("metric"), call: read("call"), system: read("system") };
    mode("absolute");
  }

  function measureWithParts() {
    closeBelow("metric", "measure1");
    seen.delays = read("metric").find(({ id }) => id === "measure1").value;
  }

  function keyboard() {
    choose("call", "paths");
    key("call", "ArrowDown");
    seen.keyDown = read("call").find(({ selected }) => selected).id;
    key("call", "ArrowRight");
    seen.keyRight = find("call", "path0").getAttribute("aria-expanded");
    key("call", "End");
    seen.keyEnd = read("call").findIndex(({ selected }) => selected) === read("call").length - 1;
    key("call", "Home");
    seen.keyHome = read("call").find(({ selected }) => selected).id;
    seen.focused = document.activeElement.dataset.id;
  }

  const canvas = document.getElementById("canvas");
  const AXIS = { left: 64, top: 22 };
  // A place by its share of the visible time, and its row.
  const place = (share, row) => {
    const box = canvas.getBoundingClientRect();
    const rows = Number(canvas.dataset.bottom) - Number(canvas.dataset.top);
    return { x: AXIS.left + share * (box.width - AXIS.left), y: AXIS.top + ((row + 0.3) / rows) * (box.height - AXIS.top), box };
  };
  const pixel = (share, row) => {
    const { x, y, box } = place(share, row);
    const dots = canvas.width / box.width;
    return [...canvas.getContext("2d").getImageData(Math.round(x * dots), Math.round(y * dots), 1, 1).data].slice(0, 3);
  };
  const mouse = (type, share, row, more = {}) => {
    const { x, y, box } = place(share, row);
    const made = type === "wheel" ? WheelEvent : PointerEvent;
    canvas.dispatchEvent(new made(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more }));
  };
  const view = () => Object.fromEntries(Object.entries(canvas.dataset).map(([name, value]) => [name, Number(value)]));
  const press = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

  function timeline() {
    const style = getComputedStyle(document.documentElement);
    seen.colours = Object.fromEntries(["computation", "mpi", "waiting"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    const path = document.getElementById("show-path");
    path.checked = false;
    path.dispatchEvent(new Event("change"));
    seen.pixels = { waiting: pixel(0.15, 3), mpi: pixel(0.295, 3), computation: pixel(0.5, 3) };
    mouse("pointermove", 0.1525, 3);
    seen.tip = document.getElementById("tip").hidden ? null : document.getElementById("tip").textContent;
    seen.view = [view()];
    mouse("wheel", 0.5, 0, { deltaY: -100 });
    seen.view.push(view());
    mouse("wheel", 0.5, 0, { deltaY: -100, shiftKey: true });
    seen.view.push(view());
    press("ArrowRight");
    seen.view.push(view());
    press("0");
    seen.view.push(view());
    document.getElementById("show-patterns").click();
    seen.patternPixel = pixel(0.15, 3);
    seen.legend = [...document.querySelectorAll("#legend .key")].map((item) => item.textContent);
  }

  try {
    panes();
    collapsed();
    measureWithParts();
    keyboard();
    timeline();
  } catch (error) {
    seen.errors.push(`probe: ${error.stack}`);
  }
  seen.ready = document.documentElement.dataset.ready;
  seen.title = document.title;
  seen.heading = document.getElementById("trace").textContent;
  seen.program = document.getElementById("program").textContent;
  seen.remarks = [...document.querySelectorAll("#remark-list li")].map((item) => item.textContent);
  seen.foreign = document.querySelectorAll("img, link, script[src], iframe, object").length;
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify(seen);
  document.body.append(answer);
})();
