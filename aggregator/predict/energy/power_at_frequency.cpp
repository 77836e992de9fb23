#include "aggregator/predict/energy/power_at_frequency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// What one part draws at one frequency.
struct Known {
  double hertz = 0;
  double watts = 0;
};

double cube(double value) {
  return value * value * value;
}

// `known`: one or more, ascending by frequency.
Watts at(const std::vector<Known>& known, Hertz frequency) {
  if (known.size() == 1) return {known.front().watts};
  const auto above = std::find_if(known.begin() + 1, known.end() - 1, [&](const Known& point) {
    return point.hertz >= frequency.value;
  });
  const Known& high = *above;
  const Known& low = *(above - 1);
  // In units of the higher one, so that no cube is out of range.
  const double low_cube = cube(low.hertz / high.hertz);
  const double way = (cube(frequency.value / high.hertz) - low_cube) / (1 - low_cube);
  return {std::max(low.watts + way * (high.watts - low.watts), 0.0)};
}

template <class PartOf>
Watts part_at(const Frequencies& frequencies, Watts nominal, Hertz frequency, PartOf part_of) {
  if (frequency == frequencies.nominal) return nominal;
  std::vector<Known> known = {{frequencies.nominal.value, nominal.value}};
  for (const PowerPoint& point : frequencies.power)
    if (const std::optional<Watts> watts = part_of(point))
      known.push_back({point.frequency.value, watts->value});
  std::sort(known.begin(), known.end(),
            [](const Known& a, const Known& b) { return a.hertz < b.hertz; });
  return at(known, frequency);
}

}  // namespace

bool power_depends_on_frequency(const Machine& machine) {
  return machine.power && machine.frequencies && !machine.frequencies->power.empty();
}

PowerFigures power_at(const Machine& machine, Hertz frequency) {
  if (!machine.power || !machine.frequencies)
    throw Error(
        fmt::format("the machine {} has no power figures by frequency: add \"power\" and "
                    "\"frequencies\" to its document",
                    shortened(machine.name)));
  const Frequencies& frequencies = *machine.frequencies;
  PowerFigures figures = *machine.power;
  figures.core = part_at(frequencies, figures.core, frequency,
                         [](const PowerPoint& point) { return std::optional(point.core); });
  figures.package = part_at(frequencies, figures.package, frequency,
                            [](const PowerPoint& point) { return point.package; });
  figures.die = part_at(frequencies, figures.die, frequency,
                        [](const PowerPoint& point) { return point.die; });
  return figures;
}

}  // namespace huddle
