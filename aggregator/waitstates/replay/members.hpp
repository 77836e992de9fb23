#pragma once

#include <cstdint>
#include <span>

#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/replay/replay_message.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// Who takes part in the collectives of a subject: of a communicator, or a window's. Of an
/// intercommunicator, both sides, one after the other.
class Members {
 public:
  explicit Members(const TraceDefinitions& definitions) : definitions_(definitions) {}

  /// Whether the trace defines it.
  [[nodiscard]] bool defined(std::uint32_t subject) const;
  [[nodiscard]] std::uint32_t count(std::uint32_t subject) const;
  /// How many of them are on the first side; all, unless it is an intercommunicator.
  [[nodiscard]] std::uint32_t first_side(std::uint32_t subject) const;
  [[nodiscard]] std::uint32_t rank(std::uint32_t subject, std::uint32_t place) const;
  /// Of a rank; kNobody if it is none of them.
  [[nodiscard]] std::uint32_t place(std::uint32_t subject, std::uint32_t rank);

 private:
  [[nodiscard]] const TraceCommunicator& communicator(std::uint32_t subject) const;

  const TraceDefinitions& definitions_;
  FlatMap<std::uint32_t> places_;  // 0: not looked up, 1: none of them, else the place and 2
};

}  // namespace huddle
