#include "tests/evaluation/study.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "aggregator/planning/detail/samples/quick_sample.hpp"
#include "aggregator/predict/model/model.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "tests/evaluation/children.hpp"
#include "tests/evaluation/drawn_programs.hpp"
#include "tests/evaluation/measured_machine.hpp"
#include "tests/evaluation/score_file.hpp"

namespace huddle::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr Counting kCountings[] = {Counting::kEvents, Counting::kTimesOnly};

std::string_view name_of(Counting counting) {
  return counting == Counting::kEvents ? "events" : "times";
}

Threads threads_of(const Cluster& cluster) {
  return cluster.node.pus_per_core > 1 ? Threads::kEachPu : Threads::kEachCore;
}

// Two full nodes where patterns are densest.
std::uint32_t ranks_of_training(const Cluster& cluster) {
  return 2 * cluster.node.cores();
}

// Densely packed patterns of the largest jobs take longest to simulate, so only the smallest nodes
// are looked at with every assumption there.
bool is_asked(const Cluster& cluster, std::uint32_t ranks) {
  if (ranks > 128) return cluster.node.cores() <= 8 && cluster.contention == Contention::kQueueing;
  return ranks <= 64 || cluster.node.cores() <= 8 || cluster.contention == Contention::kQueueing;
}

// Nobody looked at how predictions do on drawn programs, nor at the other kinds of contention.
std::vector<Cluster> clusters_of(const StudyOptions& options) {
  std::vector<Cluster> clusters = all_clusters();
  if (options.seed)
    for (const Cluster& other : other_clusters()) clusters.push_back(other);
  return clusters;
}

std::vector<std::uint32_t> sizes_of(const StudyOptions& options) {
  if (options.ranks != 0) return {options.ranks};
  if (options.quick) return {16};
  if (options.seed) return {8, 16, 64, 128};
  return {16, 64, 128};
}

std::vector<Case> cases_on(const std::vector<Cluster>& clusters, const StudyOptions& options) {
  std::vector<Program> programs = options.seed ? drawn_programs(*options.seed) : test_programs();
  if (options.quick) programs.resize(4);
  const std::vector<std::uint32_t> sizes = sizes_of(options);
  std::vector<Case> cases;
  for (const Cluster& cluster : clusters)
    for (const std::uint32_t ranks : sizes)
      for (const Program& program : programs)
        if (is_asked(cluster, ranks)) cases.push_back({cluster, scaled(program, ranks), ranks});
  return cases;
}

std::function<void(std::size_t)> progress_of(std::string what, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [what = std::move(what), all](std::size_t done) {
    fmt::print(stderr, "\r{}: {} of {}{}", what, done, all, done == all ? "\n" : "");
  };
}

}  // namespace

std::string Case::name() const {
  return fmt::format("{}-{}-{}-{}", cluster.name, name_of(cluster.contention), program.name, ranks);
}

Study::Study(const StudyOptions& options)
    : options_(options),
      huddle_(options.huddle),
      runs_(options.folder / "runs"),
      clusters_(clusters_of(options)),
      training_(training_programs()) {
  if (options.quick) {
    // The smallest nodes, with the two assumptions that are least alike.
    std::erase_if(clusters_, [&](const Cluster& cluster) {
      return cluster.name != all_clusters().front().name ||
             cluster.contention == Contention::kSerial;
    });
  }
  cases_ = cases_on(clusters_, options);
}

std::vector<predict::Pattern> patterns_of(Samples samples, const commgraph::NodeTopology& node,
                                          std::uint32_t ranks) {
  const predict::Pattern all = predict::full_pattern(node);
  const predict::Pattern alone = predict::on_levels_of(node, {1, 1, 1});
  predict::Pattern die = alone;
  die.cores = all.cores;
  predict::Pattern spread = all;
  spread.cores = spread.pus = 1;
  switch (samples) {
    case Samples::kEnds:
      return {alone, all};
    case Samples::kOne:
      return {alone};
    case Samples::kPackedAndSpread:
      return {die, spread};
    case Samples::kMixed:
      break;
  }
  std::vector<predict::Pattern> patterns = planning::sampling_layout(node, ranks, ranks);
  patterns.push_back(alone);
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  return patterns;
}

fs::path Study::folder_of(const Cluster& cluster) const {
  return options_.folder / fmt::format("{}-{}", cluster.name, name_of(cluster.contention));
}

fs::path Study::machine_of(const Cluster& cluster) const {
  return folder_of(cluster) / "machine.json";
}

std::optional<fs::path> Study::model_of(const Cluster& cluster) const {
  if (!trained_) return std::nullopt;
  Cluster twin = cluster;
  twin.name = cluster.trained_on;
  return folder_of(twin) / "model.json";
}

fs::path Study::score_file(const Case& subject, Counting counting) const {
  return folder_of(subject.cluster) /
         fmt::format("{}-{}.score.json", subject.name(), name_of(counting));
}

fs::path Study::measure(const Case& subject, const predict::Pattern& pattern, Counting counting,
                        std::string_view kind) const {
  const commgraph::NodeTopology node = subject.cluster.places();
  std::string where = pattern.name();
  std::replace(where.begin(), where.end(), ':', 'x');
  return measure(subject, in_rank_order(pattern, node, subject.ranks), where, counting, kind);
}

fs::path Study::measure(const Case& subject, const Placement& placement, std::string_view where,
                        Counting counting, std::string_view kind) const {
  const Run run = runs_.run(subject.cluster, subject.program, placement);
  const fs::path file =
      folder_of(subject.cluster) /
      fmt::format("{}-{}-{}-{}.cbor", kind, subject.name(), where, name_of(counting));
  save_profile(observed_profile(subject.cluster, subject.program, placement, run, counting), file);
  return file;
}

