#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "aggregator/recommend/recommendation.hpp"

namespace huddle {

/// The options by which commands are told what a good pattern is: --slowdown, --risk, --objective,
/// --least-nodes and --frequency.
struct ChoiceOptions {
  std::string slowdown = "5%";
  std::string risk = "point";
  std::string objective = "energy";
  std::uint32_t least_nodes = 1;
  std::string frequency = "keep";

  /// Adds them to a command, which this object must outlive.
  void add_to(CLI::App& command);

  /// A share. Throws UsageError.
  [[nodiscard]] double most_slowdown() const;
  [[nodiscard]] Risk chosen_risk() const;
  [[nodiscard]] Objective chosen_objective() const;
  /// Throws UsageError.
  [[nodiscard]] std::optional<FrequencyRange> frequencies() const;
};

}  // namespace huddle
