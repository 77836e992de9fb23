#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

#include <optional>
#include <string>

namespace huddle {

/// The environment that a task will start with. Refers to the handle of the hook that made it.
class TaskEnvironment {
 public:
  explicit TaskEnvironment(spank_t spank) : spank_(spank) {}

  /// Nothing if not set; a value longer than 128 KiB, which no program can be given, counts as not
  /// set.
  [[nodiscard]] std::optional<std::string> get(const char* name) const;
  /// Throws Error if Slurm refuses.
  void set(const char* name, const std::string& value) const;

 private:
  spank_t spank_;
};

}  // namespace huddle
