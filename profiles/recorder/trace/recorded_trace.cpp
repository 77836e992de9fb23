#include "profiles/recorder/trace/recorded_trace.hpp"

#include "profiles/recorder/process/byte_packing.hpp"

namespace huddle::recorder {
namespace {

constexpr std::string_view kTraceMark = "huddle recorded trace 4\n";

}  // namespace

template <class Archive>
void visit_members(Archive& archive, ClockPoint& point) {
  archive(point.ticks, point.nanoseconds, point.uncertainty_ns);
}

template <class Archive>
void visit_members(Archive& archive, RecordedThread& thread) {
  archive(thread.file, thread.bytes);
}

template <class Archive>
void visit_members(Archive& archive, CallFrame& frame) {
  archive(frame.module, frame.offset);
}

template <class Archive>
void visit_members(Archive& archive, RecordedRegion& region) {
  archive(region.kind, region.place, region.frame);
}

template <class Archive>
void visit_members(Archive& archive, RecordedTrace& trace) {
  archive(trace.rank, trace.ranks, trace.node, trace.program, trace.build_id,
          trace.ticks_per_second, trace.clock_begin, trace.clock_end, trace.threads,
          trace.operations, trace.call_paths, trace.modules, trace.regions, trace.teams,
          trace.groups, trace.communicators, trace.windows, trace.power, trace.remarks,
          trace.raw_folder);
}

std::string RecordedTrace::packed() const {
  return packed_bytes(kTraceMark, *this);
}

RecordedTrace RecordedTrace::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<RecordedTrace>(kTraceMark, text, origin);
}

}  // namespace huddle::recorder
