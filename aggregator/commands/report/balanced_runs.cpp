#include "aggregator/commands/report/balanced_runs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "profiles/balancing/rank_balancer.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle {
namespace {

// What all ranks agreed on is in the first one's record.
std::optional<RankBalancing> balancing_in(const std::string& profile_file) {
  const std::string name = std::filesystem::path(profile_file).filename().string();
  if (!name.starts_with(Store::kBalancedProfilePrefix)) return std::nullopt;
  try {
    const Profile profile = load_profile(profile_file);
    if (profile.rank_records.empty()) return std::nullopt;
    return profile.rank_records.front().balancing;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void add_balancing(JobReport& report) {
  for (ReportedRun& run : report.runs)
    if (run.wanted) run.balancing = balancing_in(run.outcome.profile_file);
}

std::string text_of(const RankBalancing& balancing) {
  const std::optional<BalanceRest> rest = balance_rest_of(balancing.state);
  std::string text = fmt::format("clocks could follow its loads: at the end {}",
                                 rest ? std::string(text_of(*rest)) : shortened(balancing.state));
  if (balancing.points == 0) return text + "; ranks never agreed on loads";
  return text + fmt::format("; lower clocks cost {:.2f} s of {:.2f} s, by {}", balancing.lost.value,
                            balancing.elapsed.value, pluralize(balancing.points, "balance point"));
}

}  // namespace huddle
