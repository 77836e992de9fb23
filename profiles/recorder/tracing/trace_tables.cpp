#include "profiles/recorder/tracing/trace_tables.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "profiles/recorder/mpi/communicators.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

namespace {

constexpr std::uint32_t kEverybody = RecordedTrace::kEverybody;
constexpr std::uint32_t kNoGroup = RecordedTrace::kNoGroup;

template <class Number>
std::uint64_t hash_of_numbers(const Number* numbers, std::size_t count) {
  return hash_of({reinterpret_cast<const char*>(numbers), count * sizeof(Number)});  // NOLINT
}

std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
  const std::array<std::uint64_t, 2> both{a, b};
  return hash_of_numbers(both.data(), both.size());
}

class OwnedGroup {
 public:
  OwnedGroup() = default;
  ~OwnedGroup() { HUDDLE_REAL(Group_free)(&group_); }
  OwnedGroup(const OwnedGroup&) = delete;
  OwnedGroup& operator=(const OwnedGroup&) = delete;
  MPI_Group* operator&() { return &group_; }  // NOLINT: for MPI to fill in
  [[nodiscard]] MPI_Group get() const { return group_; }

 private:
  MPI_Group group_{};
};

std::vector<std::uint32_t> members_of(MPI_Comm handle) {
  OwnedGroup group;
  HUDDLE_REAL(Comm_group)(handle, &group);
  return world_ranks_of(group.get());
}

std::vector<std::uint32_t> remote_members_of(MPI_Comm handle) {
  OwnedGroup group;
  HUDDLE_REAL(Comm_remote_group)(handle, &group);
  return world_ranks_of(group.get());
}

}  // namespace

TraceTables::TraceTables() {
  int ranks = 0;
  HUDDLE_REAL(Comm_size)(world_communicator(), &ranks);
  ranks_ = static_cast<std::uint32_t>(ranks);
  int rank = 0;
  HUDDLE_REAL(Comm_rank)(world_communicator(), &rank);
  own_rank_ = static_cast<std::uint32_t>(rank);
  add(world_communicator());
  add(self_communicator());
}

const TracedCommunicator& TraceTables::find(MPI_Comm handle) {
  const std::lock_guard lock(mutex_);
  return find_locked(handle);
}

TracedCommunicator& TraceTables::find_locked(MPI_Comm handle) {
  TracedCommunicator*& known = by_handle_[handle];
  if (known == nullptr) {
    add_new(handle);
    known = &communicators_.back();
  }
  known->usable = true;
  return *known;
}

const TracedCommunicator& TraceTables::add(MPI_Comm handle) {
  const std::lock_guard lock(mutex_);
  add_new(handle);
  return *(by_handle_[handle] = &communicators_.back());
}

const TracedCommunicator& TraceTables::add_new(MPI_Comm handle) {
  TracedCommunicator traced;
  HUDDLE_REAL(Comm_rank)(handle, &traced.rank);
  int inter = 0;
  HUDDLE_REAL(Comm_test_inter)(handle, &inter);
  traced.inter = inter != 0;
  RecordedCommunicator recorded;
  std::vector<std::uint32_t> members = members_of(handle);
  recorded.self = !traced.inter && members.size() == 1;
  recorded.group = number_or_everybody(std::move(members));
  recorded.remote = traced.inter ? number_or_everybody(remote_members_of(handle)) : kNoGroup;
  const std::uint32_t peers = traced.inter ? recorded.remote : recorded.group;
  if (peers != kEverybody) traced.peers = group_by_number_[peers];
  traced.size = size_of(peers);
  return add_described(std::move(recorded), traced);
}

const TracedCommunicator& TraceTables::add_described(RecordedCommunicator recorded,
                                                     TracedCommunicator known) {
  std::uint64_t members = hash_of_group(recorded.group);
  if (known.inter) {  // both sides must give it the same key
    const std::uint64_t others = hash_of_group(recorded.remote);
    members = joined(std::min(members, others), std::max(members, others));
  }
  recorded.key = joined(members, made_[members]++);
  known.number = static_cast<std::uint32_t>(communicators_.size());
  known.windows = 0;
  recorded_.push_back(std::move(recorded));
  return communicators_.emplace_back(known);
}

