// Numbers for people.

// The largest of a column is at least 1 in its unit, so that its numbers can be compared.
const SCALES = {
  s: [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]],
  J: [[1e9, "GJ"], [1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"], [1e-6, "\u00b5J"], [1e-9, "nJ"]],
  n: [[1, ""]],
};

function scaleFor(unit, largest) {
  const scales = SCALES[unit];
  const plain = scales.find(([size]) => size === 1);
  const fit = scales.find(([size]) => Math.abs(largest) >= size) || scales[scales.length - 1];
  const [factor, name] = largest === 0 ? plain : fit;
  const shown = Math.abs(largest) / factor;
  const digits = unit === "n" ? 0 : shown >= 1000 ? 1 : shown >= 100 ? 2 : 3;
  return { factor, name, digits };
}

function inScale(value, scale) {
  return (value / scale.factor).toFixed(scale.digits);
}

// One number by itself.
function withUnit(value, unit) {
  const scale = scaleFor(unit, value);
  return `${Number((value / scale.factor).toPrecision(4))} ${scale.name}`.trim();
}

function percent(part, whole) {
  return whole > 0 ? (100 * part) / whole : 0;
}

// From nothing to the most: pale to dark red.
const RAMP = [[255, 246, 224], [253, 208, 139], [244, 142, 72], [211, 65, 48], [130, 15, 38]];

function heat(share) {
  if (!(share > 0)) return "transparent";
  const at = Math.min(share, 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  const mixed = RAMP[low].map((part, i) => Math.round(part + (at - low) * (RAMP[low + 1][i] - part)));
  return `rgb(${mixed})`;
}

