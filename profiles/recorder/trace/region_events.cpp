#include "profiles/recorder/trace/region_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

bool names_a_partner(traces::EventKind kind) {
  return kind == traces::EventKind::kSend || kind == traces::EventKind::kIsend ||
         kind == traces::EventKind::kRecv || kind == traces::EventKind::kIrecv ||
         kind == traces::EventKind::kOneSided;
}

}  // namespace

RegionEvents::RegionEvents(const CallPathFunctions& functions, const Numbers& numbers,
                           const ClockLine& clock)
    : functions_(functions), numbers_(numbers), clock_(clock) {}

void RegionEvents::convert(std::span<const traces::Event> recorded,
                           std::vector<traces::Event>& converted) {
  for (traces::Event event : recorded) {
    event.time = std::max(clock_.nanoseconds(event.time), last_time_);
    if (event.kind == traces::EventKind::kEnter)
      enter(event, converted);
    else if (event.kind == traces::EventKind::kLeave)
      leave(event, converted);
    else if (names_a_partner(event.kind) && event.peer == traces::kNobody)
      ++foreign_;
    else if ((event.kind == traces::EventKind::kTeamBegin ||
              event.kind == traces::EventKind::kTeamEnd) &&
             event.subject >= numbers_.teams)
      throw Error(fmt::format("a recorded event names team {}, and there are {}", event.subject,
                              numbers_.teams));
    else
      converted.push_back(event);
    last_time_ = event.time;
  }
}

std::uint32_t RegionEvents::region_of(const traces::Event& enter) const {
  if (enter.subject < numbers_.operations) return enter.subject;
  if (enter.subject - numbers_.operations >= numbers_.regions)
    throw Error(fmt::format("a recorded event names operation {}, and there are {} and {} regions",
                            enter.subject, numbers_.operations, numbers_.regions));
  return enter.subject + static_cast<std::uint32_t>(functions_.functions.size());
}

void RegionEvents::enter(const traces::Event& event, std::vector<traces::Event>& converted) {
  const std::uint32_t region = region_of(event);
  if (calls_.empty()) {
    static const Path kNowhere;
    const bool known = event.tag != RecordedTrace::kNoCallPath;
    if (known && event.tag >= functions_.paths.size())
      throw Error(fmt::format("a recorded event names call path {}, and there are {}", event.tag,
                              functions_.paths.size()));
    walk_to(known ? functions_.paths[event.tag] : kNowhere, event.time, converted);
  }
  calls_.push_back(region);
  add(traces::EventKind::kEnter, region, event.time, converted);
}

// Leaves out the end of a call that began before the trace.
void RegionEvents::leave(const traces::Event& event, std::vector<traces::Event>& converted) {
  if (calls_.empty()) return;
  add(traces::EventKind::kLeave, calls_.back(), event.time, converted);
  calls_.pop_back();
}

// Functions that both paths begin with are the same invocation if all outer ones continue at the
// same place; where the function itself continues does not matter.
void RegionEvents::walk_to(const Path& path, std::uint64_t time,
                           std::vector<traces::Event>& converted) {
  std::size_t same = 0;
  while (same < path_.size() && same < path.size() && path_[same].function == path[same].function) {
    const bool at_the_same_place = path_[same].frame == path[same].frame;
    ++same;
    if (!at_the_same_place) break;
  }
  while (path_.size() > same) {
    add(traces::EventKind::kLeave, numbers_.operations + path_.back().function, last_time_,
        converted);
    path_.pop_back();
  }
  for (std::size_t i = 0; i < same; ++i) path_[i] = path[i];
  while (path_.size() < path.size()) {
    path_.push_back(path[path_.size()]);
    add(traces::EventKind::kEnter, numbers_.operations + path_.back().function, time, converted);
  }
}

void RegionEvents::end(std::vector<traces::Event>& converted) {
  while (!calls_.empty()) {
    add(traces::EventKind::kLeave, calls_.back(), last_time_, converted);
    calls_.pop_back();
  }
  walk_to({}, last_time_, converted);
}

void RegionEvents::add(traces::EventKind kind, std::uint32_t region, std::uint64_t time,
                       std::vector<traces::Event>& converted) {
  traces::Event event;
  event.time = time;
  event.subject = region;
  event.kind = kind;
  converted.push_back(event);
}

