#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::traces {

/// Looks after what trace.hpp promises, whatever the file's bytes are: for tests with damaged ones.
/// Of one location.
class EventPromises {
 public:
  explicit EventPromises(const TraceDefinitions& definitions) : definitions_(definitions) {}

  /// Empty, or what is broken.
  std::string look_at(std::span<const Event> events);

 private:
  std::string look_at(const Event& event);

  const TraceDefinitions& definitions_;
  std::uint64_t time_ = 0;
  std::vector<std::uint32_t> nesting_;
};

/// The same of definitions: each index in them is one.
std::string broken_in(const TraceDefinitions& definitions);

}  // namespace huddle::traces
