// What the page has been given; the rows of a plot, and how colours distinguish them.

// `report` is what huddle forecast --json prints (docs/formats/forecast.md); `plots` has the rows to draw of each target.
const { report, plots } = JSON.parse(document.getElementById("data").textContent);

const TARGETS = {
  energy: { title: "Energy", noun: "energy", unit: "J" },
  time: { title: "Time", noun: "time", unit: "s" },
};
const GROUPS = 8;

const many = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;

// 1,234,567: groups of three digits.
function whole(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A size or another number without a unit.
function plain(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return whole(value);
  const rounded = Number(value.toPrecision(4));
  return Number.isInteger(rounded) && Math.abs(rounded) < 1e15 ? whole(rounded) : rounded.toString();
}

// On axes: short. Sizes and numbers of processes are whole, and people know theirs by all digits.
function short(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return value.toString();
  const text = Number(value.toPrecision(4)).toString();
  return text.length <= 5 ? text : value.toExponential(1).replace(/\.0(?=e)/, "").replace("e+", "e");
}

function regionName(number) {
  return report.regions[number] === "" ? "the program" : report.regions[number];
}

// A share of 1 in percent; "not known" if it is absent.
function asPercent(share, digits = 1) {
  return share === null ? "not known" : `${(100 * share).toFixed(digits)} %`;
}

class Points {
  constructor(columns) {
    Object.assign(this, columns);
    this.count = this.measured.length;
    this.drawn = [];
    let odd = 0;
    for (let i = 0; i < this.count; ++i) {
      if (this.measured[i] > 0 && this.value[i] > 0) this.drawn.push(i);
      else ++odd;
    }
    this.notDrawn = odd;
    const several = (column) => new Set(column).size > 1;
    const known = (column) => column.some((value) => value !== 1);
    this.known = { size: known(this.size), processes: known(this.processes), threads: known(this.threads),
                   frequency: known(this.frequency) };
    this.varies = { processes: several(this.processes), threads: several(this.threads), frequency: several(this.frequency) };
    this.ways = [];
    if (several(this.size)) this.ways.push("size");
    if (Object.values(this.varies).some(Boolean)) this.ways.push("configuration");
    if (several(this.region)) this.ways.push("region");
  }

  configuration(i) {
    const parts = [];
    if (this.known.processes || this.known.threads) {
      const runs = [];
      if (this.known.processes) runs.push(many(this.processes[i], "process").replace(/processs$/, "processes"));
      if (this.known.threads) runs.push(many(this.threads[i], "thread"));
      parts.push(runs.join(" x "));
    }
    if (this.known.frequency) parts.push(`${plain(this.frequency[i])} GHz`);
    return parts.join(" at ");
  }

  // For legends: of a configuration only what differs, and what that is.
  shortConfiguration(i) {
    const counts = ["processes", "threads"].filter((name) => this.varies[name]).map((name) => plain(this[name][i])).join("x");
    const frequency = this.varies.frequency ? `${plain(this.frequency[i])} GHz` : "";
    return [counts, frequency].filter(Boolean).join(" ");
  }

  titleOf(way) {
    if (way !== "configuration") return way;
    return ["processes", "threads", "frequency"].filter((name) => this.varies[name]).join(" x ").replace(/ x frequency$/, ", frequency");
  }

  // As interval_text() in profiles/vocabulary/figures.hpp.
  intervalText(i, unit) {
    const kWidestInterval = 10;
    const missed = this.isInside(i) ? "" : ": missed";
    if (!(this.high[i] <= kWidestInterval * this.low[i])) return `no useful interval${missed}`;
    return `90 % interval ${withUnit(this.low[i], unit)} to ${withUnit(this.high[i], unit)}${missed}`;
  }

  hasInterval(i) {
    return this.low[i] !== null && this.high[i] !== null;
  }

  isInside(i) {
    return this.hasInterval(i) && this.low[i] <= this.measured[i] && this.measured[i] <= this.high[i];
  }

  describe(i, unit) {
    const lines = [];
    if (report.regions.length > 1 || report.regions[0] !== "") lines.push(regionName(this.region[i]));
    const where = this.configuration(i);
    if (this.known.size) lines.push(`size ${plain(this.size[i])}${where ? `, ${where}` : ""}`);
    else if (where) lines.push(where);
    const error = this.value[i] / this.measured[i] - 1;
    lines.push(`measured ${withUnit(this.measured[i], unit)}`);
    const percent = (100 * Math.abs(error)).toFixed(1);
    const sign = error < 0 && percent !== "0.0" ? "\u2212" : "+";
    lines.push(`predicted ${withUnit(this.value[i], unit)} (${sign}${percent} %)`);
    lines.push(this.hasInterval(i) ? this.intervalText(i, unit) : "no interval");
    return lines.join("\n");
  }

  // Groups of drawn rows, at most GROUPS of them: {label, rows, ordered}.
  groups(way) {
    if (way === "region") return this.regionGroups();
    if (way === "size") return orderedGroups(this.drawn, (i) => this.size[i], (i) => plain(this.size[i]));
    if (way === "configuration")
      return orderedGroups(this.drawn, (i) => this.processes[i] * this.threads[i] * 1e6 + this.processes[i] + this.frequency[i] / 1e3,
                           (i) => this.shortConfiguration(i));
    return [{ label: "rows", rows: this.drawn, colour: "var(--kind-0)" }];
  }

  // Those with the most rows have a colour of their own.
  regionGroups() {
    const byRegion = new Map();
    for (const i of this.drawn) {
      if (!byRegion.has(this.region[i])) byRegion.set(this.region[i], []);
      byRegion.get(this.region[i]).push(i);
    }
    const sorted = [...byRegion].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
    const own = sorted.length <= GROUPS ? sorted : sorted.slice(0, GROUPS - 1);
    const groups = own.map(([region, rows], at) => ({ label: regionName(region), rows, colour: `var(--kind-${at})` }));
    const rest = sorted.slice(own.length);
    if (rest.length > 0)
      groups.push({ label: `${whole(rest.length)} other regions`, rows: rest.flatMap(([, rows]) => rows), colour: "var(--kind-7)" });
    return groups;
  }
}

// By a number: each value by itself, or ranges with about as many values.
function orderedGroups(rows, keyOf, labelOf) {
  const first = new Map();
  for (const i of rows) if (!first.has(keyOf(i))) first.set(keyOf(i), i);
  const keys = [...first.keys()].sort((a, b) => a - b);
  const count = Math.min(keys.length, GROUPS);
  const groups = [];
  const groupOf = new Map();
  for (let g = 0; g < count; ++g) {
    const mine = keys.slice(Math.floor((g * keys.length) / count), Math.floor(((g + 1) * keys.length) / count));
    for (const key of mine) groupOf.set(key, g);
    const [low, high] = [labelOf(first.get(mine[0])), labelOf(first.get(mine[mine.length - 1]))];
    const colour = count === 1 ? 2 : Math.round((g * (GROUPS - 1)) / (count - 1));
    groups.push({ label: mine.length === 1 ? low : `${low} to ${high}`, rows: [], colour: `var(--ramp-${colour})` });
  }
  for (const i of rows) groups[groupOf.get(keyOf(i))].rows.push(i);
  return groups;
}
