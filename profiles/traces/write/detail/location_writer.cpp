#include "profiles/traces/write/detail/location_writer.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_EvtWriter.h>

#include <utility>

#include "profiles/traces/write/detail/part_tables.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {

LocationWriter::LocationWriter(Otf2Output& output, PartTables& tables, std::uint32_t location)
    : output_(output),
      tables_(tables),
      location_(location),
      rank_(tables.own().locations[location].rank),
      writer_(output.open_events(location_reference(tables.own().locations[location]))) {}

void LocationWriter::write(std::span<const Event> events) {
  for (const Event& event : events) write(event);
}

std::uint64_t LocationWriter::finish() {
  release_enter();
  return output_.close_events(std::exchange(writer_, nullptr));
}

void LocationWriter::write(const Event& event) {
  if (event.time < last_time_)
    throw Error(fmt::format("can't write an event of time {} behind one of time {}", event.time,
                            last_time_));
  last_time_ = event.time;
  switch (event.kind) {
    case EventKind::kEnter:
    case EventKind::kLeave:
      return write_region(event);
    case EventKind::kSend:
    case EventKind::kIsend:
    case EventKind::kIsendComplete:
    case EventKind::kIrecvRequest:
    case EventKind::kRecv:
    case EventKind::kIrecv:
    case EventKind::kRequestTested:
    case EventKind::kRequestCancelled:
      return write_message(event);
    case EventKind::kCollectiveEnd:
      return write_collective(event);
    case EventKind::kCollectiveRequest:
    case EventKind::kCollectiveComplete:
      return write_nonblocking_collective(event);
    case EventKind::kWindowCreated:
    case EventKind::kWindowFreed:
    case EventKind::kWindowFence:
      return write_window_collective(event);
    case EventKind::kWindowPost:
    case EventKind::kWindowStart:
    case EventKind::kWindowComplete:
    case EventKind::kWindowWait:
      return write_group_sync(event);
    case EventKind::kOneSided:
      return write_one_sided(event);
    case EventKind::kTeamBegin:
    case EventKind::kTeamEnd:
      return write_team(event);
    case EventKind::kWindowLocked:
    case EventKind::kWindowUnlocked:
      return write_window_lock(event);
    case EventKind::kFileCollective:
      return write_file_access(event);
    // The recorder does not see these.
    case EventKind::kLockAcquired:
    case EventKind::kLockReleased:
      break;
  }
  throw Error(
      fmt::format("can't write an event of the unknown kind {}", static_cast<int>(event.kind)));
}

// The team's first thread makes the others, as Score-P has it.
void LocationWriter::write_team(const Event& event) {
  release_enter();
  const std::uint32_t team = tables_.team(event.subject);
  const std::vector<std::uint32_t>& members = tables_.own().teams[event.subject];
  const bool forks = !members.empty() && members[0] == location_;
  if (event.kind == EventKind::kTeamBegin) {
    if (forks)
      output_.check(OTF2_EvtWriter_ThreadFork(writer_, nullptr, event.time, OTF2_PARADIGM_OPENMP,
                                              static_cast<std::uint32_t>(members.size())));
    return output_.check(OTF2_EvtWriter_ThreadTeamBegin(writer_, nullptr, event.time, team));
  }
  output_.check(OTF2_EvtWriter_ThreadTeamEnd(writer_, nullptr, event.time, team));
  if (forks)
    output_.check(OTF2_EvtWriter_ThreadJoin(writer_, nullptr, event.time, OTF2_PARADIGM_OPENMP));
}

void LocationWriter::release_enter() {
  if (!held_enter_) return;
  output_.check(OTF2_EvtWriter_Enter(writer_, nullptr, held_enter_->time,
                                     tables_.region(held_enter_->subject)));
  held_enter_.reset();
}

void LocationWriter::write_region(const Event& event) {
  release_enter();
  const std::uint32_t reference = tables_.region(event.subject);
  if (event.kind == EventKind::kEnter) {
    regions_.push_back(event.subject);
    held_enter_ = event;
    return;
  }
  if (!regions_.empty()) regions_.pop_back();
  output_.check(OTF2_EvtWriter_Leave(writer_, nullptr, event.time, reference));
}

std::uint32_t LocationWriter::current_region() const {
  return regions_.empty() ? kNobody : regions_.back();
}

std::uint32_t LocationWriter::peer_in(std::uint32_t communicator, const Event& event) {
  if (const auto peer = tables_.view(communicator, rank_).peer(event.peer)) return *peer;
  throw Error(fmt::format("can't write an event of rank {}: rank {} is not in communicator {}",
                          rank_, event.peer, communicator));
}

void LocationWriter::write_message(const Event& event) {
  release_enter();
  switch (event.kind) {
    case EventKind::kIsendComplete:
      return output_.check(
          OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, event.time, event.request));
    case EventKind::kIrecvRequest:
      return output_.check(
          OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, event.time, event.request));
    case EventKind::kRequestTested:
      return output_.check(
          OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, event.time, event.request));
    case EventKind::kRequestCancelled:
      return output_.check(
          OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, event.time, event.request));
    default:
      break;
  }
  const std::uint32_t communicator = tables_.communicator(event.subject);
  const std::uint32_t peer = peer_in(event.subject, event);
  switch (event.kind) {
    case EventKind::kSend:
      return output_.check(OTF2_EvtWriter_MpiSend(writer_, nullptr, event.time, peer, communicator,
                                                  event.tag, event.bytes));
    case EventKind::kIsend:
      return output_.check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, event.time, peer, communicator,
                                                   event.tag, event.bytes, event.request));
    case EventKind::kRecv:
      return output_.check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, event.time, peer, communicator,
                                                  event.tag, event.bytes));
    default:
      return output_.check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, event.time, peer, communicator,
                                                   event.tag, event.bytes, event.request));
  }
}

// The events of a location that concern more than two ranks, and those of windows.

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

// The function around it shows which of the four it is. The end of an epoch has the group of its
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

void LocationWriter::write_file_access(const Event& event) {
  release_enter();
  const std::uint32_t handle = tables_.communicator(event.subject);
  const bool reads =
      tables_.own().regions.at(current_region()).name.find("read") != std::string::npos;
  const std::uint64_t number = file_accesses_++;
  output_.check(OTF2_EvtWriter_IoOperationBegin(
      writer_, nullptr, event.time, handle,
      reads ? OTF2_IO_OPERATION_MODE_READ : OTF2_IO_OPERATION_MODE_WRITE,
      OTF2_IO_OPERATION_FLAG_COLLECTIVE, event.bytes, number));
  output_.check(OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, event.time, handle,
                                                   event.bytes, number));
}

// Of one target, or where the peer is kNobody of all of them.
void LocationWriter::write_window_lock(const Event& event) {
  release_enter();
  const std::uint32_t window = tables_.window(event.subject);
  const std::uint32_t communicator = communicator_of(event.subject);
  static_cast<void>(tables_.communicator(communicator));  // is there one?
  const std::uint32_t target =
      event.peer == kNobody ? OTF2_UNDEFINED_UINT32 : peer_in(communicator, event);
  constexpr std::uint64_t kOnlyLock = 0;
  if (event.kind == EventKind::kWindowUnlocked)
    return output_.check(
        OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, event.time, window, target, kOnlyLock));
  output_.check(
      OTF2_EvtWriter_RmaAcquireLock(writer_, nullptr, event.time, window, target, kOnlyLock,
                                    event.request == 1 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
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

}  // namespace huddle::traces
