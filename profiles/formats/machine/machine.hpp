#pragma once

// The machine document: what nodes there are, and what communication, frequencies and energy cost
// on them. Described field by field in docs/formats/machine.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/machine/origin.hpp"
#include "profiles/formats/machine/unused_nodes.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The distance of two ranks, named after the innermost thing that they share.
enum class Distance : std::uint8_t { kDie, kPackage, kNode, kNetwork };
inline constexpr std::size_t kDistances = 4;

/// The word that files use: "die", "package", "node" or "network".
std::string_view name_of(Distance distance);

/// Names of the distances, indexed by Distance.
inline constexpr std::array<std::string_view, kDistances> kDistanceNames = {"die", "package",
                                                                            "node", "network"};

/// The time of one size of message, or of one size of contribution to a collective.
struct TimeOfSize {
  Bytes bytes;
  /// Above 0.
  Seconds time;
  Origin origin = Origin::kAssumed;

  friend bool operator==(const TimeOfSize&, const TimeOfSize&) = default;
};

/// One-way times of messages between two ranks at one distance while pairs of ranks exchange such
/// messages at the same time: inside one node at that distance, or, over the network, between the
/// same two nodes. Which cores of those that are at that distance the pairs use makes no difference
/// here (task aggregation, section V: symmetric placements).
struct MessageTimes {
  Distance distance = Distance::kDie;
  /// With the one that is timed: 1 is a pair alone.
  std::uint32_t pairs = 1;
  /// One or more, ascending by bytes, none twice.
  std::vector<TimeOfSize> times;

  friend bool operator==(const MessageTimes&, const MessageTimes&) = default;
};

/// Times of one call of a collective operation over ranks that are placed with one pattern.
struct CollectiveTimes {
  /// The MPI function without MPI_, in lower case: "allreduce".
  std::string operation;
  /// "2:1:2": packages, dies, cores.
  std::string pattern;
  /// 2 or more; as many nodes take part as the pattern needs for them.
  std::uint32_t ranks = 2;
  /// Times by the size of a rank's contribution to a call, in the meaning that the profile document
  /// has for it; in a broadcast or scatter, of the root's contribution. One or more, ascending,
  /// none twice.
  std::vector<TimeOfSize> times;

  friend bool operator==(const CollectiveTimes&, const CollectiveTimes&) = default;
};

/// The bandwidth that memory delivers to ranks that stream at once (triad: two arrays read, one
/// written), all in one die, in one package spread over its dies, or in one node spread over its
/// packages.
struct MemoryStream {
  /// kDie, kPackage or kNode.
  Distance within = Distance::kDie;
  std::uint32_t ranks = 1;
  /// To all of them together.
  BytesPerSecond bandwidth;
  Origin origin = Origin::kAssumed;

  friend bool operator==(const MemoryStream&, const MemoryStream&) = default;
};

/// Power of the parts of a node at one frequency of the cores, each more than idle, as in
/// PowerFigures.
struct PowerPoint {
  /// 0 or more; at 0, what a busy core would draw without a clock.
  Hertz frequency;
  Watts core;
  /// Absent: not known at this frequency.
  std::optional<Watts> package;
  std::optional<Watts> die;

  friend bool operator==(const PowerPoint&, const PowerPoint&) = default;
};

/// The cores that share one clock.
enum class ClockDomain : std::uint8_t {
  kCore,     ///< each its own
  kPackage,  ///< all of a package
};

/// The frequencies that the cores of a node may be set to, all cores alike.
struct Frequencies {
  /// Ascending, none twice, each above 0; one or more.
  std::vector<Hertz> settable;
  /// The one that runs have unless they say otherwise, and that PowerFigures are of; one of
  /// `settable`.
  Hertz nominal;
  /// Ascending, none twice, none at the nominal frequency, which has its figures in PowerFigures.
  /// Empty: what the cores draw at other frequencies is unknown.
  std::vector<PowerPoint> power;
  ClockDomain domain = ClockDomain::kCore;
  Origin origin = Origin::kAssumed;
  std::string power_source = {};  ///< who measured `power`, and when, for people; may be empty

  friend bool operator==(const Frequencies&, const Frequencies&) = default;
};

/// A state that a core can be set to. The first state of a table is the one that programs run in.
struct PowerState {
  std::string name;         ///< "1900 MHz"
  double active_w = 0;      ///< A: under load, a core
  double idle_w = 0;        ///< I: with nothing to do
  double transition_s = 0;  ///< tT: into it from the first state and back
  double transition_j = 0;  ///< ET: of both
  double frequency_hz = 0;  ///< of the core's clock; 0 if unknown

  friend bool operator==(const PowerState&, const PowerState&) = default;
};

/// The power states of a machine's cores, each with its share of what else the node draws.
struct CorePowerStates {
  /// Far beyond what processors have; a document can't make an analysis take hours.
  static constexpr std::size_t kMost = 64;

  /// 1 to kMost. The first is the one that programs run in; its transition is 0.
  std::vector<PowerState> states;
  Origin origin = Origin::kAssumed;
  std::string source;  ///< where the figures are from, for people; may be empty

  friend bool operator==(const CorePowerStates&, const CorePowerStates&) = default;
};

/// The time of a message of b bytes at one distance: latency + b / bandwidth.
struct LinkTime {
  Seconds latency;
  BytesPerSecond bandwidth;
  Origin origin = Origin::kAssumed;
};

/// Power of a node and its busy parts. Each part's figure is the power that it draws more than idle
/// while at least one rank runs on it; they add up. Where Machine::frequencies are known, they hold
/// at the nominal one.
struct PowerFigures {
  /// A node that is on and runs nothing.
  Watts idle_node;
  /// A node that is switched off or asleep, see UnusedNodes.
  Watts off_node;
  Watts package;
  Watts die;
  Watts core;
  Origin origin = Origin::kAssumed;
  std::string source = {};  ///< who measured or gave them, and when, for people; may be empty
};

/// Description of the hardware. Described field by field in docs/formats/machine.md.
struct Machine {
  static constexpr std::string_view kFormat = "machine";
  static constexpr unsigned kVersion = 1;

  std::string name;
  /// A node's topology: hwloc's synthetic form ("package:2 die:2 core:2 pu:1") or an hwloc XML
  /// document.
  std::string topology;
  /// Memory of a node that jobs may use; 0 if unknown (then memory never rules a pattern out).
  Bytes node_memory;
  /// Number of such nodes; 0 if unknown.
  std::uint32_t nodes = 0;
  /// Latency and bandwidth, indexed by Distance.
  std::array<LinkTime, kDistances> links = default_links();
  /// Measured times of messages beyond latency and bandwidth; where it is empty, `links` stand for
  /// it. Ascending by distance and pairs, none twice.
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
  /// Power of a core when it computes and when it waits, by the state that it is set to. Absent:
  /// analyses of wait states make them of `power` and `frequencies`, if those are known.
  std::optional<CorePowerStates> power_states;
  /// Absent: nothing is known, and other jobs are taken to get them.
  std::optional<UnusedNodes> unused_nodes;

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
