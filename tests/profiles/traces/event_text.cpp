#include "tests/profiles/traces/event_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace huddle::traces {

namespace {

constexpr std::array kKinds = {"enter",
                               "leave",
                               "send",
                               "isend",
                               "isend complete",
                               "irecv request",
                               "recv",
                               "irecv",
                               "request tested",
                               "request cancelled",
                               "collective end",
                               "collective request",
                               "collective complete",
                               "window created",
                               "window freed",
                               "window fence",
                               "window post",
                               "window start",
                               "window complete",
                               "window wait",
                               "one-sided",
                               "team begin",
                               "team end",
                               "file collective",
                               "window locked",
                               "window unlocked",
                               "lock acquired",
                               "lock released"};

std::string line_of(const Event& event) {
  std::string line = fmt::format("{} {} {}", event.time,
                                 kKinds.at(static_cast<std::size_t>(event.kind)), event.subject);
  const auto add = [&line](std::string_view name, auto value, bool there) {
    if (there) line += fmt::format(" {} {}", name, value);
  };
  add("peer", event.peer, event.peer != kNobody);
  add("tag", event.tag, event.tag != 0);
  add("bytes", event.bytes, event.bytes != 0);
  add("request", event.request, event.request != kNoRequest);
  add("group", event.group, event.group != kNobody);
  add("collective", static_cast<int>(event.collective), event.collective != Collective::kNone);
  return line;
}

}  // namespace

std::string text_of(const TraceDefinitions& definitions) {
  std::string out =
      fmt::format("{} ticks/s, {} ticks\n", definitions.ticks_per_second, definitions.duration);
  for (const TraceRegion& region : definitions.regions)
    out += fmt::format("region {} {}\n", static_cast<int>(region.kind), region.name);
  for (const TraceRank& rank : definitions.ranks)
    out += fmt::format("rank {} on {}: {}\n", rank.name, rank.node, fmt::join(rank.locations, " "));
  for (const TraceLocation& location : definitions.locations)
    out += fmt::format("location {} {} {}\n", location.rank, location.thread, location.name);
  for (const TraceCommunicator& communicator : definitions.communicators)
    out += fmt::format("communicator {}: {} | {}\n", communicator.name,
                       fmt::join(communicator.ranks, " "), fmt::join(communicator.remote, " "));
  for (const TraceWindow& window : definitions.windows)
    out += fmt::format("window {} of {}\n", window.name, window.communicator);
  for (const auto& group : definitions.groups)
    out += fmt::format("group {}\n", fmt::join(group, " "));
  for (const auto& team : definitions.teams) out += fmt::format("team {}\n", fmt::join(team, " "));
  return out;
}

std::string lines_of(const std::vector<Event>& events) {
  std::string out;
  for (const Event& event : events) out += line_of(event) + "\n";
  return out;
}

std::vector<Event> all_events(EventStream& stream, std::size_t batch) {
  std::vector<Event> out;
  std::vector<Event> into(batch);
  while (const std::size_t got = stream.read(into))
    out.insert(out.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(got));
  return out;
}

bool operator==(const Event& a, const Event& b) {
  return a.time == b.time && line_of(a) == line_of(b);
}

}  // namespace huddle::traces
