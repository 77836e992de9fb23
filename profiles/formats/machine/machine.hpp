#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/machine/machine_frequencies.hpp"
#include "profiles/formats/machine/machine_power_states.hpp"
#include "profiles/formats/machine/machine_tables.hpp"
#include "profiles/formats/machine/machine_words.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The time of a message of b bytes at one distance: latency + b / bandwidth.
struct LinkTime {
  Seconds latency;
  BytesPerSecond bandwidth;
  Origin origin = Origin::kAssumed;
};

/// What a node and its busy parts draw. Each part's figure is what it draws more than idle while at
/// least one rank runs on it; they add up. Where Machine::frequencies are known, they hold at the
/// nominal one.
struct PowerFigures {
  /// A node that is on and runs nothing.
  Watts idle_node;
  /// A node that is switched off or asleep.
  Watts off_node;
  Watts package;
  Watts die;
  Watts core;
  Origin origin = Origin::kAssumed;
};

/// What the hardware is. Described field by field in docs/formats/machine.md.
struct Machine {
  static constexpr std::string_view kFormat = "machine";
  static constexpr unsigned kVersion = 1;

  std::string name;
  /// A node's topology: hwloc's synthetic form ("package:2 die:2 core:2 pu:1") or an hwloc XML
  /// document.
  std::string topology;
  /// Memory of a node that jobs may use; 0 if unknown (then memory never rules a pattern out).
  Bytes node_memory;
  /// How many such nodes there are; 0 if unknown.
  std::uint32_t nodes = 0;
  /// By Distance.
  std::array<LinkTime, kDistances> links = default_links();
  /// What was found out about messages beyond latency and bandwidth; where it is empty, `links`
  /// stand for it. Ascending by distance and pairs, none twice.
  std::vector<MessageTimes> messages;
  /// The same of collectives; ascending by operation, pattern (by its numbers) and ranks.
  std::vector<CollectiveTimes> collectives;
  /// Ascending by what they are within and by ranks.
  std::vector<MemoryStream> memory_streams;
  /// Absent: no energy can be predicted.
  std::optional<PowerFigures> power;
  /// Absent: nothing is known of the frequencies of the cores, and none but the one that runs have
  /// can be considered.
  std::optional<Frequencies> frequencies;
  /// What a core draws when it computes and when it waits, by the state that it is set to. Absent:
  /// analyses of wait states make them of `power` and `frequencies`, if those are known.
  std::optional<CorePowerStates> power_states;

  /// Figures of the right order for a current cluster; their origin says "assumed".
  static std::array<LinkTime, kDistances> default_links();

  [[nodiscard]] const LinkTime& link(Distance distance) const {
    return links[static_cast<std::size_t>(distance)];
  }
};

/// Throws SystemError or FormatError.
Machine load_machine(const std::filesystem::path& path);
Machine parse_machine(std::string_view bytes, std::string_view file);

/// Writes atomically. Throws SystemError.
void save_machine(const Machine& machine, const std::filesystem::path& path);
/// The document as text.
std::string to_json(const Machine& machine);

}  // namespace huddle
