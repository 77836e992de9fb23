// The timeline's bins, three bytes each: share in MPI, share of waiting (of 255), pattern.

const NO_PATTERN = 255;
const PALETTE = ["#c8283c", "#e8862e", "#8a3fb5", "#d44a9a", "#b0892a", "#7a4a2a", "#f2b632", "#4a5fd0", "#2a9d9d", "#5b3a8c", "#a02060", "#3d7a1f", "#9c6bd6", "#2f7fb8", "#b5651d", "#708090"];

function decoded(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

class TimelineData {
  constructor({ bins, begin, binTicks, cells }) {
    this.bins = bins;
    this.begin = begin;
    this.cells = decoded(cells);
    this.ticksPerBin = binTicks;
    // What of the bins the run is in.
    this.low = Math.max(this.binOf(0), 0);
    this.high = Math.min(Math.max(this.binOf(data.runTicks), this.low + 1e-3), bins);
    this.met = [...new Set(this.cells.filter((_, i) => i % 3 === 2))].filter((pattern) => pattern !== NO_PATTERN).sort((a, b) => a - b);
  }

  // A place between bins for a time in ticks of the run, and back to seconds.
  binOf(ticks) {
    return (ticks - this.begin) / this.ticksPerBin;
  }
  secondsOf(bin) {
    return (this.begin + bin * this.ticksPerBin) * secondsPerTick;
  }

  // Shares of a rectangle of bins and rows, in what of it the rows are alive; and the pattern that
  // is met there most.
  over(firstBin, endBin, firstRow, endRow) {
    let [mpi, waiting, alive] = [0, 0, 0];
    const patterns = new Float64Array(data.patterns.length);
    for (let row = firstRow; row < endRow; ++row) {
      const [begin, end] = this.life(row);
      for (let bin = Math.max(firstBin, begin); bin < Math.min(endBin, end); ++bin) {
        const at = 3 * (row * this.bins + bin);
        mpi += this.cells[at];
        waiting += this.cells[at + 1];
        if (this.cells[at + 2] !== NO_PATTERN) patterns[this.cells[at + 2]] += this.cells[at + 1];
        ++alive;
      }
    }
    const all = (endBin - firstBin) * (endRow - firstRow);
    const most = patterns.reduce((best, value, i) => (value > patterns[best] ? i : best), 0);
    return { alive: alive / all, mpi: mpi / 255 / (alive || 1), waiting: waiting / 255 / (alive || 1), pattern: patterns[most] > 0 ? most : -1 };
  }

  // The bins from a row's first event to its last.
  life(row) {
    const [begin, end] = data.rows[row].slice(5);
    return [Math.floor(this.binOf(begin)), Math.max(Math.ceil(this.binOf(end)), 1)];
  }
}

