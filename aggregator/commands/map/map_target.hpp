#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// What `huddle map` maps to, as given.
struct TargetOptions {
  std::string hierarchy;
  std::string distance;  // empty: from the machine
  std::string pattern;
  std::string node_sizes;
};

void add_target_options(CLI::App& command, TargetOptions& options);

/// The cores that may be used. With a pattern, `hierarchy` has only the pattern's cores.
class MapTarget {
 public:
  /// `machine`: the file to take distances from if there are none in the options; may be empty.
  /// Throws UsageError, and what reading the machine document throws.
  MapTarget(const TargetOptions& options, const std::string& machine);

  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  /// For MappingOptions::node_sizes.
  [[nodiscard]] const std::vector<std::uint32_t>& node_sizes() const { return node_sizes_; }
  /// The core of the whole machine that core `core` of hierarchy() is.
  [[nodiscard]] std::uint32_t whole_core(std::uint32_t core) const;
  /// How many the whole machine has.
  [[nodiscard]] std::uint32_t whole_cores() const { return whole_.cores(); }

 private:
  Hierarchy whole_;
  Hierarchy hierarchy_;
  std::vector<std::uint32_t> node_sizes_;
};

}  // namespace huddle
