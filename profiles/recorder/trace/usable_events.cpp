#include "profiles/recorder/trace/usable_events.hpp"

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

bool names_a_communicator(EventKind kind) {
  switch (kind) {
    case EventKind::kSend:
    case EventKind::kIsend:
    case EventKind::kRecv:
    case EventKind::kIrecv:
    case EventKind::kCollectiveEnd:
    case EventKind::kCollectiveComplete:
      return true;
    default:
      return false;
  }
}

bool names_a_window(EventKind kind) {
  return kind == EventKind::kOneSided ||
         (kind >= EventKind::kWindowCreated && kind <= EventKind::kWindowWait);
}

bool names_a_group(EventKind kind) {
  return kind == EventKind::kWindowPost || kind == EventKind::kWindowStart;
}

}  // namespace

UsableEvents::UsableEvents(const RecordedTrace& trace, std::size_t thread) : trace_(trace) {
  try {
    file_.emplace(trace.threads.at(thread));
  } catch (const Error&) {
    why_cut_ = "events are missing: their file can't be read";
  }
}

const std::vector<Event>& UsableEvents::next() {
  events_.clear();
  if (!why_cut_.empty()) return events_;
  try {
    const std::vector<Event>& read = file_->next();
    const auto end = std::find_if_not(read.begin(), read.end(),
                                      [&](const Event& one) { return is_usable(one); });
    events_.assign(read.begin(), end);
  } catch (const Error&) {
    why_cut_ = "events are missing: their file is damaged, and not read beyond that place";
  }
  return events_;
}

// The recorder has no call within a call, and nothing outside of all calls.
bool UsableEvents::is_usable(const Event& event) {
  if ((event.kind == EventKind::kEnter) == inside_)
    why_cut_ = "events are missing: their file is damaged, and not read beyond that place";
  else if (!names_known_things(event))
    why_cut_ =
        "its last events are left out: the run ended before it was written down what they name";
  if (event.kind == EventKind::kEnter) inside_ = true;
  if (event.kind == EventKind::kLeave) inside_ = false;
  return why_cut_.empty();
}

bool UsableEvents::names_known_things(const Event& event) const {
  if (event.kind == EventKind::kEnter)
    return event.subject < trace_.operations.size() &&
           (event.tag == RecordedTrace::kNoCallPath || event.tag < trace_.call_paths.size());
  if (names_a_communicator(event.kind) && event.subject >= trace_.communicators.size())
    return false;
  if (event.kind >= EventKind::kTeamBegin) return false;  // no recorder tells of teams
  if (names_a_window(event.kind) && event.subject >= trace_.windows.size()) return false;
  return !names_a_group(event.kind) || event.group == kNobody || event.group < trace_.groups.size();
}

}  // namespace huddle::recorder
