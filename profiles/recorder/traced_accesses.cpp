// Events of the calls of MPI that deal with windows and files.

#include "profiles/recorder/traced_call.hpp"

namespace huddle::recorder {
namespace {

traces::Event event_at(std::uint64_t time, traces::EventKind kind, std::uint32_t subject) {
  traces::Event event;
  event.time = time;
  event.kind = kind;
  event.subject = subject;
  return event;
}

}  // namespace

void TracedCall::accessed(std::uint64_t bytes, int target, MPI_Win win) {
  if (target < 0) return;
  const TracedWindow& window = trace_.shared().tables.find_window(win);
  traces::Event event = event_at(begin_, traces::EventKind::kOneSided, window.number);
  event.peer = window.communicator->rank_of(target);
  event.bytes = bytes;
  trace_.append(event);
}

void TracedCall::synchronised(traces::EventKind kind, MPI_Win win) {
  synchronised(kind, trace_.shared().tables.find_window(win));
}

void TracedCall::synchronised(traces::EventKind kind, const TracedWindow& window) {
  trace_.append(event_at(end_, kind, window.number));
}

void TracedCall::synchronised(traces::EventKind kind, MPI_Group group, MPI_Win win) {
  const std::uint32_t ranks = trace_.shared().tables.group(group);
  traces::Event event = event_at(end_, kind, trace_.shared().tables.find_window(win).number);
  event.group = ranks;
  trace_.append(event);
}

// Nobody waits for others in a file of one process.
void TracedCall::accessed_file(std::uint64_t bytes, MPI_File file) {
  const TracedCommunicator* const communicator = trace_.shared().tables.find_file(file);
  if (communicator == nullptr || communicator->size < 2) return;
  traces::Event event = event_at(end_, traces::EventKind::kFileCollective, communicator->number);
  event.bytes = bytes;
  trace_.append(event);
}

void TracedCall::locked(traces::EventKind kind, bool exclusive, int target, MPI_Win win) {
  const TracedWindow& window = trace_.shared().tables.find_window(win);
  traces::Event event = event_at(end_, kind, window.number);
  event.peer = target == kAllTargets ? traces::kNobody : window.communicator->rank_of(target);
  // A process of another world is none of the trace's; written, it would be a lock of all.
  if (target != kAllTargets && event.peer == traces::kNobody) return;
  event.request = exclusive ? 1 : 0;
  trace_.append(event);
}

}  // namespace huddle::recorder