namespace {

std::vector<std::uint32_t> ranks_of(const RecordedTrace& trace, std::uint32_t group) {
  if (group == RecordedTrace::kNoGroup) return {};
  if (group != RecordedTrace::kEverybody) return known_ranks(trace.groups.at(group));
  std::vector<std::uint32_t> all(trace.ranks);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// The definitions that this rank's events refer to, by its own numbers.
traces::TraceDefinitions own_definitions(const RecordedTrace& trace,
                                         const CallPathFunctions& functions) {
  traces::TraceDefinitions own;
  for (const std::string& name : trace.operations)
    own.regions.push_back({name, traces::TraceRegion::Kind::kMpi});
  for (const std::string& name : functions.functions)
    own.regions.push_back({name, traces::TraceRegion::Kind::kUser});
  for (const RecordedRegion& region : trace.regions)
    own.regions.push_back({region.place, region.kind == RecordedRegion::kParallel
                                             ? traces::TraceRegion::Kind::kOpenmp
                                             : traces::TraceRegion::Kind::kOpenmpBarrier});
  own.teams = trace.teams;
  for (std::uint32_t thread = 0; thread < std::max<std::size_t>(trace.threads.size(), 1); ++thread)
    own.locations.push_back({{}, trace.rank, thread, 0});
  for (const RecordedCommunicator& each : trace.communicators) {
    traces::TraceCommunicator& whole = own.communicators.emplace_back();
    if (each.self) continue;
    whole.ranks = ranks_of(trace, each.group);
    whole.remote = ranks_of(trace, each.remote);
    if (whole.ranks.empty()) whole.ranks = {trace.rank};
  }
  for (const RecordedWindow& each : trace.windows) own.windows.push_back({{}, each.communicator});
  own.groups.resize(trace.groups.size());
  return own;
}

traces::TraceNumbers numbers_of_part(const RecordedTrace& trace, const PieceNumbers& numbers) {
  traces::TraceNumbers all;
  for (std::uint32_t i = 0; i < trace.operations.size(); ++i) all.regions.push_back(i);
  all.regions.insert(all.regions.end(), numbers.functions.begin(), numbers.functions.end());
  all.regions.insert(all.regions.end(), numbers.regions.begin(), numbers.regions.end());
  all.teams = numbers.teams;
  all.all_communicators = numbers.all_communicators;
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
    const RegionEvents::Numbers numbers{static_cast<std::uint32_t>(trace_.operations.size()),
                                        static_cast<std::uint32_t>(trace_.regions.size()),
                                        static_cast<std::uint32_t>(trace_.teams.size())};
    RegionEvents events(functions_, numbers, clock_);
    for (const auto* block = &raw.next(); !block->empty(); block = &raw.next()) {
      events.convert(*block, converted_);
      write_converted(thread);
    }
    events.end(converted_);
    write_converted(thread);
    result_.last = std::max(result_.last, events.last_time());
    foreign_ += events.foreign();
  }

  void remark(const std::string& sentence) {
    if (std::find(result_.remarks.begin(), result_.remarks.end(), sentence) ==
        result_.remarks.end())
      result_.remarks.push_back(sentence);
  }

  PieceResult finish() {
    result_.events = part_.finish();
    for (RecordedPower power : trace_.power) {
      for (std::uint64_t& time : power.ticks) time = clock_.nanoseconds(time);
      result_.power.push_back(std::move(power));
    }
    result_.clock_uncertainty_ns =
        std::max(trace_.clock_begin.uncertainty_ns, trace_.clock_end.uncertainty_ns);
    if (foreign_ > 0)
      remark(fmt::format("{} messages are left out: their other side is no rank of this run",
                         foreign_));
    return std::move(result_);
  }

 private:
  void write_converted(std::uint32_t thread) {
    if (converted_.empty()) return;
    result_.first =
        result_.has_events ? std::min(result_.first, converted_[0].time) : converted_[0].time;
    result_.has_events = true;
    part_.write(thread, converted_);
    converted_.clear();
  }

  const RecordedTrace& trace_;
  const CallPathFunctions& functions_;
  ClockLine clock_;
  traces::TracePart part_;
  PieceResult result_;
  std::uint64_t foreign_ = 0;
  std::vector<traces::Event> converted_;
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
