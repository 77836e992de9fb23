#include "profiles/recorder/trace/trace_events_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiles/recorder/trace/region_events.hpp"
#include "profiles/recorder/trace/clock_line.hpp"
#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/recorder/trace/usable_events.hpp"
#include "profiles/traces/write/trace_part.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

std::vector<std::uint32_t> ranks_of(const RecordedTrace& trace, std::uint32_t group) {
  if (group == RecordedTrace::kNoGroup) return {};
  if (group != RecordedTrace::kEverybody) return known_ranks(trace.groups.at(group));
  std::vector<std::uint32_t> all(trace.ranks);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// What this rank's events name, by its own numbers.
TraceDefinitions own_definitions(const RecordedTrace& trace, const CallPathFunctions& functions) {
  TraceDefinitions own;
  for (const std::string& name : trace.operations)
    own.regions.push_back({name, TraceRegion::Kind::kMpi});
  for (const std::string& name : functions.functions)
    own.regions.push_back({name, TraceRegion::Kind::kUser});
  for (std::uint32_t thread = 0; thread < std::max<std::size_t>(trace.threads.size(), 1); ++thread)
    own.locations.push_back({{}, trace.rank, thread, 0});
  for (const RecordedCommunicator& each : trace.communicators) {
    TraceCommunicator& whole = own.communicators.emplace_back();
    if (each.self) continue;
    whole.ranks = ranks_of(trace, each.group);
    whole.remote = ranks_of(trace, each.remote);
    if (whole.ranks.empty()) whole.ranks = {trace.rank};
  }
  for (const RecordedWindow& each : trace.windows) own.windows.push_back({{}, each.communicator});
  own.groups.resize(trace.groups.size());
  return own;
}

TraceNumbers numbers_of_part(const RecordedTrace& trace, const PieceNumbers& numbers) {
  TraceNumbers all;
  for (std::uint32_t i = 0; i < trace.operations.size(); ++i) all.regions.push_back(i);
  all.regions.insert(all.regions.end(), numbers.functions.begin(), numbers.functions.end());
  all.communicators = numbers.communicators;
  all.windows = numbers.windows;
  all.groups = numbers.groups;
  return all;
}

// One thread's events after the other.
class RankOutput {
 public:
  RankOutput(const RecordedTrace& trace, const CallPathFunctions& functions,
             const PieceNumbers& numbers, const std::filesystem::path& folder)
      : trace_(trace),
        functions_(functions),
        clock_(trace),
        part_(folder, own_definitions(trace, functions), numbers_of_part(trace, numbers)) {}

  /// `raw` has next(), as EventFile has.
  template <class Source>
  void write(std::uint32_t thread, Source& raw) {
    RegionEvents story(functions_, static_cast<std::uint32_t>(trace_.operations.size()), clock_);
    for (const auto* block = &raw.next(); !block->empty(); block = &raw.next()) {
      story.tell(*block, told_);
      write_told(thread);
    }
    story.end(told_);
    write_told(thread);
    result_.last = std::max(result_.last, story.last_time());
    foreign_ += story.foreign();
  }

  void remark(const std::string& sentence) {
    if (std::find(result_.remarks.begin(), result_.remarks.end(), sentence) ==
        result_.remarks.end())
      result_.remarks.push_back(sentence);
  }

  PieceResult finish() {
    result_.events = part_.finish();
    result_.clock_uncertainty_ns =
        std::max(trace_.clock_begin.uncertainty_ns, trace_.clock_end.uncertainty_ns);
    if (foreign_ > 0)
      remark(fmt::format("{} messages are left out: their other side is no rank of this run",
                         foreign_));
    return std::move(result_);
  }

 private:
  void write_told(std::uint32_t thread) {
    if (told_.empty()) return;
    result_.first = result_.has_events ? std::min(result_.first, told_[0].time) : told_[0].time;
    result_.has_events = true;
    part_.write(thread, told_);
    told_.clear();
  }

  const RecordedTrace& trace_;
  const CallPathFunctions& functions_;
  ClockLine clock_;
  TracePart part_;
  PieceResult result_;
  std::uint64_t foreign_ = 0;
  std::vector<Event> told_;
};

}  // namespace

PieceResult write_events(const RecordedTrace& trace, const CallPathFunctions& functions,
                         const PieceNumbers& numbers, const std::filesystem::path& folder,
                         Unusable unusable) {
  RankOutput output(trace, functions, numbers, folder);
  for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
    if (unusable == Unusable::kRefused) {
      EventFile raw(trace.threads[thread]);
      output.write(thread, raw);
      continue;
    }
    UsableEvents raw(trace, thread);
    output.write(thread, raw);
    if (!raw.why_cut().empty()) output.remark(raw.why_cut());
  }
  return output.finish();
}

}  // namespace huddle::recorder
