#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"

#include <algorithm>

namespace huddle::waitstates {

bool Members::defined(std::uint32_t subject) const {
  if ((subject & kWindowSubject) == 0)
    return (subject & ~kFileSubject) < definitions_.communicators.size();
  const std::uint32_t window = subject & ~kWindowSubject;
  return window < definitions_.windows.size() &&
         definitions_.windows[window].communicator < definitions_.communicators.size();
}

const traces::TraceCommunicator& Members::communicator(std::uint32_t subject) const {
  if ((subject & kWindowSubject) == 0) return definitions_.communicators[subject & ~kFileSubject];
  return definitions_.communicators[definitions_.windows[subject & ~kWindowSubject].communicator];
}

std::uint32_t Members::count(std::uint32_t subject) const {
  const traces::TraceCommunicator& all = communicator(subject);
  return static_cast<std::uint32_t>(all.ranks.size() + all.remote.size());
}

std::uint32_t Members::first_side(std::uint32_t subject) const {
  return static_cast<std::uint32_t>(communicator(subject).ranks.size());
}

std::uint32_t Members::rank(std::uint32_t subject, std::uint32_t place) const {
  const traces::TraceCommunicator& all = communicator(subject);
  return place < all.ranks.size() ? all.ranks[place] : all.remote[place - all.ranks.size()];
}

std::uint32_t Members::place(std::uint32_t subject, std::uint32_t rank) {
  std::uint32_t& known = places_[{subject, rank}];
  if (known == 0) {
    known = 1;
    const std::uint32_t members = count(subject);
    for (std::uint32_t place = 0; place < members && known == 1; ++place)
      if (this->rank(subject, place) == rank) known = place + 2;
  }
  return known == 1 ? traces::kNobody : known - 2;
}

namespace {

// In a damaged trace members may disagree about what their n-th collective is: then they do not
// meet, and the result does not depend on who comes first.
WideKey key_of(const ReplayMessage& arrival) {
  constexpr unsigned kRootBits = 24;
  const std::uint64_t what = std::uint64_t{static_cast<std::uint8_t>(arrival.collective)}
                                 << kRootBits |
                             (arrival.root & ((1U << kRootBits) - 1));
  return {what << 32U | arrival.subject, arrival.number};
}

// How many come to it: of the root's own group between two groups only the root.
std::uint32_t expected(const ReplayMessage& arrival, std::uint32_t members,
                       std::uint32_t first_side) {
  const bool rooted = arrival.collective == traces::Collective::kFromRoot ||
                      arrival.collective == traces::Collective::kToRoot;
  if (!rooted || first_side == members || arrival.root >= members) return members;
  return 1 + (arrival.root < first_side ? members - first_side : first_side);
}

bool all_wait_for_all(traces::Collective collective) {
  return collective == traces::Collective::kBarrier || collective == traces::Collective::kAllToAll;
}

}  // namespace

void CollectiveMatcher::answer(Arrival& to, std::uint64_t until, bool known) {
  if (to.answered) return;
  to.answered = true;
  ReplayMessage message;
  message.kind = ReplayMessageKind::kAnswer;
  message.to = to.location;
  message.ticket = to.ticket;
  message.time = until;
  message.known = known;
  answer_(message);
}

std::uint32_t CollectiveMatcher::instance_of(const ReplayMessage& arrival) {
  const WideKey key = key_of(arrival);
  if (const std::uint32_t* const known = find_in(by_key_, key)) return *known;
  const std::uint32_t index = instances_.acquire();
  by_key_[key] = index;
  Instance& fresh = instances_[index];
  // What is cleared here keeps its memory.
  fresh.arrivals.clear();
  fresh.by_place.clear();
  fresh.key = key;
  fresh.collective = arrival.collective;
  fresh.members = members_.count(arrival.subject);
  fresh.first_side = members_.first_side(arrival.subject);
  fresh.expected = expected(arrival, fresh.members, fresh.first_side);
  fresh.latest[0] = fresh.latest[1] = fresh.latest_but_root = fresh.root_time = 0;
  fresh.root = traces::kNobody;
  fresh.root_came = false;
  fresh.ready = 0;
  fresh.latest_ready = 0;
  if (fresh.collective == traces::Collective::kScan) fresh.by_place.assign(fresh.members, kNoIndex);
  return index;
}

void CollectiveMatcher::note(Instance& instance, const ReplayMessage& arrival) {
  const auto number = static_cast<std::uint32_t>(instance.arrivals.size());
  instance.arrivals.push_back(
      {arrival.time, arrival.place, arrival.location, arrival.ticket, false});
  std::uint64_t& latest = instance.latest[arrival.place < instance.first_side ? 0 : 1];
  latest = std::max(latest, arrival.time);
  if (instance.root == traces::kNobody) instance.root = arrival.root;
  if (arrival.place == instance.root) {
    instance.root_came = true;
    instance.root_time = arrival.time;
  } else {
    instance.latest_but_root = std::max(instance.latest_but_root, arrival.time);
  }
  if (arrival.place < instance.by_place.size()) instance.by_place[arrival.place] = number;
}

// Each waits for those with lower places.
void CollectiveMatcher::answer_scan(Instance& instance) {
  for (; instance.ready < instance.by_place.size(); ++instance.ready) {
    const std::uint32_t next = instance.by_place[instance.ready];
    if (next == kNoIndex) return;
    Arrival& arrival = instance.arrivals[next];
    answer(arrival, instance.latest_ready);
    instance.latest_ready = std::max(instance.latest_ready, arrival.time);
  }
}

void CollectiveMatcher::answer_what_is_known(Instance& instance) {
  if (instance.collective == traces::Collective::kScan) answer_scan(instance);
  if (instance.collective != traces::Collective::kFromRoot || !instance.root_came) return;
  const bool root_is_first = instance.root < instance.first_side;
  const bool two_sides = instance.first_side < instance.members;
  // Those before the root wait for its coming; later ones are answered when they come.
  const bool is_root = instance.arrivals.back().place == instance.root;
  for (std::size_t at = is_root ? 0 : instance.arrivals.size() - 1; at < instance.arrivals.size();
       ++at) {
    Arrival& arrival = instance.arrivals[at];
    const bool is_first = arrival.place < instance.first_side;
    if (arrival.place == instance.root || (two_sides && is_first == root_is_first)) continue;
    answer(arrival, instance.root_time);
  }
}

void CollectiveMatcher::answer_all(Instance& instance) {
  const bool two_sides = instance.first_side < instance.members;
  for (Arrival& arrival : instance.arrivals) {
    std::uint64_t until = 0;
    if (all_wait_for_all(instance.collective)) {
      const int side = arrival.place < instance.first_side ? 0 : 1;
      until = instance.latest[two_sides ? 1 - side : side];
    } else if (instance.collective == traces::Collective::kToRoot &&
               arrival.place == instance.root) {
      const bool root_is_first = arrival.place < instance.first_side;
      until = two_sides ? instance.latest[root_is_first ? 1 : 0] : instance.latest_but_root;
    }
    answer(arrival, until);
  }
}

void CollectiveMatcher::arrive(const ReplayMessage& arrival) {
  const std::uint32_t index = instance_of(arrival);
  Instance& instance = instances_[index];
  note(instance, arrival);
  answer_what_is_known(instance);
  if (instance.arrivals.size() < instance.expected) {
    give_up(index);
    return;
  }
  answer_all(instance);
  forget(index);
}

void CollectiveMatcher::forget(std::uint32_t index) {
  by_key_.erase(instances_[index].key);
  instances_.release(index);
}

std::uint64_t CollectiveMatcher::give_up() {
  std::vector<std::uint32_t> all;
  for (const auto& [key, index] : by_key_) all.push_back(index);
  std::uint64_t answered = 0;
  for (const std::uint32_t index : all) answered += give_up(index);
  return answered;
}

std::vector<bool> CollectiveMatcher::lost_places(const Instance& instance) const {
  std::vector<bool> lost(instance.members);
  const auto subject = static_cast<std::uint32_t>(instance.key.high);
  const bool root_side_stays_away = instance.expected < instance.members;
  const bool root_is_first = instance.root < instance.first_side;
  for (std::uint32_t place = 0; place < instance.members; ++place) {
    const bool on_root_side = (place < instance.first_side) == root_is_first;
    if (root_side_stays_away && on_root_side && place != instance.root) continue;
    const std::uint32_t rank = members_.rank(subject, place);
    lost[place] = rank >= ended_.size() || ended_[rank];
  }
  for (const Arrival& arrival : instance.arrivals) lost[arrival.place] = false;
  return lost;
}

// The answers depend on who will never come, and not on who came first.
std::uint64_t CollectiveMatcher::give_up(std::uint32_t index) {
  if (ended_.empty()) return 0;
  Instance& instance = instances_[index];
  const std::vector<bool> lost = lost_places(instance);
  const auto lost_count = static_cast<std::size_t>(std::ranges::count(lost, true));
  if (lost_count == 0) return 0;
  const bool complete = instance.arrivals.size() + lost_count >= instance.expected;
  const std::size_t first_lost =
      static_cast<std::size_t>(std::ranges::find(lost, true) - lost.begin());
  std::uint64_t answered = 0;
  for (Arrival& arrival : instance.arrivals) {
    bool hopeless = true;
    if (instance.collective == traces::Collective::kFromRoot)
      hopeless = instance.root < lost.size() && lost[instance.root];
    if (instance.collective == traces::Collective::kScan) hopeless = arrival.place > first_lost;
    if (arrival.answered || !(hopeless || complete)) continue;
    answer(arrival, 0, false);
    ++answered;
  }
  if (!complete) return answered;
  ++given_up_;
  forget(index);
  return answered;
}

}  // namespace huddle::waitstates
