// Headline figures and tables, for pages that are reports.

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function hours(value) {
  return value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: Math.abs(value) < 99.5 ? 1 : 0 });
}

const interval = (figure) => `${hours(figure.low)} to ${hours(figure.high)}`;
const share = (part, whole) => `${percent(part, whole).toFixed(1)} %`;

function swatch(colour) {
  const made = element("i");
  made.style.background = `var(${colour})`;
  return made;
}

function fill(table, head, rows) {
  const line = (cells, name) => {
    const row = element("tr");
    for (const [content, kind] of cells) {
      const cell = element(name, typeof content === "object" ? undefined : content, kind);
      if (typeof content === "object") cell.append(...content);
      row.append(cell);
    }
    return row;
  };
  table.replaceChildren(line(head, "th"), ...rows.map((cells) => line(cells, "td")));
}

// Each is a number and what it means.
function showFigures(list) {
  document.getElementById("figures").append(...list.map(([number, text]) => {
    const box = element("div", undefined, "figure");
    box.append(element("strong", number), element("span", text));
    return box;
  }));
}

