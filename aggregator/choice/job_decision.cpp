#include "aggregator/choice/job_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/choice/plan_making.hpp"
#include "aggregator/choice/recommendation.hpp"
#include "aggregator/choice/sampling.hpp"
#include "aggregator/computation/model_conversion.hpp"
#include "aggregator/computation/moved_runs.hpp"
#include "aggregator/pattern/sharing.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine.hpp"
#include "profiles/formats/model.hpp"
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

// A model may be large, so its file stands for it.
std::string identity_of_model(const fs::path& model) {
  if (model.empty()) return {};
  std::error_code failure;
  const auto size = fs::file_size(model, failure);
  if (failure) throw SystemError("read", model.string(), failure.value());
  const auto written = fs::last_write_time(model, failure).time_since_epoch().count();
  return fmt::format("{} {} {}", model.string(), size, written);
}

// Two questions with one answer have one name: the same profiles, machine, model, limits, and
// version of the makers.
fs::path plan_path(const Store& store, const JobQuestion& question,
                   const std::vector<fs::path>& profiles) {
  std::string identity = fmt::format(
      "{} {} {} {} {} {} {} {}\n", HUDDLE_VERSION, question.every_pattern,
      question.nodes.value_or(0), question.slowdown, static_cast<int>(question.grouping),
      static_cast<int>(question.risk), read_file(question.machine, kMostMachineBytes),
      identity_of_model(question.model));
  for (const fs::path& path : profiles) identity += path.filename().string() + '\n';
  return store.folder(question.key) / fmt::format("plan-{:016x}.json", hash_of(identity));
}

// Named after the run that it is to be compared with, and nothing else: it is tried once, whatever
// is asked later, and whether it left a profile, half of one, or none.
fs::path sample_path(const Store& store, const JobQuestion& question, const fs::path& profile) {
  return store.folder(question.key) /
         fmt::format("sample-{:016x}.json", hash_of(profile.filename().string()));
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

std::uint32_t nodes_of(const Profile& profile) {
  return static_cast<std::uint32_t>(profile.nodes().size());
}

// The job as its user submits it comes first: the newest run on as many nodes as asked for, or else
// on most. Others were laid out to be samples.
void put_submitted_first(Samples& samples, const JobQuestion& question) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < samples.profiles.size(); ++i) {
    const std::uint32_t here = nodes_of(samples.profiles[i]);
    const std::uint32_t there = nodes_of(samples.profiles[best]);
    const bool as_asked = question.nodes && here == *question.nodes && there != *question.nodes;
    const bool wider = !(question.nodes && there == *question.nodes) && here > there;
    if (as_asked || wider) best = i;
  }
  const auto move = static_cast<std::ptrdiff_t>(best);
  std::rotate(samples.profiles.begin(), samples.profiles.begin() + move,
              samples.profiles.begin() + move + 1);
  std::rotate(samples.files.begin(), samples.files.begin() + move,
              samples.files.begin() + move + 1);
}

struct Site {
  Machine machine;
  NodeTopology node;
  std::optional<ComputationModel> model;
};

Site site_of(const JobQuestion& question) {
  Machine machine = load_machine(question.machine);
  NodeTopology node = load_topology(machine.topology, question.machine.string());
  std::optional<ComputationModel> model;
  if (!question.model.empty()) model = model_from(load_model(question.model));
  return {std::move(machine), std::move(node), std::move(model)};
}

// Nothing if no pattern is feasible.
std::optional<Plan> make_plan(const JobQuestion& question, const Samples& samples,
                              const Site& site) {
  const auto& [machine, node, model] = site;
  const Profile& submitted = samples.profiles.front();
  const std::uint32_t measured_nodes = nodes_of(submitted);
  const std::uint32_t nodes = question.nodes.value_or(measured_nodes);
  const Reference reference = nodes == measured_nodes
                                  ? measured_reference(submitted, node)
                                  : reference_over(nodes, submitted.ranks, node);
  RecommendationOptions options;
  if (model) options.model = &*model;
  options.risk = question.risk;
  options.slowdown = question.slowdown;
  options.grouping = question.grouping;
  options.most_nodes = nodes;
  options.only_until_chosen = !question.every_pattern;
  options.threads = std::max(1U, std::thread::hardware_concurrency());  // somebody waits for it
  const Recommendation recommendation =
      recommend(samples.profiles, machine, node, reference, options);
  if (recommendation.chosen() == nullptr) return std::nullopt;
  Plan plan = plan_of(recommendation, submitted, node, question.grouping);
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

// The layout of a second measured run, if one is worth it.
std::optional<Plan> second_sample(const JobQuestion& question, const Samples& samples,
                                  const Site& site) {
  // Without a model, more samples tell little; and consecutive ranks need nodes that are alike.
  if (!site.model || question.samples < 2 || question.grouping != Grouping::kMapped)
    return std::nullopt;
  if (samples.profiles.size() > 1) return std::nullopt;
  const Profile& only = samples.profiles.front();
  // Where ranks did not all share alike, nobody can tell later how much work each of them has.
  const auto classes = classes_of(measured_locations(only, site.node));
  if (was_moved(only) || (classes && classes->size() > 1)) return std::nullopt;
  const std::uint32_t nodes = question.nodes.value_or(nodes_of(only));
  std::optional<Plan> plan = sampling_plan(only, site.machine, site.node, nodes);
  if (plan) plan->made_from = samples.files;
  return plan;
}

Decision measure_as(const Plan& plan, const fs::path& file) {
  return {Decision::Action::kMeasure,
          fmt::format("this run is {}: measured run 2 of 2", plan.reason), file.string(),
          plan.chosen.nodes, plan.chosen.ranks_per_node};
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
  Samples samples = load_samples(files, question.key.ranks);
  if (samples.profiles.empty()) return {measure(question, samples.passed_over), std::nullopt};
  put_submitted_first(samples, question);
  const Site site = site_of(question);
  const fs::path sample = sample_path(store, question, samples.files.front());
  if (!fs::exists(sample))
    if (const std::optional<Plan> second = second_sample(question, samples, site)) {
      // People who only ask see what is known so far, and change nothing.
      if (question.every_pattern)
        return {measure_as(*second, sample), make_plan(question, samples, site)};
      save_plan(*second, sample);
      return {measure_as(*second, sample), std::nullopt};
    }
  std::optional<Plan> plan = make_plan(question, samples, site);
  if (!plan)
    return {no_gain(question, question.nodes.value_or(nodes_of(samples.profiles.front()))),
            std::nullopt};
  save_plan(*plan, file);
  return answer_with(std::move(*plan), file, question);
}

}  // namespace huddle
