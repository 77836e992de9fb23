// The events of a location that concern more than two ranks, and those of windows.

#include <fmt/format.h>
#include <otf2/OTF2_EvtWriter.h>

#include "profiles/traces/write/location_writer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr OTF2_RmaSyncLevel kProcesses = OTF2_RMA_SYNC_LEVEL_PROCESS;
constexpr OTF2_RmaSyncLevel kProcessesAndMemory =
    OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

}  // namespace

std::uint32_t LocationWriter::root_in(const Event& event) {
  const bool rooted =
      event.collective == Collective::kFromRoot || event.collective == Collective::kToRoot;
  if (const auto root = tables_.view(event.subject, rank_).root(event.peer, rooted)) return *root;
  throw Error(
      fmt::format("can't write a collective of rank {}: its root, rank {}, is not in "
                  "communicator {}",
                  rank_, event.peer, event.subject));
}

// OTF2 wants a begin, too. It is where the function begins that does nothing else.
std::uint64_t LocationWriter::begin_of_collective(const Event& event) {
  const std::uint64_t begin = held_enter_ ? held_enter_->time : event.time;
  release_enter();
  return begin;
}

void LocationWriter::write_collective(const Event& event) {
  const std::uint32_t communicator = tables_.communicator(event.subject);
  const std::uint32_t root = root_in(event);
  const std::uint8_t operation = tables_.operation(current_region(), event.collective);
  output_.check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, begin_of_collective(event)));
  output_.check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, event.time, operation,
                                                communicator, root, event.bytes, 0));
}

void LocationWriter::write_nonblocking_collective(const Event& event) {
  release_enter();
  if (event.kind == EventKind::kCollectiveRequest) {
    collective_requests_[event.request] = current_region();
    return output_.check(
        OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, event.time, event.request));
  }
  std::uint32_t region = kNobody;
  if (const auto begun = collective_requests_.find(event.request);
      begun != collective_requests_.end()) {
    region = begun->second;
    collective_requests_.erase(begun);
  }
  const std::uint32_t communicator = tables_.communicator(event.subject);
  output_.check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
      writer_, nullptr, event.time, tables_.operation(region, event.collective), communicator,
      root_in(event), event.bytes, 0, event.request));
}

void LocationWriter::write_window_collective(const Event& event) {
  const std::uint32_t window = tables_.window(event.subject);
  output_.check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, begin_of_collective(event)));
  OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
  if (event.kind == EventKind::kWindowCreated) {
    operation = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    output_.check(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, event.time, window));
  } else if (event.kind == EventKind::kWindowFreed) {
    operation = OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
    output_.check(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, event.time, window));
    epochs_.erase(event.subject);
  }
  output_.check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, event.time, operation,
                                                kProcessesAndMemory, window,
                                                OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
}

// Which of the four it is, tells the function around it. The end of an epoch has the group of its
// begin.
void LocationWriter::write_group_sync(const Event& event) {
  release_enter();
  const std::uint32_t window = tables_.window(event.subject);
  Epochs& epochs = epochs_[event.subject];
  const bool access =
      event.kind == EventKind::kWindowStart || event.kind == EventKind::kWindowComplete;
  const bool begins = event.kind == EventKind::kWindowStart || event.kind == EventKind::kWindowPost;
  std::uint32_t& group = access ? epochs.access : epochs.exposure;
  if (begins || event.group != kNobody) group = event.group;
  const std::uint32_t reference = group == kNobody ? OTF2_UNDEFINED_GROUP : tables_.group(group);
  output_.check(OTF2_EvtWriter_RmaGroupSync(
      writer_, nullptr, event.time, begins ? kProcesses : kProcessesAndMemory, window, reference));
}

std::uint32_t LocationWriter::communicator_of(std::uint32_t window) const {
  return tables_.own().windows[window].communicator;
}

void LocationWriter::write_one_sided(const Event& event) {
  release_enter();
  const std::uint32_t window = tables_.window(event.subject);
  const std::uint32_t communicator = communicator_of(event.subject);
  static_cast<void>(tables_.communicator(communicator));  // is there one?
  const std::uint32_t target = peer_in(communicator, event);
  const std::uint64_t number = one_sided_++;
  switch (tables_.access(current_region())) {
    case OneSidedAccess::kPut:
      return output_.check(
          OTF2_EvtWriter_RmaPut(writer_, nullptr, event.time, window, target, event.bytes, number));
    case OneSidedAccess::kGet:
      return output_.check(
          OTF2_EvtWriter_RmaGet(writer_, nullptr, event.time, window, target, event.bytes, number));
    case OneSidedAccess::kAccumulate:
      return output_.check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, event.time, window, target,
                                                    OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, event.bytes, 0,
                                                    number));
    case OneSidedAccess::kFetch:
      return output_.check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, event.time, window, target,
                                                    OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                                                    event.bytes, 0, number));
    case OneSidedAccess::kCompareAndSwap:
      return output_.check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, event.time, window, target,
                                                    OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP,
                                                    event.bytes, 0, number));
  }
}

}  // namespace huddle
