// A tree for mouse and keyboard. Nodes have id, title and children; what their lines show is asked
// for anew at each change.

class Tree {
  // show(node, expanded) gives {value, text, share, name}; changed() is called after a selection or an opening.
  constructor(element, roots, show, changed) {
    this.element = element;
    this.roots = roots;
    this.show = show;
    this.changed = changed;
    this.expanded = new Set();
    this.selected = roots[0];
    this.lines = [];
    element.addEventListener("click", (event) => this.onClick(event));
    element.addEventListener("dblclick", (event) => this.onDoubleClick(event));
    element.addEventListener("keydown", (event) => this.onKey(event));
  }

  isExpanded(node) {
    return this.expanded.has(node.id);
  }

  visible() {
    const found = [];
    const visit = (node, level, parent) => {
      found.push({ node, level, parent });
      if (this.isExpanded(node)) for (const child of node.children) visit(child, level + 1, node);
    };
    for (const root of this.roots) visit(root, 1, null);
    return found;
  }

  draw(focus) {
    this.lines = this.visible();
    const items = this.lines.map((line) => this.item(line));
    this.element.replaceChildren(...items);
    if (focus) {
      const at = items[this.lines.findIndex(({ node }) => node === this.selected)];
      if (at) {
        at.focus({ preventScroll: true });
        at.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  }

  item({ node, level }) {
    const open = this.isExpanded(node);
    const shown = this.show(node, open);
    const item = document.createElement("div");
    item.className = "item";
    if (!(shown.value > 0)) item.classList.add("nothing");
    if (node.className) item.classList.add(node.className);
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-level", level);
    item.setAttribute("aria-selected", node === this.selected);
    if (node.children.length > 0) item.setAttribute("aria-expanded", open);
    item.tabIndex = node === this.selected ? 0 : -1;
    item.dataset.id = node.id;
    item.dataset.value = shown.value;
    item.style.paddingLeft = `${0.3 + 0.9 * Math.min(level - 1, 40)}rem`;
    const part = (name, text) => {
      const element = document.createElement("span");
      element.className = name;
      element.textContent = text;
      item.append(element);
      return element;
    };
    part("toggle", node.children.length > 0 && !node.fixed ? (open ? "\u25bc" : "\u25b6") : "");
    part("swatch", "").style.background = heat(shown.share);
    part("value", shown.text);
    part("name", shown.name || node.title);
    if (open && !(shown.value > 0)) item.title = "Expanded: only what none of the lines below has";
    if (node.place) {
      part("place", node.place.slice(node.place.lastIndexOf("/") + 1));
      item.title = node.place;
    }
    return item;
  }

  nodeOf(event) {
    const item = event.target.closest(".item");
    if (!item) return null;
    return this.lines[[...this.element.children].indexOf(item)].node;
  }

  onClick(event) {
    const node = this.nodeOf(event);
    if (!node) return;
    if (event.target.classList.contains("toggle")) this.toggle(node);
    else this.select(node);
  }

  onDoubleClick(event) {
    const node = this.nodeOf(event);
    if (node && !event.target.classList.contains("toggle")) this.toggle(node);
  }

  select(node) {
    this.selected = node;
    this.changed();
    this.draw(true);
  }

  toggle(node) {
    if (node.children.length === 0 || node.fixed) return;
    if (this.isExpanded(node)) {
      this.expanded.delete(node.id);
      // Who was selected below is not to be seen any more.
      if (!this.visible().some((line) => line.node === this.selected)) this.selected = node;
    } else {
      this.expanded.add(node.id);
    }
    this.changed();
    this.draw(true);
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = this.lines.findIndex(({ node }) => node === this.selected);
    const { node, parent } = this.lines[Math.max(at, 0)];
    const go = (index) => this.select(this.lines[Math.min(Math.max(index, 0), this.lines.length - 1)].node);
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + 12),
      PageUp: () => go(at - 12),
      Home: () => go(0),
      End: () => go(this.lines.length - 1),
      ArrowRight: () => (this.isExpanded(node) ? node.children.length > 0 && go(at + 1) : this.toggle(node)),
      ArrowLeft: () => (this.isExpanded(node) && !node.fixed ? this.toggle(node) : parent && this.select(parent)),
      Enter: () => this.toggle(node),
      " ": () => this.toggle(node),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}

