#pragma once

// When the members of operations in which all wait for all have left them.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/replay_message.hpp"

namespace huddle {

/// Collects the departures of all members of an operation, and answers each how long it was in the
/// operation after the first one had left and the last one had come, until when it waited. No
/// member is more than one operation of a communicator ahead of another one, so that few are open
/// at a time; those that a member never leaves are never answered.
class Departures {
 public:
  using Answer = std::function<void(const ReplayMessage&)>;

  /// `members` lives longer than this.
  Departures(const Members& members, Answer answer)
      : members_(members), answer_(std::move(answer)) {}

  /// A kDeparture.
  void leave(const ReplayMessage& departure);

 private:
  struct Operation {
    std::vector<ReplayMessage> departures;
    std::uint64_t first = UINT64_MAX;  // when the first one left
    std::uint64_t last_begun = 0;      // when the last one came
  };
  const Members& members_;
  Answer answer_;
  Pool<Operation> operations_;
  FlatMap<std::uint32_t> by_key_;  // subject, number
};

}  // namespace huddle
