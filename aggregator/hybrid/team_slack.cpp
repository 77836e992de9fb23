#include "aggregator/hybrid/team_slack.hpp"

#include <algorithm>

namespace huddle {

Seconds slack_of(const TeamSlack& known) {
  double slack =
      (known.critical - known.own - known.send - known.clock_change).value / (1 + known.tolerance);
  if (known.wait) slack = std::min(slack, (*known.wait - known.clock_change).value);
  return {std::max(slack, 0.0)};
}

}  // namespace huddle
