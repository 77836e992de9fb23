#include "aggregator/waitstates/replay/detail/matching.hpp"

#include <algorithm>
#include <utility>

#include "aggregator/waitstates/replay/detail/replay_message.hpp"

namespace huddle::waitstates {
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
  Channel* const there = find_in(channels_, channel);
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
  Channel* const there = find_in(channels_, channel);
  if (there == nullptr) return;
  there->waiting = kNoIndex;
  if (there->first == kNoIndex) channels_.erase(channel);
}

std::uint32_t AccessEpochs::open(std::uint32_t window, std::uint32_t group) {
  const std::uint32_t index = epochs_.acquire();
  epochs_[index] = AccessEpoch{};
  epochs_[index].window = window;
  epochs_[index].group = group;
  current_[window] = index;
  return index;
}

std::uint32_t AccessEpochs::current(std::uint32_t window) const {
  const auto known = current_.find(window);
  return known == current_.end() ? kNoIndex : known->second;
}

// The lower rank of two that posted at the same time, so that the order of arrival does not matter.
void AccessEpochs::note(AccessEpoch& epoch, const Post& post) {
  const bool later =
      post.time > epoch.last_post || (post.time == epoch.last_post && post.rank < epoch.last_rank);
  if (!later) return;
  epoch.last_post = post.time;
  epoch.last_activity = post.activity;
  epoch.last_rank = post.rank;
}

bool AccessEpochs::await(std::uint32_t epoch, const std::vector<std::uint32_t>& targets) {
  AccessEpoch& waiting = epochs_[epoch];
  waiting.registered = true;
  for (const std::uint32_t target : targets) {
    Unmatched& unmatched = unmatched_[{waiting.window, target}];
    if (unmatched.posts.empty()) {
      unmatched.epochs.push_back(epoch);
      ++waiting.missing;
    } else {
      note(waiting, unmatched.posts[0]);
      unmatched.posts.pop_front();
    }
  }
  return waiting.missing == 0;
}

std::uint32_t AccessEpochs::post(std::uint32_t window, const Post& post) {
  Unmatched& unmatched = unmatched_[{window, post.rank}];
  if (unmatched.epochs.empty()) {
    unmatched.posts.push_back(post);
    return kNoIndex;
  }
  const std::uint32_t index = unmatched.epochs[0];
  unmatched.epochs.pop_front();
  note(epochs_[index], post);
  return --epochs_[index].missing == 0 ? index : kNoIndex;
}

bool TeamBarriers::has(std::uint32_t team, std::uint32_t location) const {
  if (team >= teams_.size()) return false;
  const std::vector<std::uint32_t>& members = teams_[team];
  const std::uint32_t rank = definitions_.locations[location].rank;
  const bool of_one_rank = std::ranges::all_of(members, [&](std::uint32_t member) {
    return member < definitions_.locations.size() && definitions_.locations[member].rank == rank;
  });
  return of_one_rank && std::ranges::find(members, location) != members.end();
}

std::uint64_t TeamBarriers::arrive(std::uint32_t team, std::uint32_t location, std::uint64_t time) {
  const std::uint64_t number = next_[{team, location}]++;
  Barrier& barrier = barriers_[{team, number}];
  barrier.latest = std::max(barrier.latest, time);
  if (++barrier.came == teams_[team].size())
    for (const std::uint32_t member : teams_[team]) wake_(member);
  return number;
}

const std::uint64_t* TeamBarriers::complete(std::uint32_t team, std::uint64_t number) {
  const Barrier* const barrier = find_in(barriers_, {team, number});
  const bool all = barrier != nullptr && barrier->came >= teams_[team].size();
  return all ? &barrier->latest : nullptr;
}

void TeamBarriers::leave(std::uint32_t team, std::uint64_t number) {
  Barrier* const barrier = find_in(barriers_, {team, number});
  if (barrier != nullptr && ++barrier->left == teams_[team].size()) barriers_.erase({team, number});
}

bool TeamBarriers::hopeless(std::uint32_t team, std::uint64_t number,
                            const std::vector<bool>& ended_locations) {
  return std::ranges::any_of(teams_[team], [&](std::uint32_t member) {
    const std::uint64_t* const next = find_in(next_, {team, member});
    const bool came = next != nullptr && *next > number;
    return !came && (member >= ended_locations.size() || ended_locations[member]);
  });
}

}  // namespace huddle::waitstates
