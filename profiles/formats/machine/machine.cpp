#include "profiles/formats/machine/machine.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/formats/machine/detail/machine_tables.hpp"
#include "profiles/formats/machine/machine_fields.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMostTopologyBytes = std::uint64_t{16} << 20U;

// Far beyond what processors have; a document can't make the choice take hours.
constexpr std::size_t kMostFrequencies = 256;

constexpr std::array<std::string_view, 2> kClockDomains = {"core", "package"};

// Beyond these a figure is a mistake in its unit, and sums of many waits would leave their range.
constexpr double kMostWatts = 1e5;
constexpr double kMostJoules = 1e6;
constexpr double kMostSeconds = 1e5;
constexpr double kMostSleepAfter = 1e9;

auto up_to(double most, std::string_view expected) {
  return [most, expected](const Field& field, double value) {
    kNotNegative(field, value);
    if (value > most) field.fail(expected);
  };
}

void check_settable(const Field& field, const std::vector<Hertz>& settable) {
  if (settable.empty() || settable.size() > kMostFrequencies)
    field.fail("an array of 1 to 256 frequencies");
  for (std::size_t i = 0; i < settable.size(); ++i) {
    kAboveZero(field.element(i), settable[i]);
    if (i > 0 && settable[i] <= settable[i - 1])
      field.element(i).fail("a frequency above the one before it");
  }
}

void check_points(const Field& field, const std::vector<PowerPoint>& points, Hertz nominal) {
  if (points.size() > kMostFrequencies) field.fail("an array of at most 256");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Field at = field.element(i).at("hz");
    if (points[i].frequency == nominal)
      at.fail("another frequency than \"nominal_hz\", whose figures are those of \"power\"");
    if (i > 0 && points[i].frequency <= points[i - 1].frequency)
      at.fail("a frequency above the one before it");
  }
}

void check_states(const Field& field, const std::vector<PowerState>& states) {
  if (states.empty() || states.size() > CorePowerStates::kMost)
    field.fail("an array of 1 to 64 power states, the one that programs run in first");
  for (const auto& [name, value] : {std::pair("transition_s", states[0].transition_s),
                                    std::pair("transition_j", states[0].transition_j)})
    if (value > 0) field.element(0).at(name).fail("0, since programs run in the first state");
  for (auto state = states.begin(); state != states.end(); ++state)
    if (std::any_of(states.begin(), state,
                    [&](const PowerState& other) { return other.name == state->name; }))
      field.element(static_cast<std::size_t>(state - states.begin()))
          .at("name")
          .fail("a name that no state before it has");
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, PowerPoint>& point) {
  members.required("hz", point.frequency);
  members.required("core_w", point.core);
  members.optional("package_w", point.package);
  members.optional("die_w", point.die);
}

template <class Members>
void describe(Members& members, In<Members, Frequencies>& frequencies) {
  members.required("hz", frequencies.settable, check_settable);
  members.required("nominal_hz", frequencies.nominal, [&](const Field& field, Hertz nominal) {
    if (std::ranges::find(frequencies.settable, nominal) == frequencies.settable.end())
      field.fail("one of the frequencies in \"hz\"");
  });
  members.optional("power", frequencies.power,
                   [&](const Field& field, const std::vector<PowerPoint>& points) {
                     check_points(field, points, frequencies.nominal);
                   });
  members.optional("domain", named(frequencies.domain, kClockDomains, "\"core\" or \"package\""));
  members.required("origin", named_origin(frequencies.origin));
  members.optional("power_source", frequencies.power_source);
}

template <class Members>
void describe(Members& members, In<Members, PowerState>& state) {
  constexpr std::string_view kWatts = "the watts of a core, 0 to 1e5";
  members.required("name", state.name, [](const Field& field, const std::string& name) {
    if (name.empty()) field.fail("a name such as \"1900 MHz\"");
  });
  members.required("active_w", state.active_w, up_to(kMostWatts, kWatts), kAboveZero);
  members.required("idle_w", state.idle_w, up_to(kMostWatts, kWatts),
                   [&](const Field& field, double idle_w) {
                     if (idle_w > state.active_w) field.fail("no more than \"active_w\"");
                   });
  members.given("transition_s", state.transition_s, up_to(kMostSeconds, "seconds from 0 to 1e5"));
  members.given("transition_j", state.transition_j, up_to(kMostJoules, "joules from 0 to 1e6"));
  members.optional("frequency_hz", state.frequency_hz, kAboveZero);
}

template <class Members>
void describe(Members& members, In<Members, CorePowerStates>& power_states) {
  members.required("states", power_states.states, check_states);
  members.required("origin", named_origin(power_states.origin));
  members.optional("source", power_states.source);
}