void TraceTables::add_copy(MPI_Comm handle, const TracedCommunicator& original) {
  const std::lock_guard lock(mutex_);
  RecordedCommunicator recorded = recorded_[original.number];
  recorded.name.clear();
  add_described(std::move(recorded), original);
  communicators_.back().usable = false;
  by_handle_[handle] = &communicators_.back();
}

void TraceTables::forget(MPI_Comm handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto place = by_handle_.find(handle);
  if (place == by_handle_.end()) return;
  name(place->second->number, handle);
  by_handle_.erase(place);
}

void TraceTables::add_file(MPI_File handle, MPI_Comm communicator) {
  const std::lock_guard lock(mutex_);
  const TracedCommunicator& of_file = find_locked(communicator);
  recorded_[of_file.number].files = true;
  file_by_handle_[handle] = &of_file;
}

const TracedCommunicator* TraceTables::find_file(MPI_File handle) {
  const std::lock_guard lock(mutex_);
  const auto known = file_by_handle_.find(handle);
  return known == file_by_handle_.end() ? nullptr : known->second;
}

const TracedWindow& TraceTables::find_window(MPI_Win handle) {
  const std::lock_guard lock(mutex_);
  if (const auto place = window_by_handle_.find(handle); place != window_by_handle_.end())
    return *place->second;
  // Its communicator is unknown; one with the same members takes its place.
  OwnedGroup group;
  HUDDLE_REAL(Win_get_group)(handle, &group);
  RecordedCommunicator recorded;
  recorded.group = number_or_everybody(world_ranks_of(group.get()));
  recorded.remote = kNoGroup;
  TracedCommunicator traced;
  HUDDLE_REAL(Group_rank)(group.get(), &traced.rank);
  if (recorded.group != kEverybody) traced.peers = group_by_number_[recorded.group];
  traced.size = size_of(recorded.group);
  add_described(std::move(recorded), traced);
  return add_window_of(handle, communicators_.back());
}

const TracedWindow& TraceTables::add_window(MPI_Win handle, MPI_Comm communicator) {
  const std::lock_guard lock(mutex_);
  return add_window_of(handle, find_locked(communicator));
}

const TracedWindow& TraceTables::add_window_of(MPI_Win handle, TracedCommunicator& communicator) {
  const std::uint64_t key = joined(recorded_[communicator.number].key, ++communicator.windows);
  recorded_windows_.push_back({key, communicator.number});
  windows_.push_back({static_cast<std::uint32_t>(windows_.size()), &communicator});
  return *(window_by_handle_[handle] = &windows_.back());
}

void TraceTables::forget_window(MPI_Win handle) noexcept {
  const std::lock_guard lock(mutex_);
  window_by_handle_.erase(handle);
}

std::uint32_t TraceTables::group(MPI_Group group) {
  std::vector<std::uint32_t> ranks = world_ranks_of(group);
  const std::lock_guard lock(mutex_);
  return number_of(std::move(ranks));
}

// All ranks in order need no list.
std::uint32_t TraceTables::number_or_everybody(std::vector<std::uint32_t> ranks) {
  bool everybody = ranks.size() == ranks_;
  for (std::uint32_t i = 0; everybody && i < ranks_; ++i) everybody = ranks[i] == i;
  return everybody ? kEverybody : number_of(std::move(ranks));
}

std::uint32_t TraceTables::number_of(std::vector<std::uint32_t> ranks) {
  const auto [place, is_new] =
      groups_.emplace(std::move(ranks), static_cast<std::uint32_t>(group_by_number_.size()));
  if (is_new) group_by_number_.push_back(&place->first);
  return place->second;
}

std::uint32_t TraceTables::size_of(std::uint32_t group) const {
  if (group == kEverybody) return ranks_;
  return static_cast<std::uint32_t>(group_by_number_[group]->size());
}

std::uint64_t TraceTables::hash_of_group(std::uint32_t number) const {
  if (number == kEverybody) return hash_of("everybody");
  const std::vector<std::uint32_t>& ranks = *group_by_number_[number];
  return hash_of_numbers(ranks.data(), ranks.size());
}

