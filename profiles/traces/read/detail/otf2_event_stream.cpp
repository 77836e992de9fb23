#include "profiles/traces/read/detail/otf2_event_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/traces/detail/mpi_functions.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::otf2 {

std::vector<std::string> ReadingRemarks::sentences(bool at_end) const {
  std::vector<std::string> out;
  const auto add = [&out](std::uint64_t count, std::string_view one, std::string_view several,
                          std::string_view so) {
    if (count > 0) out.push_back(fmt::format("{}{}", pluralize(count, one, several), so));
  };
  if (times_fell > 0)
    out.push_back(fmt::format("{} before that of the event before, by {} at most: set to the same.",
                              pluralize(times_fell, "time was", "times were"),
                              pluralize(largest_fall, "tick")));
  add(before_begin, "time was", "times were", " before the trace's begin: set to it.");
  add(unknown_regions, "time", "times",
      " a region that is not defined was entered or left: left out.");
  add(unknown_communicators, "event in a communicator, window or team that is",
      "events in communicators, windows or teams that are", " not defined: left out.");
  add(unknown_peers, "event with a rank that its communicator does not have",
      "events with a rank that their communicator does not have", ": its peer is not known.");
  add(left_without_enter, "region was", "regions were",
      " left that had not been entered: left out.");
  add(closed_by_outer, "region was not left before the one around it",
      "regions were not left before the one around them", ": left at the same time.");
  add(lone_syncs, "synchronisation", "synchronisations",
      " of windows outside of MPI_Win_post, start, complete, wait and test: left out.");
  if (!at_end) return out;
  if (collectives_begun > collectives_ended)
    add(collectives_begun - collectives_ended, "collective operation has",
        "collective operations have",
        " no end (nonblocking ones of a tool that does not record it): left out.");
  if (receives_posted > receives_ended)
    add(receives_posted - receives_ended, "nonblocking receive has no end: its message is",
        "nonblocking receives have no end: their messages are", " not known.");
  if (sends_begun > sends_ended)
    add(sends_begun - sends_ended, "nonblocking send has", "nonblocking sends have", " no end.");
  return out;
}

Otf2EventStream::Otf2EventStream(const ResolvedTrace& trace, std::uint32_t location,
                                 LocalDefinitions local, const std::filesystem::path& file,
                                 std::uint64_t chunk_bytes,
                                 std::shared_ptr<DescriptorBudget> budget)
    : trace_(trace),
      declared_events_(trace.definitions.locations[location].events),
      records_(file, chunk_bytes, std::move(budget)),
      lookup_(trace, local, trace.definitions.locations[location].rank),
      clock_(trace.begin, std::move(local.clock_offsets)) {}

