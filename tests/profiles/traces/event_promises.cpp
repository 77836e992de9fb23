#include "tests/profiles/traces/event_promises.hpp"

namespace huddle::traces {

namespace {

bool all_below(const std::vector<std::uint32_t>& indices, std::size_t bound) {
  for (const std::uint32_t index : indices)
    if (index >= bound) return false;
  return true;
}

}  // namespace

std::string EventPromises::look_at(std::span<const Event> events) {
  for (const Event& event : events)
    if (std::string broken = look_at(event); !broken.empty()) return broken;
  return {};
}

std::string EventPromises::look_at(const Event& event) {
  if (event.time < time_) return "a time falls";
  time_ = event.time;
  if (event.peer != kNobody && event.peer >= definitions_.ranks.size()) return "no such peer";
  if (event.group != kNobody && event.group >= definitions_.groups.size()) return "no such group";
  switch (event.kind) {
    case EventKind::kEnter:
      nesting_.push_back(event.subject);
      return event.subject < definitions_.regions.size() ? "" : "no such region";
    case EventKind::kLeave:
      if (nesting_.empty() || nesting_.back() != event.subject) return "regions do not nest";
      nesting_.pop_back();
      return {};
    case EventKind::kTeamBegin:
    case EventKind::kTeamEnd:
      return event.subject < definitions_.teams.size() ? "" : "no such team";
    case EventKind::kWindowPost:
    case EventKind::kWindowStart:
      if (event.group == kNobody) return "an epoch without group";
      [[fallthrough]];
    case EventKind::kWindowCreated:
    case EventKind::kWindowFreed:
    case EventKind::kWindowFence:
    case EventKind::kWindowComplete:
    case EventKind::kWindowWait:
    case EventKind::kOneSided:
    case EventKind::kWindowLocked:
    case EventKind::kWindowUnlocked:
      return event.subject < definitions_.windows.size() ? "" : "no such window";
    case EventKind::kIsendComplete:
    case EventKind::kIrecvRequest:
    case EventKind::kRequestTested:
    case EventKind::kRequestCancelled:
    case EventKind::kCollectiveRequest:
    case EventKind::kLockAcquired:
    case EventKind::kLockReleased:
      return {};
    default:
      return event.subject < definitions_.communicators.size() ? "" : "no such communicator";
  }
}

std::string broken_in(const TraceDefinitions& definitions) {
  const std::size_t ranks = definitions.ranks.size();
  if (ranks == 0 || definitions.locations.empty()) return "no ranks";
  if (definitions.ticks_per_second == 0) return "no clock";
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::vector<std::uint32_t>& locations = definitions.ranks[rank].locations;
    if (locations.empty() || !all_below(locations, definitions.locations.size()))
      return "a rank's locations";
    for (std::size_t thread = 0; thread < locations.size(); ++thread) {
      const TraceLocation& location = definitions.locations[locations[thread]];
      if (location.rank != rank || location.thread != thread) return "a location's rank";
    }
  }
  for (const TraceCommunicator& communicator : definitions.communicators)
    if (!all_below(communicator.ranks, ranks) || !all_below(communicator.remote, ranks))
      return "a communicator's ranks";
  for (const TraceWindow& window : definitions.windows)
    if (window.communicator >= definitions.communicators.size()) return "a window's communicator";
  for (const auto& group : definitions.groups)
    if (!all_below(group, ranks)) return "a group's ranks";
  for (const auto& team : definitions.teams)
    if (!all_below(team, definitions.locations.size())) return "a team's locations";
  return {};
}

}  // namespace huddle::traces
