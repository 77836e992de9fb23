// huddle energy: what this node can tell about its energy. Here is what it shows of sensors.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::cli {
namespace {

std::string processor(const hardware::PowerDiscovery& found) {
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

std::string range_of(const hardware::ClockGroup& group) {
  if (!group.settable.empty())
    return fmt::format("{} to {}, {} step{}", text_of(group.settable.front()),
                       text_of(group.settable.back()), group.settable.size(),
                       group.settable.size() == 1 ? "" : "s");
  if (group.least && group.most)
    return fmt::format("{} to {}", text_of(*group.least), text_of(*group.most));
  return "-";
}

std::string clocks(const hardware::PowerDiscovery& found) {
  if (found.clocks.empty()) return "Linux shows no clocks here (no cpufreq).\n";
  render::Table table({{"PUs", render::Table::Align::kLeft},
                       {"clocks", render::Table::Align::kLeft},
                       {"now", render::Table::Align::kLeft},
                       {"driver", render::Table::Align::kLeft},
                       {"governor", render::Table::Align::kLeft}});
  for (std::size_t i = 0; i < found.clocks.size();) {
    // Groups that are alike share a line.
    hardware::ClockGroup group = found.clocks[i];
    std::optional<Hertz> least = group.present;
    std::optional<Hertz> most = group.present;
    for (++i; i < found.clocks.size(); ++i) {
      const hardware::ClockGroup& next = found.clocks[i];
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

std::string state_of(const hardware::FoundSensor& found) {
  if (!found.sensor.same_as.empty()) return "the same as " + found.sensor.same_as;
  return found.trouble.empty() ? "can be read" : found.trouble;
}

// A sensor, then those whose parent it is.
void add_rows(render::Table& table, const hardware::PowerDiscovery& found,
              const std::string& parent, std::size_t depth) {
  for (const hardware::FoundSensor& one : found.sensors) {
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

const power::Sensor& sensor_named(const hardware::PowerDiscovery& found, const std::string& name) {
  return std::find_if(found.sensors.begin(), found.sensors.end(),
                      [&](const hardware::FoundSensor& one) { return one.sensor.name == name; })
      ->sensor;
}

std::string sum(const hardware::PowerDiscovery& found) {
  if (found.sum.empty()) return "No sum of the node can be known from them.\n";
  const power::Sensor& first = sensor_named(found, found.sum.front());
  const std::string names = fmt::format("{}", fmt::join(found.sum, " + "));
  if (first.covers == power::Covers::kNode) return fmt::format("The node's energy: {}.\n", names);
  if (first.covers == power::Covers::kPlatform)
    return fmt::format("The node's energy: {}, as far as its maker connected it.\n", names);
  return fmt::format("No sensor covers the node. The most of it that is known: {}.\n", names);
}

std::string sensors(const hardware::PowerDiscovery& found) {
  if (found.sensors.empty())
    return "Linux shows no energy meter here: no RAPL, no Cray pm_counters, none in hwmon (a "
           "virtual machine?).\n";
  render::Table table({{"sensor", render::Table::Align::kLeft},
                       {"measures", render::Table::Align::kLeft},
                       {"covers", render::Table::Align::kLeft},
                       {"unit", render::Table::Align::kLeft},
                       {"counts to"},
                       {"refresh"},
                       {"through", render::Table::Align::kLeft},
                       {"state", render::Table::Align::kLeft}});
  add_rows(table, found, "", 0);
  return table.text() + "\n" + sum(found);
}

std::string for_people(const hardware::PowerDiscovery& found) {
  std::string text = processor(found) + "\n" + clocks(found) + "\n" + sensors(found);
  if (!found.slurm.empty()) text += fmt::format("Slurm accounts for energy by {}.\n", found.slurm);
  return text;
}

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json hertz_or_null(const std::optional<Hertz>& frequency) {
  return frequency ? Json(frequency->value) : Json();
}

Json json_of(const hardware::ClockGroup& group) {
  Json entry;
  entry["pus"] = group.pus.list();
  entry["driver"] = text_or_null(group.driver);
  entry["governor"] = text_or_null(group.governor);
  entry["least_hz"] = hertz_or_null(group.least);
  entry["most_hz"] = hertz_or_null(group.most);
  entry["settable_hz"] = Json::array();
  for (const Hertz frequency : group.settable) entry["settable_hz"].push_back(frequency.value);
  entry["present_hz"] = hertz_or_null(group.present);
  return entry;
}

Json json_of(const hardware::FoundSensor& found) {
  const power::Sensor& sensor = found.sensor;
  Json entry;
  entry["name"] = sensor.name;
  entry["interface"] = sensor.interface;
  entry["measures"] = name_of(sensor.quantity);
  entry["covers"] = name_of(sensor.covers);
  entry["parent"] = text_or_null(sensor.parent);
  entry["same_as"] = text_or_null(sensor.same_as);
  entry["file"] = sensor.file;
  entry["unit"] = sensor.unit;
  entry["range"] = sensor.range == 0 ? Json() : Json(sensor.range);
  entry["refresh_s"] = sensor.refresh ? Json(sensor.refresh->value) : Json();
  entry["readable"] = found.trouble.empty();
  entry["trouble"] = text_or_null(found.trouble);
  return entry;
}

std::string as_json(const hardware::PowerDiscovery& found) {
  Json document;
  document["format"] = "huddle/meters";
  document["version"] = 1;
  document["vendor"] = text_or_null(found.vendor);
  document["model"] = text_or_null(found.model);
  document["packages"] = found.packages == 0 ? Json() : Json(found.packages);
  document["pus"] = found.pus.list();
  document["clocks"] = Json::array();
  for (const hardware::ClockGroup& group : found.clocks)
    document["clocks"].push_back(json_of(group));
  document["sensors"] = Json::array();
  for (const hardware::FoundSensor& sensor : found.sensors)
    document["sensors"].push_back(json_of(sensor));
  document["sum"] = found.sum;
  document["slurm"] = text_or_null(found.slurm);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct Options {
  std::string root = "/";
  bool json = false;
};

void discover(const Options& options) {
  if (!std::filesystem::is_directory(options.root))
    throw UsageError(fmt::format("--root {}: no such folder", options.root));
  const hardware::PowerDiscovery found = hardware::discover_power(options.root);
  render::put_out(options.json ? as_json(found) : for_people(found));
}

}  // namespace

void add_energy_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "energy", "What this node can tell about its energy and its clocks, and what it counts");
  command->require_subcommand(1);
  cli::App* discovery = command->add_subcommand(
      "discover",
      "Show the processor, its clocks, and all that Linux shows of energy and power here: RAPL, "
      "Cray's pm_counters, and sensors of hwmon, with what each covers. Those inside of others "
      "stand below them, so that no sum counts anything twice. Some can be read by root alone");
  discovery
      ->add_option("--root", options->root,
                   "look at /sys, /proc and /etc/slurm below this folder, such as a copy of "
                   "another node's")
      ->value("DIR");
  discovery->add_flag("--json", options->json, "print JSON");
  discovery->add_example("huddle energy discover");
  discovery->callback([options] { discover(*options); });
  add_energy_record(*command);
  add_energy_job(*command);
  add_energy_node(*command);
  command->add_example("huddle energy discover");
}

}  // namespace huddle::cli