std::size_t Otf2EventStream::read(std::span<traces::Event> into) {
  out_.begin(into);
  try {
    while (!out_.full() && !at_end_ && !failure_) {
      if (records_.next())
        take_record();
      else
        at_end_ = true;
    }
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
  if (failure_ && out_.filled() == 0) std::rethrow_exception(failure_);
  return out_.filled();
}

void Otf2EventStream::take_record() {
  if (records_.type() == kAttributes) return;
  ++events_read_;
  take_time();
  switch (records_.type()) {
    case kEnter:
      return enter(lookup_.region(records_.fields().number()));
    case kLeave:
      return leave(records_.fields().number());
    case kMpiSend:
      return take_message(traces::EventKind::kSend, false);
    case kMpiIsend:
      return take_message(traces::EventKind::kIsend, true);
    case kMpiRecv:
      return take_message(traces::EventKind::kRecv, false);
    case kMpiIrecv:
      return take_message(traces::EventKind::kIrecv, true);
    case kMpiIsendComplete:
      return take_request(traces::EventKind::kIsendComplete);
    case kMpiIrecvRequest:
      return take_request(traces::EventKind::kIrecvRequest);
    case kMpiRequestTest:
      return take_request(traces::EventKind::kRequestTested);
    case kMpiRequestCancelled:
      return take_request(traces::EventKind::kRequestCancelled);
    case kNonBlockingCollectiveRequest:
      return take_request(traces::EventKind::kCollectiveRequest);
    case kMpiCollectiveBegin:
      ++remarks_.collectives_begun;
      return;
    case kMpiCollectiveEnd:
      ++remarks_.collectives_ended;
      return take_collective(false);
    case kNonBlockingCollectiveComplete:
      return take_collective(true);
    case kRmaWinCreate:
      return take_window_change(traces::EventKind::kWindowCreated);
    case kRmaWinDestroy:
      return take_window_change(traces::EventKind::kWindowFreed);
    case kRmaCollectiveEnd:
      return take_window_collective();
    case kRmaGroupSync:
      return take_window_sync();
    case kRmaPut:
    case kRmaGet:
      return take_one_sided(false);
    case kRmaAtomic:
      return take_one_sided(true);
    case kThreadTeamBegin:
      return take_team(traces::EventKind::kTeamBegin);
    case kThreadTeamEnd:
      return take_team(traces::EventKind::kTeamEnd);
    case kIoOperationBegin:
      return take_file_access();
    // The request is where the wait begins; who has both gets the lock of the first one only.
    case kRmaRequestLock:
    case kRmaAcquireLock:
      return take_window_lock(traces::EventKind::kWindowLocked);
    case kRmaReleaseLock:
      return take_window_lock(traces::EventKind::kWindowUnlocked);
    case kThreadAcquireLock:
      return take_thread_lock(traces::EventKind::kLockAcquired, true);
    case kThreadReleaseLock:
      return take_thread_lock(traces::EventKind::kLockReleased, true);
    case kOmpAcquireLock:
      return take_thread_lock(traces::EventKind::kLockAcquired, false);
    case kOmpReleaseLock:
      return take_thread_lock(traces::EventKind::kLockReleased, false);
    case kCallingContextEnter:
      return enter_context(records_.fields().number());
    case kCallingContextLeave:
      return leave_context(records_.fields().number());
    default:
      return;  // of no use here
  }
}

void Otf2EventStream::take_time() {
  const std::uint64_t raw = records_.time();
  if (has_time_ && raw == raw_time_) return;
  has_time_ = true;
  raw_time_ = raw;
  const std::uint64_t time = clock_.since_begin(raw);
  if (time >= time_) {
    time_ = time;
    return;
  }
  ++remarks_.times_fell;
  remarks_.largest_fall = std::max(remarks_.largest_fall, time_ - time);
}

traces::Event Otf2EventStream::event(traces::EventKind kind) const {
  traces::Event made;
  made.time = time_;
  made.kind = kind;
  return made;
}

void Otf2EventStream::put(const RecordFields& fields, const traces::Event& event) {
  if (!fields.sound())
    records_.fail(fmt::format("an event of kind {} that is too short", records_.type()),
                  "all of its fields");
  out_.put(event);
}

void Otf2EventStream::enter(std::uint32_t region) {
  if (region == traces::kNobody) {
    ++remarks_.unknown_regions;
    return;
  }
  if (nesting_.depth() >= RegionNesting::kDeepest)
    records_.fail(fmt::format("{} regions inside each other", nesting_.depth()),
                  "regions that are left");
  nesting_.enter(region);
  traces::Event entered = event(traces::EventKind::kEnter);
  entered.subject = region;
  out_.put(entered);
}

void Otf2EventStream::leave(std::uint64_t id) {
  // OTF2 allows to leave without a name: the innermost is meant.
  const std::uint32_t region =
      id == UINT64_MAX && nesting_.depth() > 0 ? nesting_.innermost() : lookup_.region(id);
  if (region == traces::kNobody) {
    ++remarks_.unknown_regions;
    return;
  }
  const std::size_t depth = nesting_.depth_without(region);
  if (depth == nesting_.depth()) {
    ++remarks_.left_without_enter;
    return;
  }
  remarks_.closed_by_outer += nesting_.depth() - depth - 1;
  leave_down_to(depth);
}

void Otf2EventStream::leave_down_to(std::size_t depth) {
  traces::Event left = event(traces::EventKind::kLeave);
  while (nesting_.depth() > depth) {
    left.subject = nesting_.innermost();
    nesting_.leave();
    out_.put(left);
  }
}

// A calling context is a call path. Its functions that are not entered yet are entered with it:
// unwinding found them on the stack, and they have no events of their own.
void Otf2EventStream::enter_context(std::uint64_t id) {
  constexpr std::size_t kMostFrames = 1000;
  const std::uint32_t context = lookup_.context(id);
  const std::uint32_t around = contexts_.empty() ? traces::kNobody : contexts_.back().context;
  if (context == traces::kNobody || contexts_.size() >= RegionNesting::kDeepest) {
    ++remarks_.unknown_regions;
    return;
  }
  contexts_.push_back({context, nesting_.depth()});
  std::vector<std::uint32_t> frames;
  std::uint32_t at = context;
  while (at != traces::kNobody && at != around && frames.size() < kMostFrames) {
    frames.push_back(trace_.contexts[at].region);
    at = trace_.contexts[at].parent;
  }
  // In a context that is not above this one, only the function itself is sure.
  if (at != around) frames.resize(1);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) enter(*frame);
}

void Otf2EventStream::leave_context(std::uint64_t id) {
  const std::uint32_t context = lookup_.context(id);
  const auto found =
      std::find_if(contexts_.rbegin(), contexts_.rend(),
                   [context](const EnteredContext& entered) { return entered.context == context; });
  if (context == traces::kNobody || found == contexts_.rend()) {
    ++remarks_.left_without_enter;
    return;
  }
  const std::size_t depth = found->depth;
  contexts_.erase(found.base() - 1, contexts_.end());
  leave_down_to(std::min(depth, nesting_.depth()));
}

bool Otf2EventStream::in_communicator(std::uint32_t index) {
  if (index != traces::kNobody) return true;
  ++remarks_.unknown_communicators;
  return false;
}