void Study::write_machines() const {
  // Clusters of the same hardware share runs.
  std::map<std::string, std::vector<const Cluster*>> by_hardware;
  for (const Cluster& cluster : clusters_) by_hardware[cluster.name].push_back(&cluster);
  std::vector<std::vector<const Cluster*>> alike;
  for (auto& [name, clusters] : by_hardware) alike.push_back(std::move(clusters));
  in_children(
      alike.size(), options_.processes,
      [&](std::size_t index) {
        for (const Cluster* cluster : alike[index]) {
          fs::create_directories(folder_of(*cluster));
          save_machine(measured_machine(*cluster, runs_), machine_of(*cluster));
        }
      },
      progress_of("calibrating", alike.size()));
}

std::vector<fs::path> Study::training_profiles(const Cluster& cluster) const {
  const commgraph::NodeTopology node = cluster.places();
  const std::uint32_t ranks = ranks_of_training(cluster);
  std::vector<fs::path> files;
  for (const Program& program : training_)
    for (const predict::Pattern& pattern : predict::patterns_of(node))
      files.push_back(measure({cluster, scaled(program, ranks), ranks}, pattern, Counting::kEvents,
                              "training"));
  return files;
}

void Study::train() const {
  std::vector<Cluster> trained;
  std::copy_if(
      clusters_.begin(), clusters_.end(), std::back_inserter(trained), [&](const Cluster& cluster) {
        return cluster.has_training() && !(options_.keep_models && fs::exists(*model_of(cluster)));
      });
  in_children(
      trained.size(), options_.processes,
      [&](std::size_t index) {
        const Cluster& cluster = trained[index];
        huddle_.train(training_profiles(cluster), machine_of(cluster),
                      patterns_of(options_.samples, cluster.places(), ranks_of_training(cluster)),
                      *model_of(cluster), threads_of(cluster));
      },
      progress_of("training", trained.size()));
}

Truths Study::truths_of(const Case& subject) const {
  const commgraph::NodeTopology node = subject.cluster.places();
  const Placement alone =
      in_rank_order(predict::on_levels_of(node, {1, 1, 1}), node, subject.ranks);
  const Run run = runs_.run(subject.cluster, subject.program, alone);
  const Profile traffic =
      observed_profile(subject.cluster, subject.program, alone, run, Counting::kTimesOnly);
  Truths truths;
  for (const predict::Pattern& pattern : predict::patterns_of(node)) {
    const Placement placement = as_mapped(pattern, node, traffic);
    truths[pattern.name()] = truth_of(subject.cluster, subject.program, placement,
                                      runs_.run(subject.cluster, subject.program, placement));
  }
  return truths;
}

std::optional<Study::SecondRun> Study::second_run(const Case& subject, const fs::path& first,
                                                  Counting counting) const {
  const std::optional<fs::path> model = model_of(subject.cluster);
  const recommend::Recommender recommender(
      load_machine(machine_of(subject.cluster)), subject.cluster.places(), 1,
      model ? std::optional(predict::load_model(*model).computation) : std::nullopt);
  const Profile submitted = load_profile(first);
  const std::optional<planning::SamplingPlan> sample =
      planning::quick_sample(submitted, recommender, {.nodes = subject.ranks}, {},
                             options_.sample_slowdown)
          .sample;
  if (!sample) return std::nullopt;
  const Placement placement = filled(sample->nodes, subject.cluster.places(), subject.ranks);
  SecondRun run{measure(subject, placement, "mixed", counting, "sample"), sample->nodes, 0};
  run.slowdown = load_profile(run.file).run_time() / submitted.run_time() - 1;
  return run;
}

Study::Sampled Study::samples_of(const Case& subject, Counting counting) const {
  const commgraph::NodeTopology node = subject.cluster.places();
  Sampled sampled;
  const auto measure_on = [&](const predict::Pattern& pattern) {
    sampled.files.push_back(measure(subject, pattern, counting, "sample"));
    sampled.patterns.insert(pattern.name());
  };
  if (options_.samples != Samples::kMixed) {
    for (const predict::Pattern& pattern : patterns_of(options_.samples, node, subject.ranks))
      measure_on(pattern);
    return sampled;
  }
  measure_on(predict::on_levels_of(node, {1, 1, 1}));
  const std::optional<SecondRun> second = second_run(subject, sampled.files.front(), counting);
  if (!second) return sampled;
  sampled.files.push_back(second->file);
  for (const predict::Pattern& pattern : second->nodes) sampled.patterns.insert(pattern.name());
  sampled.second_slowdown = second->slowdown;
  return sampled;
}

void Study::judge(const Case& subject) const {
  const Truths truths = truths_of(subject);
  for (const Counting counting : kCountings) {
    const Sampled sampled = samples_of(subject, counting);
    fs::path output = score_file(subject, counting);
    output.replace_extension(".answer.json");
    const Answer answer =
        huddle_.recommend(sampled.files, machine_of(subject.cluster), model_of(subject.cluster),
                          output, threads_of(subject.cluster));
    Score score = score_of(answer, truths, sampled.patterns);
    score.second_slowdown = sampled.second_slowdown;
    save_score(score, score_file(subject, counting));
  }
}

std::vector<CaseScore> Study::run() {
  trained_ = !options_.untrained && huddle_.can_train(options_.folder / "train.help");
  write_machines();
  if (trained_) train();
  in_children(
      cases_.size(), options_.processes, [&](std::size_t index) { judge(cases_[index]); },
      progress_of("programs", cases_.size()));
  std::vector<CaseScore> scores;
  for (const Case& subject : cases_)
    for (const Counting counting : kCountings)
      scores.push_back({subject, counting, load_score(score_file(subject, counting))});
  return scores;
}

}  // namespace huddle::evaluation
