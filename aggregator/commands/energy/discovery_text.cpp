#include "aggregator/commands/energy/discovery_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle {
namespace {

std::string processor(const PowerDiscovery& found) {
  const std::string name = fmt::format(
      "{}{}{}", found.vendor, found.vendor.empty() || found.model.empty() ? "" : " ", found.model);
  const std::size_t pus = found.pus.members().size();
  std::string text = name.empty() ? "An unknown processor" : name;
  if (found.packages > 0)
    text += fmt::format(": {} package{}", found.packages, found.packages == 1 ? "" : "s");
  if (pus > 0)
    text += fmt::format("{} {} PU{}", found.packages > 0 ? "," : ":", pus, pus == 1 ? "" : "s");
  return text + "\n";
}

std::string range_of(const ClockGroup& group) {
  if (!group.settable.empty())
    return fmt::format("{} to {}, {} step{}", text_of(group.settable.front()),
                       text_of(group.settable.back()), group.settable.size(),
                       group.settable.size() == 1 ? "" : "s");
  if (group.least && group.most)
    return fmt::format("{} to {}", text_of(*group.least), text_of(*group.most));
  return "-";
}

std::string clocks(const PowerDiscovery& found) {
  if (found.clocks.empty()) return "Linux shows no clocks here (no cpufreq).\n";
  Table table({{"PUs", Table::Align::kLeft},
               {"clocks", Table::Align::kLeft},
               {"now", Table::Align::kLeft},
               {"driver", Table::Align::kLeft},
               {"governor", Table::Align::kLeft}});
  for (std::size_t i = 0; i < found.clocks.size();) {
    // Groups that are alike share a line.
    ClockGroup group = found.clocks[i];
    std::optional<Hertz> least = group.present;
    std::optional<Hertz> most = group.present;
    for (++i; i < found.clocks.size(); ++i) {
      const ClockGroup& next = found.clocks[i];
      if (next.driver != group.driver || next.governor != group.governor ||
          range_of(next) != range_of(group) || next.present.has_value() != least.has_value())
        break;
      for (const std::uint32_t pu : next.pus.members()) group.pus.add(pu);
      if (least) least = std::min(*least, *next.present);
      if (most) most = std::max(*most, *next.present);
    }
    std::string now = "-";
    if (least) now = *least == *most ? text_of(*least) : text_of(*least) + " to " + text_of(*most);
    table.add({group.pus.list(), range_of(group), now, group.driver, group.governor});
  }
  return table.text();
}

std::string unit_of(const power::Sensor& sensor) {
  const std::string_view letter = sensor.quantity == power::Quantity::kEnergy ? "J" : "W";
  if (sensor.unit == 1e-6) return fmt::format("u{}", letter);
  return fmt::format("{:g} {}", sensor.unit, letter);
}

std::string state_of(const FoundSensor& found) {
  if (!found.sensor.same_as.empty()) return "the same as " + found.sensor.same_as;
  return found.trouble.empty() ? "can be read" : found.trouble;
}

// A sensor, then those whose parent it is.
void add_rows(Table& table, const PowerDiscovery& found, const std::string& parent,
              std::size_t depth) {
  for (const FoundSensor& one : found.sensors) {
    const power::Sensor& sensor = one.sensor;
    if (sensor.parent != parent) continue;
    table.add({std::string(2 * depth, ' ') + sensor.name, std::string(name_of(sensor.quantity)),
               std::string(name_of(sensor.covers)), unit_of(sensor),
               sensor.range == 0 ? "-"
                                 : fmt::format("{:.4g} kJ", static_cast<double>(sensor.range) *
                                                                sensor.unit / 1e3),
               sensor.refresh ? fmt::format("{:g} s", sensor.refresh->value) : "-",
               sensor.interface, state_of(one)});
    constexpr std::size_t kDeepest = 8;
    if (depth < kDeepest) add_rows(table, found, sensor.name, depth + 1);
  }
}

const power::Sensor& sensor_named(const PowerDiscovery& found, const std::string& name) {
  return std::find_if(found.sensors.begin(), found.sensors.end(),
                      [&](const FoundSensor& one) { return one.sensor.name == name; })
      ->sensor;
}

std::string sum(const PowerDiscovery& found) {
  if (found.sum.empty()) return "No sum of the node can be known from them.\n";
  const power::Sensor& first = sensor_named(found, found.sum.front());
  const std::string names = fmt::format("{}", fmt::join(found.sum, " + "));
  if (first.covers == power::Covers::kNode) return fmt::format("The node's energy: {}.\n", names);
  if (first.covers == power::Covers::kPlatform)
    return fmt::format("The node's energy: {}, as far as its maker connected it.\n", names);
  return fmt::format("No sensor covers the node. The most of it that is known: {}.\n", names);
}

std::string sensors(const PowerDiscovery& found) {
  if (found.sensors.empty())
    return "Linux shows no energy meter here: no RAPL, no Cray pm_counters, none in hwmon (a "
           "virtual machine?).\n";
  Table table({{"sensor", Table::Align::kLeft},
               {"measures", Table::Align::kLeft},
               {"covers", Table::Align::kLeft},
               {"unit", Table::Align::kLeft},
               {"counts to"},
               {"refresh"},
               {"through", Table::Align::kLeft},
               {"state", Table::Align::kLeft}});
  add_rows(table, found, "", 0);
  return table.text() + "\n" + sum(found);
}

}  // namespace

std::string for_people(const PowerDiscovery& found) {
  std::string text = processor(found) + "\n" + clocks(found) + "\n" + sensors(found);
  if (!found.slurm.empty()) text += fmt::format("Slurm accounts for energy by {}.\n", found.slurm);
  return text;
}

}  // namespace huddle