void Otf2EventStream::take_message(traces::EventKind kind, bool has_request) {
  RecordFields fields = records_.fields();
  traces::Event message = event(kind);
  const std::uint32_t member = fields.number32();
  message.subject = lookup_.communicator(fields.number32());
  message.tag = fields.number32();
  message.bytes = fields.number();
  if (has_request) message.request = fields.number();
  if (kind == traces::EventKind::kIsend) ++remarks_.sends_begun;
  if (kind == traces::EventKind::kIrecv) ++remarks_.receives_ended;
  if (!in_communicator(message.subject)) return;
  message.peer = lookup_.peer(message.subject, member);
  if (message.peer == traces::kNobody) ++remarks_.unknown_peers;
  put(fields, message);
}

void Otf2EventStream::take_request(traces::EventKind kind) {
  RecordFields fields = records_.fields();
  traces::Event made = event(kind);
  made.request = fields.number();
  if (kind == traces::EventKind::kIrecvRequest) ++remarks_.receives_posted;
  if (kind == traces::EventKind::kIsendComplete) ++remarks_.sends_ended;
  if (kind == traces::EventKind::kRequestCancelled) ++remarks_.receives_ended;
  put(fields, made);
}

void Otf2EventStream::take_collective(bool nonblocking) {
  RecordFields fields = records_.fields();
  traces::Event made = event(nonblocking ? traces::EventKind::kCollectiveComplete
                                         : traces::EventKind::kCollectiveEnd);
  made.collective = traces::collective_of(fields.byte());
  made.subject = lookup_.communicator(fields.number32());
  const std::uint32_t root = fields.number32();
  const std::uint64_t sent = fields.number();
  made.bytes = std::max(sent, fields.number());
  if (nonblocking) made.request = fields.number();
  if (!in_communicator(made.subject)) return;
  made.peer = lookup_.root(made.subject, root);
  put(fields, made);
}

void Otf2EventStream::take_window_change(traces::EventKind kind) {
  RecordFields fields = records_.fields();
  traces::Event made = event(kind);
  made.subject = lookup_.window(fields.number32());
  if (in_communicator(made.subject)) put(fields, made);
}

// Creating and freeing a window is one too, which kRmaWinCreate and kRmaWinDestroy stand for.
void Otf2EventStream::take_window_collective() {
  RecordFields fields = records_.fields();
  const traces::Collective operation = traces::collective_of(fields.byte());
  fields.number32();  // what is synchronised
  traces::Event fence = event(traces::EventKind::kWindowFence);
  fence.subject = lookup_.window(fields.number32());
  if (operation == traces::Collective::kBarrier && in_communicator(fence.subject))
    put(fields, fence);
}

// OTF2 records only that there was a synchronisation: the region's name is which one.
void Otf2EventStream::take_window_sync() {
  const WindowCall call =
      nesting_.depth() > 0 ? trace_.window_calls[nesting_.innermost()] : WindowCall::kNone;
  RecordFields fields = records_.fields();
  fields.number32();  // what is synchronised
  traces::Event sync = event(call == WindowCall::kPost    ? traces::EventKind::kWindowPost
                             : call == WindowCall::kStart ? traces::EventKind::kWindowStart
                             : call == WindowCall::kWait  ? traces::EventKind::kWindowWait
                                                          : traces::EventKind::kWindowComplete);
  sync.subject = lookup_.window(fields.number32());
  const std::uint32_t group = lookup_.group(fields.number32());
  if (call == WindowCall::kNone) {
    ++remarks_.lone_syncs;
    return;
  }
  if (!in_communicator(sync.subject)) return;
  if (call == WindowCall::kPost || call == WindowCall::kStart) {
    if (!in_communicator(group)) return;
    sync.group = group;
  }
  put(fields, sync);
}

void Otf2EventStream::take_one_sided(bool atomic) {
  RecordFields fields = records_.fields();
  traces::Event made = event(traces::EventKind::kOneSided);
  made.subject = lookup_.window(fields.number32());
  const std::uint32_t member = fields.number32();
  if (atomic) fields.byte();  // which operation
  made.bytes = fields.number();
  if (atomic) made.bytes = std::max(made.bytes, fields.number());
  if (!in_communicator(made.subject)) return;
  made.peer = lookup_.peer(trace_.definitions.windows[made.subject].communicator, member);
  if (made.peer == traces::kNobody) ++remarks_.unknown_peers;
  put(fields, made);
}

void Otf2EventStream::take_team(traces::EventKind kind) {
  RecordFields fields = records_.fields();
  traces::Event made = event(kind);
  made.subject = lookup_.team(fields.number32());
  if (in_communicator(made.subject)) put(fields, made);
}

std::vector<std::string> Otf2EventStream::remarks() const {
  ReadingRemarks remarks = remarks_;
  remarks.before_begin = clock_.before_begin();
  std::vector<std::string> out = remarks.sentences(at_end_);
  if (at_end_ && events_read_ < declared_events_)
    out.push_back(fmt::format("The trace declares {} events, its file has {}.", declared_events_,
                              events_read_));
  return out;
}

}  // namespace huddle::otf2
