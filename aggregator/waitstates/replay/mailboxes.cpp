#include "aggregator/waitstates/replay/mailboxes.hpp"

#include <utility>

#include "aggregator/waitstates/replay/replay_message.hpp"

namespace huddle {
namespace {

bool is_message(const WideKey& channel) {
  return (channel.low >> 32U & kWindowSubject) == 0;
}

}  // namespace

std::uint32_t Mailboxes::put(const WideKey& channel, const MessageInFlight& message) {
  const std::uint32_t index = messages_.acquire();
  messages_[index] = message;
  messages_[index].next = kNoIndex;
  if (is_message(channel)) ++left_;
  Channel& there = channels_[channel];
  (there.first == kNoIndex ? there.first : messages_[there.last].next) = index;
  there.last = index;
  return std::exchange(there.waiting, kNoIndex);
}

bool Mailboxes::take(const WideKey& channel, std::uint32_t before, MessageInFlight& message) {
  Channel* const there = channels_.find(channel);
  if (there == nullptr) return false;
  std::uint32_t previous = kNoIndex;
  std::uint32_t index = there->first;
  for (; before > 0 && index != kNoIndex; --before) {
    previous = index;
    index = messages_[index].next;
  }
  if (index == kNoIndex) return false;
  message = messages_[index];
  (previous == kNoIndex ? there->first : messages_[previous].next) = message.next;
  if (there->last == index) there->last = previous;
  messages_.release(index);
  if (is_message(channel)) --left_;
  // Channels go when they are empty: programs may use a new tag for every message.
  if (there->first == kNoIndex && there->waiting == kNoIndex) channels_.erase(channel);
  return true;
}

void Mailboxes::leave(const WideKey& channel) {
  Channel* const there = channels_.find(channel);
  if (there == nullptr) return;
  there->waiting = kNoIndex;
  if (there->first == kNoIndex) channels_.erase(channel);
}

}  // namespace huddle
