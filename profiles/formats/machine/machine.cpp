#include "profiles/formats/machine/machine.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/detail/machine_tables.hpp"
#include "profiles/formats/machine/machine_fields.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMostTopologyBytes = std::uint64_t{16} << 20U;

// Far beyond what processors have; a document can't make the choice take hours.
constexpr std::size_t kMostFrequencies = 256;

std::vector<Hertz> read_settable(const Field& field) {
  const std::size_t count = field.array_size();
  if (count == 0 || count > kMostFrequencies) field.fail("an array of 1 to 256 frequencies");
  std::vector<Hertz> settable;
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = field.element(i);
    const Hertz frequency{read_positive(entry)};
    if (i > 0 && frequency <= settable.back()) entry.fail("a frequency above the one before it");
    settable.push_back(frequency);
  }
  return settable;
}

std::optional<Watts> read_if_known(const Field& entry, std::string_view name) {
  if (!entry.has(name)) return std::nullopt;
  return Watts{entry.at(name).non_negative()};
}

std::vector<PowerPoint> read_points(const Field& field, Hertz nominal) {
  if (field.array_size() > kMostFrequencies) field.fail("an array of at most 256");
  std::vector<PowerPoint> points;
  field.for_each([&](const Field& entry) {
    const Field at = entry.at("hz");
    const Hertz frequency{at.non_negative()};
    if (frequency == nominal)
      at.fail("another frequency than \"nominal_hz\", whose figures are those of \"power\"");
    if (!points.empty() && frequency <= points.back().frequency)
      at.fail("a frequency above the one before it");
    points.push_back({frequency,
                      {entry.at("core_w").non_negative()},
                      read_if_known(entry, "package_w"),
                      read_if_known(entry, "die_w")});
  });
  return points;
}

constexpr std::string_view kCore = "core";
constexpr std::string_view kPackage = "package";

ClockDomain read_domain(const Field& field) {
  if (field.text() == kCore) return ClockDomain::kCore;
  if (field.text() == kPackage) return ClockDomain::kPackage;
  field.fail("\"core\" or \"package\"");
}

Frequencies read_frequencies(const Field& field) {
  Frequencies frequencies;
  frequencies.settable = read_settable(field.at("hz"));
  const Field nominal = field.at("nominal_hz");
  frequencies.nominal = {nominal.number()};
  const auto& settable = frequencies.settable;
  if (std::find(settable.begin(), settable.end(), frequencies.nominal) == settable.end())
    nominal.fail("one of the frequencies in \"hz\"");
  if (field.has("power")) frequencies.power = read_points(field.at("power"), frequencies.nominal);
  if (field.has("power_source")) frequencies.power_source = field.at("power_source").text();
  if (field.has("domain")) frequencies.domain = read_domain(field.at("domain"));
  frequencies.origin = read_origin(field.at("origin"));
  return frequencies;
}

ordered_json encoded(const Frequencies& frequencies) {
  ordered_json object;
  object["hz"] = ordered_json::array();
  for (const Hertz frequency : frequencies.settable) object["hz"].push_back(frequency.value);
  object["nominal_hz"] = frequencies.nominal.value;
  for (const PowerPoint& point : frequencies.power) {
    ordered_json entry = {{"hz", point.frequency.value}, {"core_w", point.core.value}};
    if (point.package) entry["package_w"] = point.package->value;
    if (point.die) entry["die_w"] = point.die->value;
    object["power"].push_back(std::move(entry));
  }
  if (frequencies.domain == ClockDomain::kPackage) object["domain"] = kPackage;
  object["origin"] = name_of(frequencies.origin);
  if (!frequencies.power_source.empty()) object["power_source"] = utf8(frequencies.power_source);
  return object;
}

// Beyond these a figure is a mistake in its unit, and sums of many waits would leave their range.
constexpr double kMostWatts = 1e5;
constexpr double kMostJoules = 1e6;
constexpr double kMostSeconds = 1e5;

double read_up_to(const Field& field, double most, std::string_view expected) {
  const double value = field.non_negative();
  if (value > most) field.fail(expected);
  return value;
}

double read_watts(const Field& field) {
  return read_up_to(field, kMostWatts, "the watts of a core, 0 to 1e5");
}

PowerState read_state(const Field& entry, bool first) {
  PowerState state;
  state.name = entry.at("name").text();
  if (state.name.empty()) entry.at("name").fail("a name such as \"1900 MHz\"");
  state.active_w = read_watts(entry.at("active_w"));
  if (state.active_w == 0) entry.at("active_w").fail("a number above 0");
  state.idle_w = read_watts(entry.at("idle_w"));
  if (state.idle_w > state.active_w) entry.at("idle_w").fail("no more than \"active_w\"");
  const auto of_transition = [&](std::string_view name, double most, std::string_view expected) {
    if (!entry.has(name)) return 0.0;
    const double value = read_up_to(entry.at(name), most, expected);
    if (first && value > 0) entry.at(name).fail("0, since programs run in the first state");
    return value;
  };
  state.transition_s = of_transition("transition_s", kMostSeconds, "seconds from 0 to 1e5");
  state.transition_j = of_transition("transition_j", kMostJoules, "joules from 0 to 1e6");
  if (entry.has("frequency_hz")) state.frequency_hz = read_positive(entry.at("frequency_hz"));
  return state;
}

CorePowerStates read_power_states(const Field& field) {
  CorePowerStates power_states;
  const Field states = field.at("states");
  const std::size_t count = states.array_size();
  if (count == 0 || count > CorePowerStates::kMost)
    states.fail("an array of 1 to 64 power states, the one that programs run in first");
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = states.element(i);
    PowerState state = read_state(entry, i == 0);
    const auto same_name = [&](const PowerState& other) { return other.name == state.name; };
    if (std::any_of(power_states.states.begin(), power_states.states.end(), same_name))
      entry.at("name").fail("a name that no state before it has");
    power_states.states.push_back(std::move(state));
  }
  power_states.origin = read_origin(field.at("origin"));
  if (field.has("source")) power_states.source = field.at("source").text();
  return power_states;
}

ordered_json encoded(const CorePowerStates& power_states) {
  ordered_json object;
  object["states"] = ordered_json::array();
  for (const PowerState& state : power_states.states) {
    ordered_json entry = {{"name", utf8(state.name)},
                          {"active_w", state.active_w},
                          {"idle_w", state.idle_w},
                          {"transition_s", state.transition_s},
                          {"transition_j", state.transition_j}};
    if (state.frequency_hz > 0) entry["frequency_hz"] = state.frequency_hz;
    object["states"].push_back(std::move(entry));
  }
  object["origin"] = name_of(power_states.origin);
  if (!power_states.source.empty()) object["source"] = utf8(power_states.source);
  return object;
}

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
  if (field.has("source")) power.source = field.at("source").text();
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
  if (root.has("power_states")) machine.power_states = read_power_states(root.at("power_states"));
  return machine;
}

ordered_json encoded(const Machine& machine) {
  nlohmann::ordered_json document = new_document(Machine::kFormat, Machine::kVersion);
  document["name"] = utf8(machine.name);
  document["node"]["topology"] = utf8(machine.topology);
  if (machine.node_memory.value != 0) document["node"]["memory_bytes"] = machine.node_memory.value;
  if (machine.nodes != 0) document["nodes"] = machine.nodes;
  document["links"] = ordered_json::array();
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
  if (machine.power && !machine.power->source.empty())
    document["power"]["source"] = utf8(machine.power->source);
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
