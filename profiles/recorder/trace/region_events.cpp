#include "profiles/recorder/trace/region_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

bool names_a_partner(EventKind kind) {
  return kind == EventKind::kSend || kind == EventKind::kIsend || kind == EventKind::kRecv ||
         kind == EventKind::kIrecv || kind == EventKind::kOneSided;
}

}  // namespace

RegionEvents::RegionEvents(const CallPathFunctions& functions, std::uint32_t operations,
                     const ClockLine& clock)
    : functions_(functions), operations_(operations), clock_(clock) {}

void RegionEvents::tell(std::span<const Event> recorded, std::vector<Event>& told) {
  for (Event event : recorded) {
    event.time = std::max(clock_.nanoseconds(event.time), last_time_);
    if (event.kind == EventKind::kEnter)
      enter(event, told);
    else if (event.kind == EventKind::kLeave)
      leave(event, told);
    else if (names_a_partner(event.kind) && event.peer == kNobody)
      ++foreign_;
    else
      told.push_back(event);
    last_time_ = event.time;
  }
}

void RegionEvents::enter(const Event& event, std::vector<Event>& told) {
  if (event.subject >= operations_)
    throw Error(fmt::format("a recorded event names operation {}, and there are {}", event.subject,
                            operations_));
  if (calls_.empty()) {
    static const Path kNowhere;
    const bool known = event.tag != RecordedTrace::kNoCallPath;
    if (known && event.tag >= functions_.paths.size())
      throw Error(fmt::format("a recorded event names call path {}, and there are {}", event.tag,
                              functions_.paths.size()));
    walk_to(known ? functions_.paths[event.tag] : kNowhere, event.time, told);
  }
  calls_.push_back(event.subject);
  add(EventKind::kEnter, event.subject, event.time, told);
}

// The end of a call that began before the trace did is left out.
void RegionEvents::leave(const Event& event, std::vector<Event>& told) {
  if (calls_.empty()) return;
  add(EventKind::kLeave, calls_.back(), event.time, told);
  calls_.pop_back();
}

// Functions that the paths share from outside are the same call of them if all that is outside of
// them goes on at the same place; where it does so in the function itself does not matter.
void RegionEvents::walk_to(const Path& path, std::uint64_t time, std::vector<Event>& told) {
  std::size_t same = 0;
  while (same < path_.size() && same < path.size() && path_[same].function == path[same].function) {
    const bool at_the_same_place = path_[same].frame == path[same].frame;
    ++same;
    if (!at_the_same_place) break;
  }
  while (path_.size() > same) {
    add(EventKind::kLeave, operations_ + path_.back().function, last_time_, told);
    path_.pop_back();
  }
  for (std::size_t i = 0; i < same; ++i) path_[i] = path[i];
  while (path_.size() < path.size()) {
    path_.push_back(path[path_.size()]);
    add(EventKind::kEnter, operations_ + path_.back().function, time, told);
  }
}

void RegionEvents::end(std::vector<Event>& told) {
  while (!calls_.empty()) {
    add(EventKind::kLeave, calls_.back(), last_time_, told);
    calls_.pop_back();
  }
  walk_to({}, last_time_, told);
}

void RegionEvents::add(EventKind kind, std::uint32_t region, std::uint64_t time,
                    std::vector<Event>& told) {
  Event event;
  event.time = time;
  event.subject = region;
  event.kind = kind;
  told.push_back(event);
}

}  // namespace huddle::recorder
