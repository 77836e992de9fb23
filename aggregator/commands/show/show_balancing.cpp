// The section on clocks that followed the loads of ranks, for people.

#include <fmt/format.h>

#include <optional>
#include <string>

#include "aggregator/commands/show/show_sections.hpp"
#include "profiles/balancing/rank_balancer.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

// A later recorder may have states that this one does not know.
std::string state_text(const std::string& state) {
  const std::optional<balancing::BalanceRest> rest = balancing::balance_rest_of(state);
  return rest ? std::string(text_of(*rest)) : printable(state);
}

}  // namespace

std::string balancing_text(const render::RunSummary& summary) {
  if (!summary.balancing) return {};
  const render::BalancingSummary& all = *summary.balancing;
  std::string text = "\nclocks that follow loads\n";
  const auto line = [&](const std::string& words) { text += "  " + words + "\n"; };
  line(fmt::format("at the end: {}", state_text(all.agreed.state)));
  if (all.agreed.points == 0)
    line("ranks never agreed on loads: nothing was lowered");
  else
    line(fmt::format("the longest load was {} the shortest{}, at the last of {}",
                     all.agreed.imbalance ? fmt::format("{:.2f} times", *all.agreed.imbalance)
                                          : "without measure above",
                     all.agreed.beyond_clocks ? ", more than clocks can level out" : "",
                     pluralize(all.agreed.points, "balance point")));
  line(
      fmt::format("{} asked {} for another clock: {} at the lowest, {:.1f} % of the top clock, {}, "
                  "in the mean",
                  pluralize(all.ranks, "rank"), pluralize(all.clock_changes, "time"),
                  text_of(all.lowest), 100 * all.mean_share, text_of(all.top)));
  line(fmt::format(
      "lower clocks cost {:.3f} s of {:.3f} s{}", all.agreed.lost.value, all.agreed.elapsed.value,
      all.agreed.overruns == 0 ? ""
                               : fmt::format("; at {} it was more than they may",
                                             pluralize(all.agreed.overruns, "balance point"))));
  return text;
}

}  // namespace huddle::cli
