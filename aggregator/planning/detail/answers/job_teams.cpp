#include "aggregator/planning/detail/answers/job_teams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/teams/region_builds.hpp"
#include "aggregator/teams/teams_for_ranks.hpp"
#include "aggregator/teams/tried_passes.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUntried = "no run tried packed teams yet";
// Profiles that are read for it: newer ones say more, and a submission waits. A few are read
// however large they are, others only as far as that takes no time.
constexpr std::size_t kMostTrials = 32;
constexpr std::size_t kTrialsOfAnySize = 4;
constexpr std::uint64_t kMostFurtherBytes = std::uint64_t{32} << 20U;

std::vector<fs::path> trials_of(const store::Store& store, const PlanRequest& request) {
  std::vector<fs::path> files =
      request.profiles.empty() ? store.packed_profiles(key_of(request)) : request.profiles;
  if (files.size() > kMostTrials) files.resize(kMostTrials);
  std::uint64_t further = 0;
  for (std::size_t i = kTrialsOfAnySize; i < files.size(); ++i) {
    std::error_code unknown;
    const std::uint64_t size = fs::file_size(files[i], unknown);
    if (unknown) continue;  // removed meanwhile
    if (size > kMostFurtherBytes - further) {
      files.resize(i);
      break;
    }
    further += size;
  }
  return files;
}

bool is_asked_for(const PlanRequest& request, const Decision& decision) {
  return request.packs_threads && decision.action != Decision::Action::kMeasure &&
         !decision.compared;
}

// Looks for what keeps teams as they are, whatever a run would show.
Obstacle kept_teams(const PlanRequest& request) {
  if (request.objective == Objective::kTime) return {.kind = Obstacle::Kind::kTimeIsLeast};
  if (request.clocks_follow_loads) return {.kind = Obstacle::Kind::kClocksFollowLoads};
  return {};
}

void say_untried(Decision& decision) {
  decision.teams_reason = kUntried;
  decision.teams_untried = true;
}

// A run that was packed for most of its time says little of what regions take as they are started.
bool tried_teams(const Profile& profile) {
  std::uint64_t packed = 0;
  std::uint64_t usual = 0;
  for (const RankRecord& rank : profile.rank_records)
    for (const PackedRegionRecord& record : rank.packed_regions) {
      packed += record.passes + record.first_passes;
      usual += record.usual_passes;
    }
  return packed > 0 && packed <= usual;
}

// In windows, so that little of the run was so.
bool tried_sizes(const Profile& profile, const std::set<std::uint64_t>& may_shrink) {
  std::uint64_t smaller = 0;
  std::uint64_t usual = 0;
  for (const RankRecord& rank : profile.rank_records)
    for (const PackedRegionRecord& record : rank.smaller_teams) {
      if (!may_shrink.contains(record.region)) continue;
      smaller += record.passes + record.first_passes;
      usual += record.usual_passes;
    }
  return smaller > 0 && smaller <= usual;
}

// Finds the builds whose teams may have another size: whose user allows it, and a run of which
// ended well. None where nobody can say.
std::vector<std::string> sized_now(const store::Store& store, const PlanRequest& request,
                                   const std::vector<std::string>& builds) {
  if (builds.empty()) return {};
  try {
    return store::SizesConsents(store::SizesConsents::folder_in(store, request.user))
        .in_state(store::SizesState::kAct, builds);
  } catch (const Error&) {
    return {};
  }
}

// True if the run was of this job's program, laid out as the job will be.
bool is_alike(const Profile& profile, const PlanRequest& request,
              const commgraph::NodeTopology& node, const JobAnswer& answer) {
  if (!profile.complete || profile.ranks != request.ranks) return false;
  if (request.size && profile.problem_size != request.size) return false;
  if (!request.script.empty() && !profile.script.empty() && profile.script != request.script)
    return false;
  LaunchedProgram program = request.program;
  if (program.path.empty() && answer.plan) program = answer.plan->program;
  if (!program.path.empty() && !same_program(profile.program(), program)) return false;
  const bool laid_out = answer.decision.action == Decision::Action::kApply;
  const std::optional<std::uint32_t> nodes =
      laid_out ? std::optional(answer.decision.nodes) : request.nodes;
  return (!nodes || nodes_of(profile) == *nodes) &&
         predict::why_other_cores(profile, node, request.cores_per_rank).empty();
}

struct JobTeams : teams::TeamsForRanks {
  TeamPrograms programs;
};

// A run that teams can be chosen by, and what its programs' users allow.
struct TeamTrial {
  Profile profile;
  TeamPrograms programs;
  std::set<std::uint64_t> may_shrink;
};

JobTeams chosen_by(const TeamTrial& trial, const Machine& machine, const PlanRequest& request) {
  try {
    return {teams::choose_for_ranks(trial.profile, machine,
                                    {.bound = request.slowdown,
                                     .weighs_time = request.objective == Objective::kEdp,
                                     .may_shrink = trial.may_shrink}),
            trial.programs};
  } catch (const Error& error) {
    return {{{request.slowdown, {}},
             fmt::format("nothing can be chosen by the run that tried it: {}",
                         shortened(error.what()))},
            trial.programs};
  }
}

