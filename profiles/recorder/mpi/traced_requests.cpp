#include "profiles/recorder/mpi/traced_requests.hpp"

#include <functional>
#include <utility>

namespace huddle::recorder {

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

// What was put behind because this slot was taken moves up (Knuth, volume 3, algorithm 6.4R).
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