template <class Members>
void describe(Members& members, In<Members, PowerFigures>& power) {
  members.required("idle_node_w", power.idle_node);
  members.given("off_node_w", power.off_node);
  members.required("package_w", power.package);
  members.required("die_w", power.die);
  members.required("core_w", power.core);
  members.required("origin", named_origin(power.origin));
  members.optional("source", power.source);
}

// The members of all, and of each group.
template <class Members>
void describe_fate(Members& members, In<Members, UnusedNode>& node) {
  members.required("become", named(node.fate, kNodeFateNames, kExpectedNodeFate));
  members.unless(Seconds{0}, "sleep_after_s", node.sleeps_after,
                 [&](const Field& field, Seconds time) {
                   if (time > Seconds{kMostSleepAfter}) field.fail("seconds from 0 to 1e9");
                   if (time > Seconds{0} && node.fate != NodeFate::kSleeps)
                     field.fail("nothing, since such nodes do not sleep");
                 });
}

template <class Members>
void describe(Members& members, In<Members, UnusedGroup>& group) {
  members.required("nodes", group.nodes, at_least(1U));
  describe_fate(members, group);
  members.optional("partitions", group.partitions);
}

template <class Members>
void describe(Members& members, In<Members, UnusedNodes>& unused) {
  describe_fate(members, unused);
  members.optional("groups", unused.groups);
  members.required("origin", named_origin(unused.origin));
  members.optional("source", unused.source);
}

template <class Members>
void describe(Members& members, In<Members, LinkTime>& link) {
  members.required("latency_s", link.latency, kAboveZero);
  members.required("bandwidth_bytes_per_s", link.bandwidth, kAboveZero);
  members.required("origin", named_origin(link.origin));
}

namespace {

void read_links(const Field& field, Machine& machine) {
  field.for_each([&](const Field& entry) {
    Distance distance{};
    named_distance(distance).read(entry.at("distance"));
    read_value(entry, machine.links[static_cast<std::size_t>(distance)]);
  });
}

ordered_json json_of_links(const Machine& machine) {
  ordered_json links = ordered_json::array();
  for (std::size_t i = 0; i < kDistances; ++i) {
    links.push_back({{"distance", kDistanceNames[i]}});
    links.back().update(object_of(machine.links[i]));
  }
  return links;
}

// A table whose entries are put together and in order as they are read.
template <class Members, class Entries, class Entry>
void describe_table(Members& members, std::string_view name, Entries& entries,
                    std::vector<Entry> (*read)(const Field&)) {
  if (!members.present(name, !entries.empty())) return;
  if constexpr (Members::kReads)
    entries = read(members.object().at(name));
  else
    members.json(name, encoded(entries));
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, Machine>& machine) {
  members.required("name", machine.name);
  members.within("node", [&](auto& node) {
    node.required("topology", machine.topology, [](const Field& field, const std::string& text) {
      if (text.empty() || text.size() > kMostTopologyBytes)
        field.fail("hwloc's synthetic form or an hwloc XML document");
    });
    node.optional("memory_bytes", machine.node_memory);
  });
  members.optional("nodes", machine.nodes);
  if constexpr (Members::kReads)
    members.check("links", [&](const Field& field) { read_links(field, machine); });
  else
    members.json("links", json_of_links(machine));
  describe_table(members, "messages", machine.messages, read_messages);
  describe_table(members, "collectives", machine.collectives, read_collectives);
  describe_table(members, "memory_streams", machine.memory_streams, read_memory_streams);
  members.optional("power", machine.power);
  members.optional("frequencies", machine.frequencies);
  members.optional("power_states", machine.power_states);
  members.optional("unused_nodes", machine.unused_nodes);
}

std::array<LinkTime, kDistances> Machine::default_links() {
  return {{{{2e-7}, {8e9}, Origin::kAssumed},
           {{3e-7}, {6e9}, Origin::kAssumed},
           {{6e-7}, {4e9}, Origin::kAssumed},
           {{2e-6}, {3e9}, Origin::kAssumed}}};
}

Machine parse_machine(std::string_view bytes, std::string_view file) {
  return parse_document<Machine>(bytes, file);
}

Machine load_machine(const std::filesystem::path& path) {
  return load_document<Machine>(path, {.file_bytes = std::uint64_t{64} << 20U});
}

void save_machine(const Machine& machine, const std::filesystem::path& path) {
  save_json(path, document_of(machine));
}

std::string to_json(const Machine& machine) {
  return document_of(machine).dump(1) + "\n";
}

}  // namespace huddle