void TraceTables::bind_message(MPI_Message handle, const TracedMessage& message) {
  const std::lock_guard lock(mutex_);
  messages_[handle] = message;
}

TracedMessage TraceTables::take_message(MPI_Message handle) noexcept {
  const std::lock_guard lock(mutex_);
  const auto place = messages_.find(handle);
  if (place == messages_.end()) return {};
  const TracedMessage message = place->second;
  messages_.erase(place);
  return message;
}

void TraceTables::describe(RecordedTrace& trace, bool with_names) {
  const std::lock_guard lock(mutex_);
  if (with_names)
    for (const auto& [handle, known] : by_handle_)
      if (known->usable) name(known->number, handle);
  trace.communicators = recorded_;
  trace.windows = recorded_windows_;
  trace.groups.clear();
  for (const auto* ranks : group_by_number_) trace.groups.push_back(*ranks);
}

void TraceTables::name(std::uint32_t number, MPI_Comm handle) noexcept {
  try {
    std::array<char, MPI_MAX_OBJECT_NAME + 1> text{};
    int length = 0;
    if (HUDDLE_REAL(Comm_get_name)(handle, text.data(), &length) == MPI_SUCCESS)
      recorded_[number].name = text.data();
  } catch (...) {  // it stays without a name
  }
}

std::size_t TracedRequests::home_of(MPI_Request handle) const {
  const std::uint64_t hash = std::hash<MPI_Request>{}(handle)*0x9e3779b97f4a7c15ULL;
  return (hash >> 32U) & (slots_.size() - 1);
}

std::size_t TracedRequests::slot_of(MPI_Request handle) const {
  std::size_t at = home_of(handle);
  while (slots_[at].first != kNone && slots_[at].handle != handle)
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

void TracedRequests::add(MPI_Request handle, const TracedRequest& request) {
  const std::lock_guard lock(mutex_);
  if (2 * (used_ + 1) > slots_.size()) grow();
  std::uint32_t entry = free_entry_;
  if (entry == kNone) {
    entry = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({request, kNone});
  } else {
    free_entry_ = entries_[entry].next;
    entries_[entry] = {request, kNone};
  }
  Slot& slot = slots_[slot_of(handle)];
  if (slot.first == kNone) {
    slot = {handle, entry, entry};
    ++used_;
  } else {
    entries_[slot.last].next = entry;
    slot.last = entry;
  }
}

std::optional<TracedRequest> TracedRequests::end(MPI_Request handle) noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t slot = slot_of(handle);
  if (slots_[slot].first == kNone) return std::nullopt;
  TracedRequest& known = entries_[slots_[slot].first].request;
  if (!known.active) return std::nullopt;
  const TracedRequest request = known;
  if (request.persistent)
    known.active = false;
  else
    remove_first(slot);
  return request;
}

std::optional<TracedRequest> TracedRequests::start(MPI_Request handle,
                                                   std::uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t slot = slot_of(handle);
  if (slots_[slot].first == kNone) return std::nullopt;
  TracedRequest& known = entries_[slots_[slot].first].request;
  known.number = number;
  known.active = true;
  return known;
}

void TracedRequests::forget(MPI_Request handle) noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t slot = slot_of(handle);
  if (slots_[slot].first != kNone) remove_first(slot);
}

void TracedRequests::remove_first(std::size_t at) {
  Slot& slot = slots_[at];
  const std::uint32_t entry = slot.first;
  slot.first = entries_[entry].next;
  entries_[entry].next = free_entry_;
  free_entry_ = entry;
  if (slot.first == kNone) free_slot(at);
}

// Entries that were put behind because this slot was taken move up (Knuth, volume 3,
// algorithm 6.4R).
void TracedRequests::free_slot(std::size_t hole) {
  const std::size_t mask = slots_.size() - 1;
  slots_[hole] = {};
  --used_;
  for (std::size_t at = (hole + 1) & mask; slots_[at].first != kNone; at = (at + 1) & mask) {
    const std::size_t home = home_of(slots_[at].handle);
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = std::exchange(slots_[at], {});
    hole = at;
  }
}

void TracedRequests::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.first != kNone) slots_[slot_of(slot.handle)] = slot;
}

}  // namespace huddle::recorder
