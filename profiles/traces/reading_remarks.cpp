#include "profiles/traces/reading_remarks.hpp"

#include <fmt/format.h>

namespace huddle::otf2 {

std::vector<std::string> ReadingRemarks::sentences(bool at_end) const {
  std::vector<std::string> out;
  const auto say = [&out](std::uint64_t count, std::string_view text) {
    if (count > 0) out.push_back(fmt::format(fmt::runtime(text), count));
  };
  if (times_fell > 0)
    out.push_back(
        fmt::format("{} times were before that of the event before, by {} ticks at most: set to "
                    "the same.",
                    times_fell, largest_fall));
  say(before_begin, "{} times were before the trace's begin: set to it.");
  say(unknown_regions, "{} times a region that is not defined was entered or left: left out.");
  say(unknown_communicators,
      "{} events in communicators, windows or teams that are not defined: left out.");
  say(unknown_peers,
      "{} events with a rank that their communicator does not have: its peer is "
      "not known.");
  say(left_without_enter, "{} regions were left that had not been entered: left out.");
  say(closed_by_outer,
      "{} regions were not left before the one around them: left at the same time.");
  say(lone_syncs,
      "{} synchronisations of windows outside of MPI_Win_post, start, complete, wait and test: "
      "left out.");
  if (!at_end) return out;
  if (collectives_begun > collectives_ended)
    say(collectives_begun - collectives_ended,
        "{} collective operations have no end (nonblocking ones of a tool that does not record "
        "it): left out.");
  if (receives_posted > receives_ended)
    say(receives_posted - receives_ended,
        "{} nonblocking receives have no end: their messages are not known.");
  if (sends_begun > sends_ended)
    say(sends_begun - sends_ended, "{} nonblocking sends have no end.");
  return out;
}

}  // namespace huddle::otf2
