// What a location's records say of locks and of accesses to files.

#include "profiles/traces/read/detail/otf2_event_stream.hpp"

namespace huddle::otf2 {

// Accesses to a file of one process, and those that return at once, make nobody wait.
void Otf2EventStream::take_file_access() {
  constexpr std::uint32_t kNonBlocking = 1;  // OTF2_IO_OPERATION_FLAG_NON_BLOCKING
  constexpr std::uint32_t kCollective = 2;   // OTF2_IO_OPERATION_FLAG_COLLECTIVE
  RecordFields fields = records_.fields();
  traces::Event made = event(traces::EventKind::kFileCollective);
  made.subject = lookup_.file(fields.number32());
  fields.byte();  // reads or writes
  const std::uint32_t flags = fields.number32();
  made.bytes = fields.number();
  if ((flags & kNonBlocking) != 0 || (flags & kCollective) == 0) return;
  if (in_communicator(made.subject)) put(fields, made);
}

void Otf2EventStream::take_window_lock(traces::EventKind kind) {
  constexpr std::uint8_t kExclusive = 0;  // OTF2_LOCK_EXCLUSIVE
  RecordFields fields = records_.fields();
  traces::Event made = event(kind);
  made.subject = lookup_.window(fields.number32());
  const std::uint32_t member = fields.number32();
  made.tag = static_cast<std::uint32_t>(fields.number());
  if (kind == traces::EventKind::kWindowLocked) made.request = fields.byte() == kExclusive ? 1 : 0;
  if (!in_communicator(made.subject)) return;
  made.peer = lookup_.peer(trace_.definitions.windows[made.subject].communicator, member);
  // Tools write that of all targets for locks of all.
  if (made.peer == traces::kNobody && member != UINT32_MAX) ++remarks_.unknown_peers;
  put(fields, made);
}

void Otf2EventStream::take_thread_lock(traces::EventKind kind, bool has_paradigm) {
  RecordFields fields = records_.fields();
  traces::Event made = event(kind);
  if (has_paradigm) fields.byte();
  made.subject = fields.number32();
  made.request = fields.number32();
  put(fields, made);
}

}  // namespace huddle::otf2
