#include "aggregator/choice/job_decision.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "aggregator/choice/plan_making.hpp"
#include "aggregator/choice/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine.hpp"
#include "profiles/formats/profile.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

/// How many runs a plan is made from: newer ones say more about the next run than older ones.
constexpr std::size_t kMostSamples = 4;
constexpr std::uint64_t kMostMachineBytes = std::uint64_t{64} << 20U;

// Two questions with one answer have one name: the same profiles, machine, limits, and version of
// the makers.
fs::path plan_path(const Store& store, const JobQuestion& question,
                   const std::vector<fs::path>& profiles) {
  std::string identity = fmt::format("{} {} {} {} {} {}\n", HUDDLE_VERSION, question.every_pattern,
                                     question.nodes.value_or(0), question.slowdown,
                                     static_cast<int>(question.grouping),
                                     read_file(question.machine, kMostMachineBytes));
  for (const fs::path& path : profiles) identity += path.filename().string() + '\n';
  return store.folder(question.key) / fmt::format("plan-{:016x}.json", hash_of(identity));
}

struct Samples {
  std::vector<Profile> profiles;
  std::vector<std::string> files;
  /// Why the newest file that could not be used could not.
  std::string passed_over;
};

// Newest first. Those of another program than the newest one are no samples of it.
Samples load_samples(const std::vector<fs::path>& files, std::uint32_t ranks) {
  Samples samples;
  for (const fs::path& file : files) {
    if (samples.profiles.size() == kMostSamples) break;
    try {
      Profile profile = load_profile(file);
      if (!profile.complete)
        throw Error(
            fmt::format("the last run was cut short: {}", shortened(profile.cut_short_reason)));
      if (profile.ranks != ranks)
        throw Error(
            fmt::format("{} is of {} ranks, not of {}", file.string(), profile.ranks, ranks));
      if (profile.run_time() <= Seconds{0})
        throw Error(fmt::format("{} has no run time in it", file.string()));
      if (!samples.profiles.empty() && profile.executable != samples.profiles.front().executable)
        continue;
      samples.profiles.push_back(std::move(profile));
      samples.files.push_back(file.string());
    } catch (const Error& error) {
      if (samples.passed_over.empty()) samples.passed_over = error.what();
    }
  }
  return samples;
}

// Nothing if no pattern is feasible.
std::optional<Plan> make_plan(const JobQuestion& question, const Samples& samples) {
  const Machine machine = load_machine(question.machine);
  const NodeTopology node = load_topology(machine.topology, question.machine.string());
  const Profile& newest = samples.profiles.front();
  const auto measured_nodes = static_cast<std::uint32_t>(newest.nodes().size());
  const std::uint32_t nodes = question.nodes.value_or(measured_nodes);
  const Reference reference = nodes == measured_nodes ? measured_reference(newest, node)
                                                      : reference_over(nodes, newest.ranks, node);
  RecommendationOptions options;
  options.slowdown = question.slowdown;
  options.grouping = question.grouping;
  options.most_nodes = nodes;
  options.only_until_chosen = !question.every_pattern;
  const Recommendation recommendation =
      recommend(samples.profiles, machine, node, reference, options);
  if (recommendation.chosen() == nullptr) return std::nullopt;
  Plan plan = plan_of(recommendation, newest, node, question.grouping);
  plan.made_from = samples.files;
  return plan;
}

Decision measure(const JobQuestion& question, const std::string& passed_over) {
  Decision decision;
  decision.action = Decision::Action::kMeasure;
  decision.reason =
      passed_over.empty()
          ? fmt::format("this run is measured: there is no profile of \"{}\" with {} ranks yet",
                        shortened(question.key.label), question.key.ranks)
          : fmt::format("this run is measured again: {}", passed_over);
  return decision;
}

Decision no_gain(const JobQuestion& question, std::uint32_t nodes) {
  Decision decision;
  decision.reason =
      fmt::format("no gain: no pattern within the bound of {:.1f} % uses fewer than {} {}",
                  question.slowdown * 100, nodes, nodes == 1 ? "node" : "nodes");
  return decision;
}

JobAnswer answer_with(Plan plan, const fs::path& file, const JobQuestion& question) {
  if (plan.ranks != question.key.ranks)
    throw Error(fmt::format("the plan {} is for {} ranks and the job has {}: remove it",
                            file.string(), plan.ranks, question.key.ranks));
  JobAnswer answer;
  if (plan.packs()) {
    answer.decision = {Decision::Action::kApply, fmt::format("packed onto {}", plan.reason),
                       file.string(), plan.chosen.nodes, plan.chosen.ranks_per_node};
  } else {
    answer.decision = no_gain(question, plan.reference.nodes);
  }
  answer.plan = std::move(plan);
  return answer;
}

}  // namespace

JobAnswer decide_job(const Store& store, const JobQuestion& question) {
  const std::vector<fs::path> files = store.profiles(question.key);
  if (files.empty()) return {measure(question, {}), std::nullopt};
  if (question.machine.empty())
    throw Error(
        "there is a profile, but no machine document: set machine.file in huddle.toml to "
        "what `huddle machine` prints on a node");
  const fs::path file = plan_path(store, question, files);
  if (fs::exists(file)) return answer_with(load_plan(file), file, question);
  const Samples samples = load_samples(files, question.key.ranks);
  if (samples.profiles.empty()) return {measure(question, samples.passed_over), std::nullopt};
  std::optional<Plan> plan = make_plan(question, samples);
  if (!plan) {
    const auto measured_nodes = static_cast<std::uint32_t>(samples.profiles.front().nodes().size());
    return {no_gain(question, question.nodes.value_or(measured_nodes)), std::nullopt};
  }
  save_plan(*plan, file);
  return answer_with(std::move(*plan), file, question);
}

}  // namespace huddle
