// Numbers by call path and row of the page, sparse by call path.

const data = JSON.parse(document.getElementById("data").textContent);
const rowCount = data.rows.length;
const pathCount = data.paths.parent.length;
const secondsPerTick = 1 / data.ticksPerSecond;

class Cells {
  constructor() {
    this.byPath = new Map();
  }

  // Of the runs that the page's data holds: call path, first row, how many, numbers.
  static of(runs, factor) {
    const cells = new Cells();
    for (let i = 0; i < runs.length;) {
      const [path, first, count] = [runs[i], runs[i + 1], runs[i + 2]];
      const values = cells.at(path);
      for (let k = 0; k < count; ++k) values[first + k] = runs[i + 3 + k] * factor;
      i += 3 + count;
    }
    return cells;
  }

  at(path) {
    if (!this.byPath.has(path)) this.byPath.set(path, new Float64Array(rowCount));
    return this.byPath.get(path);
  }

  // Takes `others` away where `which` says so.
  less(others, which) {
    for (const [path, values] of others.byPath) {
      if (!which(path)) continue;
      const mine = this.at(path);
      for (let row = 0; row < rowCount; ++row) mine[row] -= values[row];
    }
    return this;
  }

  only(which) {
    const cells = new Cells();
    for (const [path, values] of this.byPath) if (which(path)) cells.byPath.set(path, values.slice());
    return cells;
  }

  // Adds the sums over all rows to `totals`, by call path.
  addTotals(totals) {
    for (const [path, values] of this.byPath) totals[path] += values.reduce((sum, value) => sum + value, 0);
  }

  // Adds those of one call path to `totals`, by row.
  addRows(path, totals) {
    const values = this.byPath.get(path);
    if (values) for (let row = 0; row < rowCount; ++row) totals[row] += values[row];
  }
}

// Whether call paths are MPI's or called by MPI. Parents come first.
const inMpi = new Array(pathCount).fill(false);
for (let path = 0; path < pathCount; ++path) {
  const parent = data.paths.parent[path];
  inMpi[path] = data.paths.mpi[path] === 1 || (parent >= 0 && inMpi[parent]);
}

