#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace huddle {

/// The draw of a job that a plan would pack. A share of such jobs runs as submitted, so that the
/// others can be compared with them; it is drawn before anything is known of the run.
struct ControlDraw {
  /// The probability of being drawn, above 0 and below 1.
  double share = 0;
  /// The text that lot_of() drew by, together with the site's seed.
  std::string ticket;
  /// True if the job runs as submitted.
  bool drawn = false;
  /// Nodes of the plan, and its predicted slowdown against the job as submitted; 0.05 is 5 %.
  std::uint32_t nodes = 1;
  double slowdown = 0;

  friend bool operator==(const ControlDraw&, const ControlDraw&) = default;
};

/// The lot of a ticket, from 0 to below 1: the job is drawn if it is below the share. The same on
/// every machine and in every version (docs/formats/outcome.md).
double lot_of(std::string_view seed, std::string_view ticket);

}  // namespace huddle