// A plan that others have written in the meantime is kept but for its teams.
void keep_in_plan(const JobTeams& teams, Plan plan, const fs::path& file) {
  plan.teams = teams.chosen.teams;
  plan.teams_reason = teams.reason;
  plan.teams_programs = teams.programs;
  if (!plan.slowdown_bound) plan.slowdown_bound = teams.chosen.bound;
  store_plan(plan, file);
}

// The newest run that tried teams on fewer cores, and smaller ones where these may be; else one
// that tried smaller ones beside those that were chosen before; else one that tried fewer cores.
std::optional<TeamTrial> trial_for_teams(const store::Store& store, const PlanRequest& request,
                                         const Machine& machine, const JobAnswer& answer) {
  const commgraph::NodeTopology node =
      commgraph::load_topology(machine.topology, request.machine.string());
  std::optional<TeamTrial> of_sizes;
  std::optional<TeamTrial> of_cores;
  for (const fs::path& file : trials_of(store, request)) {
    try {
      TeamTrial trial{load_profile(file), {}, {}};
      if (!is_alike(trial.profile, request, node, answer)) continue;
      trial.programs.builds = teams::builds_with_regions(trial.profile);
      trial.programs.sized = sized_now(store, request, trial.programs.builds);
      trial.may_shrink = teams::regions_of_builds(trial.profile, trial.programs.sized);
      const bool cores = tried_teams(trial.profile);
      const bool sizes = tried_sizes(trial.profile, trial.may_shrink);
      if (cores && (sizes || trial.programs.sized.empty())) return trial;
      if (sizes && !of_sizes) {
        of_sizes = std::move(trial);
        of_sizes->profile = teams::with_acted_passes(std::move(of_sizes->profile));
      } else if (cores && !of_cores) {
        of_cores = std::move(trial);
      }
    } catch (const Error&) {  // an older one may do
    }
  }
  return of_sizes ? std::move(of_sizes) : std::move(of_cores);
}

// Finds what was chosen before, where no run is left to choose anew by: without sizes that are
// allowed no more.
std::optional<JobTeams> known_teams(const store::Store& store, const PlanRequest& request,
                                    const Decision& decision) {
  if (decision.teams_programs.builds.empty()) return std::nullopt;
  JobTeams known{{{}, decision.teams_reason}, decision.teams_programs};
  if (!decision.teams.empty())
    known.chosen = throttling::parse_teams(decision.teams, request.ranks);
  known.programs.sized = sized_now(store, request, known.programs.builds);
  if (!throttling::has_sizes(known.chosen)) return known;
  known.chosen = throttling::without_sizes(std::move(known.chosen));
  known.reason = "sizes of its teams are not what its user allows now";
  if (known.chosen.teams.empty()) return std::nullopt;
  return known;
}

// Sizes are allowed, and none were chosen, as the run that tried them may not have left its profile
// yet: whether a newer one is there.
bool may_have_sizes_now(const store::Store& store, const CurrentPlan& current,
                        const PlanRequest& request, const Decision& decision) {
  if (decision.teams_programs.sized.empty() || decision.teams.find('*') != std::string::npos)
    return false;
  const std::vector<fs::path> files = trials_of(store, request);
  if (files.empty()) return false;
  const fs::path none = no_plan_path(current.file);
  std::error_code unknown;
  const fs::file_time_type chosen =
      fs::last_write_time(fs::exists(none, unknown) ? none : current.file, unknown);
  if (unknown) return false;
  const fs::file_time_type newest = fs::last_write_time(files.front(), unknown);
  return !unknown && newest > chosen;
}

void forget_teams(Decision& decision) {
  decision.teams.clear();
  decision.teams_programs = {};
  say_untried(decision);
}

}  // namespace

bool fill_known_teams(const store::Store& store, const CurrentPlan& current,
                      const PlanRequest& request, JobAnswer& answer) {
  Decision& decision = answer.decision;
  if (!is_asked_for(request, decision)) return true;
  if (!decision.teams.empty() || !decision.teams_reason.empty())
    return current.withdrawn || (decision.teams_programs.sized ==
                                     sized_now(store, request, decision.teams_programs.builds) &&
                                 !may_have_sizes_now(store, current, request, decision));
  if (decision.teams_reason = words_of(kept_teams(request)); !decision.teams_reason.empty())
    return true;
  if (current.withdrawn) return true;
  if (!trials_of(store, request).empty()) return false;
  say_untried(decision);
  return true;
}

void fill_chosen_teams(const store::Store& store, const fs::path& file, const PlanRequest& request,
                       JobAnswer& answer) {
  Decision& decision = answer.decision;
  const Machine machine = load_machine(request.machine);
  const std::optional<TeamTrial> trial = trial_for_teams(store, request, machine, answer);
  const std::optional<JobTeams> found =
      trial ? chosen_by(*trial, machine, request) : known_teams(store, request, decision);
  if (!found) return forget_teams(decision);
  const JobTeams& teams = *found;
  decision.teams = teams.chosen.teams.empty() ? "" : text_of(teams.chosen);
  decision.teams_reason = teams.reason;
  decision.teams_programs = teams.programs;
  if (answer.plan) {
    answer.plan->teams = teams.chosen.teams;
    answer.plan->teams_reason = teams.reason;
    answer.plan->teams_programs = teams.programs;
  }
  if (request.dry_run) return;
  if (stored_note(file))
    store_note(decision, file);
  else if (auto plan = stored_plan(file, request))
    keep_in_plan(teams, *std::move(plan), file);
}

}  // namespace huddle::planning
