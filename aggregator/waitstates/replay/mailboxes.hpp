#pragma once

#include <cstddef>
#include <cstdint>

#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/replay/pool.hpp"

namespace huddle {

/// A message on its way, as its sender told of it.
struct MessageInFlight {
  std::uint64_t time = 0;      ///< enter of the sending call
  std::uint64_t activity = 0;  ///< of the sender
  std::uint32_t location = 0;  ///< of the sender
  std::uint32_t ticket = 0;    ///< of the sender
  std::uint32_t next = kNoIndex;
};

/// Messages on their way to the ranks of this process: for each channel, in the order they were
/// sent in. Memory goes with the messages that were sent and not yet received.
class Mailboxes {
 public:
  /// A channel: messages of one overtake each other never.
  static WideKey channel(std::uint32_t receiver, std::uint32_t sender, std::uint32_t subject,
                         std::uint32_t tag) {
    return {std::uint64_t{receiver} << 32U | sender, std::uint64_t{subject} << 32U | tag};
  }

  /// Returns the location that waits for it, or kNoIndex.
  std::uint32_t put(const WideKey& channel, const MessageInFlight& message);

  /// Takes the message behind `before` others. False if it has not come.
  bool take(const WideKey& channel, std::uint32_t before, MessageInFlight& message);

  /// put() tells that `location` waits there: once.
  void wait(const WideKey& channel, std::uint32_t location) {
    channels_[channel].waiting = location;
  }
  /// It does not wait any more.
  void leave(const WideKey& channel);

  /// Messages that nobody took. What windows' epochs tell is none.
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  struct Channel {
    std::uint32_t first = kNoIndex;
    std::uint32_t last = kNoIndex;
    std::uint32_t waiting = kNoIndex;
  };
  FlatMap<Channel> channels_;
  Pool<MessageInFlight> messages_;
  std::size_t left_ = 0;
};

}  // namespace huddle
