#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// What a thread recorded in a run that was cut short, up to the first event that is of no use: the
/// file may be damaged, and events at its end may name what was not told any more. One thread's.
class UsableEvents {
 public:
  /// Keeps a reference to `trace`, of which `thread` is one by index.
  UsableEvents(const RecordedTrace& trace, std::size_t thread);

  /// The next events; none at the end. Valid until the next call. Throws nothing that is the
  /// file's fault.
  const std::vector<Event>& next();

  /// Why there are none behind the last one, a sentence; empty if there were none.
  [[nodiscard]] const std::string& why_cut() const { return why_cut_; }

 private:
  [[nodiscard]] bool is_usable(const Event& event);
  [[nodiscard]] bool names_known_things(const Event& event) const;

  const RecordedTrace& trace_;
  std::optional<EventFile> file_;
  std::vector<Event> events_;
  bool inside_ = false;  // of a call
  std::string why_cut_;
};

}  // namespace huddle::recorder
