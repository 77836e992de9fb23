#include "profiles/throttling/team_slack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void check_slack_part(double value, const char* what) {
  if (!std::isfinite(value) || value < 0)
    throw Error(fmt::format("slack: {} is {}; expected: 0 or more", what, value));
}

}  // namespace

Seconds slack_of(const TeamSlack& known) {
  check_slack_part(known.critical.value, "the critical rank's time");
  check_slack_part(known.own.value, "the rank's own time");
  check_slack_part(known.send.value, "time to send");
  check_slack_part(known.clock_change.value, "time to change a clock");
  check_slack_part(known.tolerance, "tolerance");
  double slack =
      (known.critical - known.own - known.send - known.clock_change).value / (1 + known.tolerance);
  if (known.wait) {
    check_slack_part(known.wait->value, "the measured wait");
    slack = std::min(slack, (*known.wait - known.clock_change).value);
  }
  return {std::max(slack, 0.0)};
}

}  // namespace huddle
