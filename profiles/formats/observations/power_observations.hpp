#pragma once

// Power of a node, observed for each occupation of its parts.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle {

/// The busy parts of a node; its levels are those of a machine document.
struct Occupation {
  /// Busy ones, in the whole node. No more packages than dies, and no more dies than cores.
  std::uint32_t packages = 0;
  std::uint32_t dies = 0;
  std::uint32_t cores = 0;
  /// Mean clock of the busy cores; 0: no core is busy, or the clock is not known.
  std::uint32_t mhz = 0;

  friend auto operator<=>(const Occupation&, const Occupation&) = default;
};

/// Time and energy of an occupation.
struct ObservedPower {
  Seconds time;
  Joules energy;

  /// Precondition: the time is above 0.
  [[nodiscard]] Watts mean() const { return Watts{energy.value / time.value}; }
  friend bool operator==(const ObservedPower&, const ObservedPower&) = default;
};

/// One node's observations: sums, which stay small however much is added. Described field by field
/// in docs/formats/power-observations.md.
struct PowerObservations {
  static constexpr std::string_view kFormat = "power-observations";
  static constexpr unsigned kVersion = 1;
  /// Jobs are put into so many groups by their numbers, so that what some show can be held against
  /// others.
  static constexpr std::uint32_t kGroups = 8;
  /// More sums than that are not kept.
  static constexpr std::size_t kMost = 2000;

  std::string node;
  /// All of the node; `mhz` is 0.
  Occupation whole;
  /// The sensors whose energy this is, none of which counts what another one does; and whether that
  /// is all that the node draws.
  std::vector<std::string> sensors;
  bool of_whole_node = false;
  /// When the first and the last of it was added.
  UtcTime begin;
  UtcTime end;
  struct Key {
    Occupation occupation;
    /// Below kGroups.
    std::uint32_t group = 0;

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// All times are above 0.
  std::map<Key, ObservedPower> sums;

  /// Without effect where there are kMost others already.
  void add(const Key& key, const ObservedPower& observed, UtcTime now);

  friend bool operator==(const PowerObservations&, const PowerObservations&) = default;
};

/// On one line.
std::string to_json(const PowerObservations& observations);
/// `source` is what errors name. Throws FormatError.
PowerObservations parse_power_observations(std::string_view text, std::string_view source);
/// A file of at most 1 MiB. Throws SystemError or FormatError.
PowerObservations load_power_observations(const std::filesystem::path& path);

}  // namespace huddle
