#include "profiles/recorder/trace/recorded_trace.hpp"

#include "profiles/recorder/trace/byte_packing.hpp"
#include "profiles/recorder/trace/recorded_parts.hpp"

namespace huddle::recorder {
namespace {

constexpr std::string_view kMark = "huddle recorded trace 1\n";

}  // namespace

template <class Struct, class Each>
requires kMaybeConst<Struct, ClockPoint>
void for_all_parts(Struct& point, Each each) {
  each(point.ticks), each(point.nanoseconds), each(point.uncertainty_ns);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, RecordedThread>
void for_all_parts(Struct& thread, Each each) {
  each(thread.file), each(thread.bytes);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, CallFrame>
void for_all_parts(Struct& frame, Each each) {
  each(frame.module), each(frame.offset);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, RecordedTrace>
void for_all_parts(Struct& trace, Each each) {
  each(trace.rank), each(trace.ranks), each(trace.node), each(trace.ticks_per_second);
  each(trace.clock_begin), each(trace.clock_end), each(trace.threads), each(trace.operations);
  each(trace.call_paths), each(trace.modules), each(trace.groups), each(trace.communicators);
  each(trace.windows), each(trace.remarks), each(trace.raw_folder);
}

std::string RecordedTrace::packed() const {
  return packed_bytes(kMark, *this);
}

RecordedTrace RecordedTrace::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<RecordedTrace>(kMark, text, origin);
}

}  // namespace huddle::recorder
