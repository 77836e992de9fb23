// huddle energy node: what this node took since it was started, as its huddle-energyd knows.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/energy/asking.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

struct NodeOptions {
  std::string socket = kEnergySocket;
  bool json = false;
};

std::string figure_or_dash(const std::optional<Watts>& watts) {
  return watts ? fmt::format("{:.4g}", watts->value) : "-";
}

std::string table_of_sensors(const EnergyAnswer& answer) {
  if (answer.sensors.empty()) return "This node has no sensors of energy or power.\n";
  Table table({{"sensor", Table::Align::kLeft},
               {"energy J"},
               {"of no job J"},
               {"idle W"},
               {"now W"},
               {"known s"},
               {"lost s"},
               {"state", Table::Align::kLeft}});
  for (const AnsweredSensor& sensor : answer.sensors) {
    const bool is_known = sensor.known > Seconds{0};
    const char* const fine = sensor.measures == "power" ? "integrated from power" : "counted";
    table.add({sensor.name, is_known ? fmt::format("{:.6g}", sensor.energy.value) : "-",
               is_known && sensor.in_sum ? fmt::format("{:.6g}", sensor.unattributed.value) : "-",
               figure_or_dash(sensor.idle_power), figure_or_dash(sensor.power),
               fmt::format("{:.1f}", sensor.known.value), fmt::format("{:.1f}", sensor.lost.value),
               sensor.trouble.empty() ? fine : sensor.trouble});
  }
  return table.text() +
         "\nSince huddle-energyd began on this node after its last start. Jobs get "
         "the energy of the sensors that have a figure for no job; those add up to "
         "the node.\n";
}

std::string json_of_sensors(const EnergyAnswer& answer) {
  const auto or_null = [](const std::optional<Watts>& watts) {
    return watts ? Json(watts->value) : Json();
  };
  Json document;
  document["as_of_s"] = answer.as_of.value;
  document["lateness_s"] = answer.lateness.value;
  document["sensors"] = Json::array();
  for (const AnsweredSensor& sensor : answer.sensors) {
    Json entry;
    entry["name"] = utf8(sensor.name);
    entry["covers"] = sensor.covers;
    entry["measures"] = sensor.measures;
    entry["in_sum"] = sensor.in_sum;
    entry["energy_j"] = sensor.known > Seconds{0} ? Json(sensor.energy.value) : Json();
    entry["unattributed_j"] = sensor.in_sum ? Json(sensor.unattributed.value) : Json();
    entry["idle_w"] = or_null(sensor.idle_power);
    entry["power_w"] = or_null(sensor.power);
    entry["known_s"] = sensor.known.value;
    entry["lost_s"] = sensor.lost.value;
    entry["trouble"] = sensor.trouble.empty() ? Json() : Json(utf8(sensor.trouble));
    document["sensors"].push_back(std::move(entry));
  }
  return document.dump(1) + "\n";
}

void show_node(const NodeOptions& options) {
  const EnergyAnswer answer = answer_of_energyd({EnergyRequest::About::kNode, 0}, options.socket);
  put_out(options.json ? json_of_sensors(answer) : table_of_sensors(answer));
}

}  // namespace

void add_energy_node(cli::App& energy) {
  auto options = std::make_shared<NodeOptions>();
  cli::App* command = energy.add_subcommand(
      "node",
      "Print what this node took since it was started, whoever used it, as its huddle-energyd "
      "knows, and how much of it belongs to no job. For root, and for whom the site lets know "
      "(energy.readers in huddle.toml)");
  command->add_option("--socket", options->socket)->hide();
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle energy node", "as root");
  command->callback([options] { show_node(*options); });
}

}  // namespace huddle
