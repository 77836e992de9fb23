#include "profiles/traces/read/reading_remarks.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/counted.hpp"

namespace huddle::otf2 {

std::vector<std::string> ReadingRemarks::sentences(bool at_end) const {
  std::vector<std::string> out;
  const auto say = [&out](std::uint64_t count, std::string_view one, std::string_view several,
                          std::string_view so) {
    if (count > 0) out.push_back(fmt::format("{}{}", counted(count, one, several), so));
  };
  if (times_fell > 0)
    out.push_back(fmt::format("{} before that of the event before, by {} at most: set to the same.",
                              counted(times_fell, "time was", "times were"),
                              counted(largest_fall, "tick")));
  say(before_begin, "time was", "times were", " before the trace's begin: set to it.");
  say(unknown_regions, "time", "times",
      " a region that is not defined was entered or left: left out.");
  say(unknown_communicators, "event in a communicator, window or team that is",
      "events in communicators, windows or teams that are", " not defined: left out.");
  say(unknown_peers, "event with a rank that its communicator does not have",
      "events with a rank that their communicator does not have", ": its peer is not known.");
  say(left_without_enter, "region was", "regions were",
      " left that had not been entered: left out.");
  say(closed_by_outer, "region was not left before the one around it",
      "regions were not left before the one around them", ": left at the same time.");
  say(lone_syncs, "synchronisation", "synchronisations",
      " of windows outside of MPI_Win_post, start, complete, wait and test: left out.");
  if (!at_end) return out;
  if (collectives_begun > collectives_ended)
    say(collectives_begun - collectives_ended, "collective operation has",
        "collective operations have",
        " no end (nonblocking ones of a tool that does not record it): left out.");
  if (receives_posted > receives_ended)
    say(receives_posted - receives_ended, "nonblocking receive has no end: its message is",
        "nonblocking receives have no end: their messages are", " not known.");
  if (sends_begun > sends_ended)
    say(sends_begun - sends_ended, "nonblocking send has", "nonblocking sends have", " no end.");
  return out;
}

}  // namespace huddle::otf2
