#include "spank_plugin/runtime/balance_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {
namespace {

constexpr std::uint32_t kWanted = 1;
constexpr std::uint32_t kObstacle = 2;
constexpr std::uint32_t kLoose = 4;

// The lowest rank that has a reason gives it to rank 0.
std::string first_reason(const recorder::Channel& channel, const std::string& own) {
  if (channel.rank() != 0) {
    channel.deliver(own);
    return {};
  }
  std::string first = own;
  channel.collect([&](const std::string& text) {
    if (first.empty()) first = text;
    return first.empty();
  });
  return first;
}

}  // namespace

RunBalance::RunBalance(KeeperConnection asked, const RankMoment& now)
    : keeper(std::move(asked)), driver(keeper.steps(), {}, keeper, rounds, now) {}

void RunBalance::end() noexcept {
  driver.end();
  rounds.finish();
}

std::string RunBalance::outcome() const {
  const std::optional<BalanceSummary> summary = driver.summary();
  if (!summary) return "clocks could follow the loads of ranks";
  const balancing::BalanceStatus& status = summary->status;
  const std::string_view beyond =
      status.beyond_clocks ? ", which is more than clocks can level out" : "";
  return fmt::format(
      "clocks could follow the loads of ranks: at the end {}; the longest load was {:.2f} "
      "times the shortest{}, {} balance points, {} clock changes on rank 0, and they cost "
      "{:.2f} s of {:.2f} s",
      text_of(status.rest), status.imbalance, beyond, status.points, summary->clock_changes,
      status.lost.value, status.elapsed.value);
}

std::optional<RankBalancing> RunBalance::record() const {
  const std::optional<BalanceSummary> summary = driver.summary();
  if (!summary) return std::nullopt;
  const balancing::BalanceStatus& status = summary->status;
  RankBalancing record;
  record.state = name_of(status.rest);
  if (std::isfinite(status.imbalance)) record.imbalance = std::max(status.imbalance, 1.0);
  record.beyond_clocks = status.beyond_clocks;
  record.points = status.points;
  record.overruns = status.overruns;
  record.lost = status.lost;
  record.elapsed = status.elapsed;
  record.periods = summary->periods;
  record.clock_changes = summary->clock_changes;
  record.top = summary->top;
  record.lowest = summary->lowest;
  record.mean = std::min(summary->mean, summary->top);
  return record;
}

BalanceAgreement agree_on_balance(const recorder::Channel& channel, const Environment& environment,
                                  const RankMoment& now) {
  std::string obstacle;
  std::optional<KeeperConnection> keeper;
  const bool wanted = !text_of(environment, kBalanceVariable).empty();
  if (wanted) {
    try {
      const std::string_view socket = text_of(environment, kKeeperVariable);
      if (socket.empty())
        throw Error(
            "no keeper of clocks was started for this step; the site must allow it "
            "(frequency.control and frequency.balance in huddle.toml), and lines of the step say "
            "what else went wrong");
      keeper.emplace(socket, PuSet::of_this_thread());
    } catch (const std::exception& failure) {
      obstacle = failure.what();
    }
  }
  if (!wanted) obstacle = "not all ranks were asked to";
  const bool loose = keeper && keeper->pus_of_clock().empty();
  const std::uint32_t all =
      channel.any_of_all((wanted ? kWanted : 0) | (keeper ? 0 : kObstacle) | (loose ? kLoose : 0));
  BalanceAgreement agreement;
  if ((all & kWanted) == 0) return agreement;
  if ((all & kObstacle) != 0) {
    agreement.why_not = first_reason(channel, keeper ? "" : obstacle);
    return agreement;
  }
  // It may be right: a rank of several threads needs several cores.
  if ((all & kLoose) != 0 && channel.rank() == 0)
    agreement.remark =
        "a rank that may run on cores of several clocks asks for all of them, and of a clock the "
        "highest that is asked for holds: bind ranks to cores (srun --cpu-bind=cores, mpirun "
        "--bind-to core), unless their threads need more";
  agreement.balance = std::make_unique<RunBalance>(std::move(*keeper), now);
  return agreement;
}

}  // namespace huddle::runtime
