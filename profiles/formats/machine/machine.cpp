#include "profiles/formats/machine/machine.hpp"

#include <optional>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine_fields.hpp"
#include "profiles/formats/machine/machine_frequencies_json.hpp"
#include "profiles/formats/machine/machine_power_states_json.hpp"
#include "profiles/formats/machine/machine_tables_json.hpp"
#include "profiles/files/atomic_file.hpp"

namespace huddle {
namespace {

constexpr std::uint64_t kMostTopologyBytes = std::uint64_t{16} << 20U;

PowerFigures read_power(const Field& field) {
  const auto watts = [&](std::string_view name) {
    const double value = field.at(name).number();
    if (value < 0) field.at(name).fail("a number from 0");
    return Watts{value};
  };
  PowerFigures power;
  power.idle_node = watts("idle_node_w");
  if (field.has("off_node_w")) power.off_node = watts("off_node_w");
  power.package = watts("package_w");
  power.die = watts("die_w");
  power.core = watts("core_w");
  power.origin = read_origin(field.at("origin"));
  return power;
}

Machine read_machine(const Document& document) {
  const Field root = document.root();
  Machine machine;
  machine.name = root.at("name").text();
  const Field node = root.at("node");
  const Field topology = node.at("topology");
  machine.topology = topology.text();
  if (machine.topology.empty() || machine.topology.size() > kMostTopologyBytes)
    topology.fail("hwloc's synthetic form or an hwloc XML document");
  machine.node_memory.value =
      node.has("memory_bytes") ? node.at("memory_bytes").unsigned_integer() : 0;
  machine.nodes = root.has("nodes") ? root.at("nodes").unsigned_32() : 0;
  if (root.has("links")) {
    root.at("links").for_each([&](const Field& entry) {
      const Distance distance = read_distance(entry.at("distance"));
      machine.links[static_cast<std::size_t>(distance)] = {
          {read_positive(entry.at("latency_s"))},
          {read_positive(entry.at("bandwidth_bytes_per_s"))},
          read_origin(entry.at("origin"))};
    });
  }
  if (root.has("messages")) machine.messages = read_messages(root.at("messages"));
  if (root.has("collectives")) machine.collectives = read_collectives(root.at("collectives"));
  if (root.has("memory_streams"))
    machine.memory_streams = read_memory_streams(root.at("memory_streams"));
  if (root.has("power")) machine.power = read_power(root.at("power"));
  if (root.has("frequencies")) machine.frequencies = read_frequencies(root.at("frequencies"));
  if (root.has("power_states"))
    machine.power_states = read_power_states(root.at("power_states"));
  return machine;
}

nlohmann::ordered_json encoded(const Machine& machine) {
  nlohmann::ordered_json document = new_document(Machine::kFormat, Machine::kVersion);
  document["name"] = utf8(machine.name);
  document["node"]["topology"] = utf8(machine.topology);
  if (machine.node_memory.value != 0) document["node"]["memory_bytes"] = machine.node_memory.value;
  if (machine.nodes != 0) document["nodes"] = machine.nodes;
  document["links"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < kDistances; ++i) {
    const LinkTime& link = machine.links[i];
    document["links"].push_back({{"distance", kDistanceNames[i]},
                                 {"latency_s", link.latency.value},
                                 {"bandwidth_bytes_per_s", link.bandwidth.value},
                                 {"origin", name_of(link.origin)}});
  }
  if (!machine.messages.empty()) document["messages"] = encoded(machine.messages);
  if (!machine.collectives.empty()) document["collectives"] = encoded(machine.collectives);
  if (!machine.memory_streams.empty()) document["memory_streams"] = encoded(machine.memory_streams);
  if (machine.power)
    document["power"] = {{"idle_node_w", machine.power->idle_node.value},
                         {"off_node_w", machine.power->off_node.value},
                         {"package_w", machine.power->package.value},
                         {"die_w", machine.power->die.value},
                         {"core_w", machine.power->core.value},
                         {"origin", name_of(machine.power->origin)}};
  if (machine.frequencies) document["frequencies"] = encoded(*machine.frequencies);
  if (machine.power_states) document["power_states"] = encoded(*machine.power_states);
  return document;
}

}  // namespace

std::array<LinkTime, kDistances> Machine::default_links() {
  return {{{{2e-7}, {8e9}, Origin::kAssumed},
           {{3e-7}, {6e9}, Origin::kAssumed},
           {{6e-7}, {4e9}, Origin::kAssumed},
           {{2e-6}, {3e9}, Origin::kAssumed}}};
}

Machine parse_machine(std::string_view bytes, std::string_view file) {
  return read_machine(Document::parse(bytes, file, Machine::kFormat, Machine::kVersion));
}

Machine load_machine(const std::filesystem::path& path) {
  const DocumentLimits limits{.file_bytes = std::uint64_t{64} << 20U};
  return read_machine(Document::load(path, Machine::kFormat, Machine::kVersion, limits));
}

void save_machine(const Machine& machine, const std::filesystem::path& path) {
  save_json(path, encoded(machine));
}

std::string to_json(const Machine& machine) {
  return encoded(machine).dump(1) + "\n";
}

}  // namespace huddle
