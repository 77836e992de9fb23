#include "aggregator/render/summary/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle::render {
namespace {

// The times of one location.
class Reading {
 public:
  explicit Reading(TraceSummary& summary) : summary_(summary) {}

  void take(const traces::Event& event) {
    if (summary_.events++ == 0) summary_.begin = event.time;
    summary_.begin = std::min(summary_.begin, event.time);
    summary_.end = std::max(summary_.end, event.time);
    switch (event.kind) {
      case traces::EventKind::kEnter:
        spend_until(event.time);
        nesting_.push_back(event.subject);
        ++summary_.regions[event.subject].visits;
        break;
      case traces::EventKind::kLeave:
        spend_until(event.time);
        nesting_.pop_back();
        break;
      case traces::EventKind::kSend:
      case traces::EventKind::kIsend:
        ++summary_.sent;
        summary_.bytes += event.bytes;
        break;
      case traces::EventKind::kRecv:
      case traces::EventKind::kIrecv:
        ++summary_.received;
        break;
      case traces::EventKind::kCollectiveEnd:
      case traces::EventKind::kCollectiveComplete:
        ++summary_.collectives;
        break;
      case traces::EventKind::kOneSided:
        ++summary_.one_sided;
        break;
      default:
        break;
    }
  }

 private:
  void spend_until(std::uint64_t time) {
    if (!nesting_.empty()) {
      summary_.regions[nesting_.back()].ticks += time - last_;
      summary_.inside += time - last_;
    }
    last_ = time;
  }

  TraceSummary& summary_;
  std::vector<std::uint32_t> nesting_;
  std::uint64_t last_ = 0;
};

void read_location(traces::Trace& trace, std::uint32_t location, TraceSummary& summary) {
  const std::string& name = summary.definitions.locations[location].name;
  const std::string called = fmt::format(
      "rank {}, {}", summary.definitions.locations[location].rank, name.empty() ? "unnamed" : name);
  std::vector<traces::Event> events(4096);
  std::unique_ptr<traces::EventStream> stream;
  try {
    stream = trace.events_of(location);
    Reading reading(summary);
    while (const std::size_t got = stream->read(events))
      for (std::size_t i = 0; i < got; ++i) reading.take(events[i]);
  } catch (const FormatError& error) {
    summary.damage.emplace_back(error.what());
  }
  if (!stream) return;
  for (const std::string& remark : stream->remarks())
    summary.remarks.push_back(fmt::format("{}: {}", called, remark));
}

}  // namespace

TraceSummary summary_of(traces::Trace& trace,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  TraceSummary summary;
  summary.definitions = trace.definitions();
  for (std::uint32_t region = 0; region < summary.definitions.regions.size(); ++region)
    summary.regions.push_back({region, 0, 0});
  const std::size_t locations = summary.definitions.locations.size();
  for (std::uint32_t location = 0; location < locations; ++location) {
    progress(location, locations);
    read_location(trace, location, summary);
  }
  std::erase_if(summary.regions, [](const RegionSummary& region) { return region.visits == 0; });
  std::stable_sort(
      summary.regions.begin(), summary.regions.end(),
      [](const RegionSummary& a, const RegionSummary& b) { return a.ticks > b.ticks; });
  return summary;
}

}  // namespace huddle::render
