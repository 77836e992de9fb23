#include "spank_plugin/plugin/node/step_on_node.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/frequency/core_numbers.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/plugin/node/step_cores.hpp"

namespace huddle::plugin {
namespace {

std::optional<StepOnNode> seen;  // Slurm's hooks have no place for what they remember

bool anything_is_decided(const TaskEnvironment& environment) {
  return environment.get(kOutcomeWord) || environment.get(kRecorderVariable) ||
         environment.get(kPlanVariable) || environment.get(kStepPlanWord);
}

// slurmstepd has the user's rights for now only, and could take root's back.
void give_up_root() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::getuid() == user && ::getgid() == group) return;
  if (::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0)
    throw SystemError("give up", "root's rights", errno);
}

std::string places_in(const std::string& plan_file, std::uint32_t rank) {
  return launch::text_with_files(plan_file, [&] {
    give_up_root();
    return text_of(parse_node_places(files::read_file(plan_file, kMostPlanBytes), plan_file, rank));
  });
}

/// The node's cores in the order in which Slurm counts them, and those of them that a step has.
struct StepCores {
  std::vector<PuSet> all;
  std::vector<PuSet> own;
};

StepCores step_cores(spank_t spank) {
  const std::vector<hardware::PhysicalCore> node = hardware::physical_cores();
  if (node.empty()) throw Error("Linux does not show this node's cores");
  StepCores cores;
  cores.all = frequency::pus_of_slurms_cores(node, fmt::format("0-{}", node.size() - 1));
  cores.own = cores_of(spank, S_STEP_ALLOC_CORES, node);
  check_core_numbers(spank, cores.own);
  return cores;
}

// The ranks in the order of their planned cores on the step's own cores, so that those that the
// plan has beside each other stay so; the text of NodePlaces. Empty where those cores are not known
// or too few: Slurm has bound each rank to some of them.
std::string places_on_own_cores(spank_t spank, const std::string& planned) {
  NodePlaces places = node_places_of(planned);
  try {
    const StepCores cores = step_cores(spank);
    const auto place_of = [&](const std::string& pus) {
      const PuSet set = PuSet::parse(pus);
      const auto core = std::find_if(cores.all.begin(), cores.all.end(), [&](const PuSet& each) {
        return !set.empty() && each.contains(set.members().front());
      });
      return core - cores.all.begin();
    };
    std::vector<std::string*> in_order;
    for (auto& [rank, pus] : places.pus) in_order.push_back(&pus);
    std::stable_sort(
        in_order.begin(), in_order.end(),
        [&](const std::string* a, const std::string* b) { return place_of(*a) < place_of(*b); });
    const std::size_t each = in_order.empty() ? 0 : cores.own.size() / in_order.size();
    if (each == 0) return {};
    auto next = cores.own.begin();
    for (std::string* const pus : in_order) {
      *pus = union_of({next, next + static_cast<std::ptrdiff_t>(each)}).list();
      next += static_cast<std::ptrdiff_t>(each);
    }
    return text_of(places);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

StepOnNode::StepOnNode(spank_t spank, const submission::Settings& settings) {
  const TaskEnvironment environment(spank);
  const bool decided = anything_is_decided(environment);
  if (!decided && !environment.get(kThreadsVariable)) return;
  const Policy policy = settings.trusted_policy();
  if (decided) why_switched_off_ = settings.why_switched_off(policy);
  allows_threads_ = policy.threads_allowed;
  const auto plan_file = environment.get(kStepPlanWord);
  if (!why_switched_off_.empty() || !plan_file) return;
  try {
    const std::set<std::uint32_t> ranks = ranks_here(spank);
    if (ranks.empty()) throw Error("Slurm does not say which ranks are on this node");
    places_ = places_in(*plan_file, *ranks.begin());
    if (environment.get(kSharedNodesWord)) {
      const std::string own = places_on_own_cores(spank, places_);
      binds_ranks_ = !own.empty();
      places_ = own;
    }
  } catch (const Error& error) {  // the tasks say so
    why_no_places_ = error.what();
  }
}

// Slurm may have laid the step out otherwise (a node that is down, another distribution): then this
// node holds other ranks than one node of the plan, and two of them could end up on one core.
PuSet StepOnNode::pus_of(spank_t spank, std::uint32_t rank) const {
  if (!why_no_places_.empty()) throw Error(why_no_places_);
  const NodePlaces places = node_places_of(places_);
  if (rank >= places.ranks)
    throw Error(fmt::format("the plan is for {} ranks and this is rank {}", places.ranks, rank));
  const auto ranks = spank_item_of<std::uint32_t>(spank, S_JOB_TOTAL_TASK_COUNT, "number of tasks");
  if (ranks != places.ranks)
    throw Error(fmt::format("the plan is for {} ranks and this step has {}", places.ranks, ranks));
  std::set<std::uint32_t> planned;
  const std::string* own = nullptr;
  for (const auto& [other, pus] : places.pus) {
    planned.insert(other);
    if (other == rank) own = &pus;
  }
  if (own == nullptr || planned != ranks_here(spank))
    throw Error("Slurm laid the step out in another way than the plan");
  return PuSet::parse(*own);
}

void look_at_node(spank_t spank, const submission::Settings& settings) {
  seen.emplace(spank, settings);
}

StepOnNode step_on_node(spank_t spank, const submission::Settings& settings) {
  return seen ? *seen : StepOnNode(spank, settings);
}

}  // namespace huddle::plugin
