#pragma once

#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The options that say what a good pattern is: --slowdown, --objective, --frequency, and
/// --computation, which says how times are known.
struct ChoiceOptions {
  std::string slowdown = "5%";
  std::string objective = "energy";
  std::string computation = "auto";
  std::string frequency = "keep";

  /// Adds them to a command, which this object must outlive.
  void add_to(cli::App& command);

  /// What they say; the grouping is not theirs. Throws UsageError.
  [[nodiscard]] ChoiceCriteria criteria() const;
};

}  // namespace huddle
