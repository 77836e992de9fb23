#include "spank_plugin/submission/control_group.hpp"

#include <fmt/format.h>

#include <chrono>

namespace huddle::submission {

std::optional<ControlDraw> draw_for_control(const Policy& policy, const SubmittedJob& job,
                                            const Decision& decision) {
  const PlanRequest& request = job.request;
  if (policy.control <= 0 || decision.keeps_nodes || !job.plan.empty() || request.dry_run)
    return std::nullopt;
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  ControlDraw draw{
      policy.control,
      fmt::format("{} {} {} {}", request.user, request.label, request.ranks, now.count()), false,
      decision.nodes, decision.slowdown.value_or(0)};
  draw.drawn = lot_of(policy.control_seed, draw.ticket) < draw.share;
  return draw;
}

std::string words_of(const ControlDraw& draw) {
  return fmt::format(
      "drawn for the control group: {:.4g} % of the jobs that would be packed run as submitted",
      draw.share * 100);
}

}  // namespace huddle::submission
