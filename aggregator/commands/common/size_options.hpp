#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/forecast/sizes/sized_runs.hpp"

namespace huddle::cli {

/// The size that an option was given; nothing if `text` is empty. Throws UsageError.
std::optional<double> asked_size(std::string_view option, const std::string& text);

/// --size-argument: where a run's problem size stands among its arguments.
struct SizeArgumentOption {
  std::vector<std::string> texts;

  /// Adds it to a command, which this object must outlive.
  void add_to(cli::App& command);
  /// Throws UsageError.
  [[nodiscard]] std::vector<forecast::SizeArgument> places() const;
};

}  // namespace huddle::cli
