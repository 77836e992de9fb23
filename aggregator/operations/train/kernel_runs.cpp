#include "aggregator/operations/train/kernel_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>

#include "aggregator/operations/launch/launcher.hpp"
#include "aggregator/operations/train/training_schedule.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostPatterns = 12;
constexpr std::size_t kNeededPatterns = 2;

double now_s() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string last_line_of(const fs::path& file) {
  std::istringstream text(text_of(file));
  std::string last;
  for (std::string line; std::getline(text, line);)
    if (line.find_first_not_of(" \t-") != std::string::npos) last = line;
  return last.empty() ? "it said nothing" : last;
}

// Returns the part of the run for which the rank that was worst off had a processor; ranks of
// training kernels are never idle by themselves, unless MPI waits without polling.
double busy_share(const Profile& profile) {
  double least = 1;
  for (const RankRecord& record : profile.rank_records)
    if (record.cpu_time && record.run_time > Seconds{0})
      least = std::min(least, *record.cpu_time / record.run_time);
  return least;
}

Plan plan_for(const TrainingPattern& placed, const commgraph::NodeTopology& node) {
  Plan plan;
  plan.ranks = placed.ranks;
  plan.chosen.nodes = placed.nodes;
  const std::vector<PuSet> slots = predict::slots_of(placed.pattern, node);
  for (std::uint32_t rank = 0; rank < placed.ranks; ++rank)
    plan.placement.push_back(
        {NodeIndex{static_cast<std::uint32_t>(rank / slots.size())}, slots[rank % slots.size()]});
  return plan;
}

// The state of one call of run_kernels().
class KernelRuns {
 public:
  KernelRuns(const KernelRunOptions& options, const commgraph::NodeTopology& node,
             const KernelRunObserver& observer)
      : options_(options),
        node_(node),
        observer_(observer),
        launcher_(options.launcher, options.hosts.empty() ? allocated_hosts() : options.hosts),
        program_(program_beside_recorder(options.program, options.recorder,
                                         "huddle_training_kernels", "training")) {
    for (const predict::Pattern& pattern : options.patterns)
      static_cast<void>(
          predict::slots_of(pattern, node));  // throws if the node has no such pattern
    fs::create_directories(options.folder);
    kernels_ = chosen_kernels();
    const auto nodes = static_cast<std::uint32_t>(launcher_.hosts().size());
    placed_ = place_training(
        options.patterns.empty() ? informative_patterns(node, kMostPatterns) : options.patterns,
        node, nodes);
  }

  KernelRunResult run_all();

 private:
  struct Task {
    std::string kernel;
    TrainingPattern placed;
    unsigned turn = 0;
    bool needed = false;  // even if there is no time left
  };

  [[nodiscard]] std::vector<std::string> chosen_kernels() const;
  [[nodiscard]] std::vector<Task> tasks() const;
  [[nodiscard]] fs::path file_of(const Task& task) const;
  [[nodiscard]] std::optional<Profile> profile_of(const Task& task) const;
  // From the profiles in the folder, or by a run on one core.
  std::uint64_t iterations_of(const std::string& kernel);
  [[nodiscard]] std::uint64_t counted_iterations(const std::string& kernel) const;
  Profile record(const Task& task);
  // Among the turns of a kernel on a pattern.
  void count(const Task& task, const Profile& profile);
  // Returns the text that the program printed.
  std::string start(const std::string& what, const TrainingPattern& placed,
                    std::vector<std::string> arguments, const Variables& variables) const;

  const KernelRunOptions& options_;
  const commgraph::NodeTopology& node_;
  const KernelRunObserver& observer_;
  Launcher launcher_;
  std::string program_;
  std::vector<std::string> kernels_;
  std::vector<TrainingPattern> placed_;
  Seconds seconds_;  // of a run on one core
  std::map<std::string, std::uint64_t> iterations_;
  struct Least {
    Seconds time;
    double busy = 1;
    std::string file;
  };
  std::map<std::pair<predict::Pattern, std::string>, Least> least_;
};

// The first word of each line that the program lists.
std::vector<std::string> KernelRuns::chosen_kernels() const {
  const fs::path output = options_.folder / "last-run.txt";
  const RunEnd end = run_to_end({{program_, "--list"}, {}, output, Seconds{60}});
  std::vector<std::string> names;
  std::istringstream lines(text_of(output));
  for (std::string line; std::getline(lines, line);)
    names.push_back(line.substr(0, line.find(' ')));
  if (end.status != 0 || names.empty())
    throw Error(fmt::format("{} --list ended with status {}: {}", program_, end.status,
                            last_line_of(output)));
  if (options_.kernels.empty()) return names;
  for (const std::string& kernel : options_.kernels)
    if (std::find(names.begin(), names.end(), kernel) == names.end())
      throw UnknownKernel(
          fmt::format("found {}, expected some of {}", shortened(kernel), fmt::join(names, ", ")));
  return options_.kernels;
}

std::vector<KernelRuns::Task> KernelRuns::tasks() const {
  std::vector<Task> all;
  for (unsigned turn = 0; turn < options_.turns; ++turn)
    for (std::size_t i = 0; i < placed_.size(); ++i)
      for (const std::string& kernel : kernels_)
        all.push_back({kernel, placed_[i], turn, turn == 0 && i < kNeededPatterns});
  return all;
}

fs::path KernelRuns::file_of(const Task& task) const {
  std::string pattern = task.placed.pattern.name();
  std::replace(pattern.begin(), pattern.end(), ':', '-');
  const std::string turn = task.turn == 0 ? "" : fmt::format("-turn-{}", task.turn + 1);
  return options_.folder / fmt::format("{}-{}{}.json", task.kernel, pattern, turn);
}

// Nothing if there is none, or one of another number of ranks, pattern or kernel.
std::optional<Profile> KernelRuns::profile_of(const Task& task) const {
  std::error_code failure;
  const fs::path file = file_of(task);
  if (!fs::exists(file, failure)) return {};
  Profile profile = load_profile(file);
  const bool right =
      profile.complete && profile.label == task.kernel && profile.ranks == task.placed.ranks &&
      predict::measured_reference(profile, node_).pattern == task.placed.pattern.name();
  if (!right) return {};
  return profile;
}

std::uint64_t KernelRuns::counted_iterations(const std::string& kernel) const {
  for (const TrainingPattern& placed : placed_) {
    const std::optional<Profile> profile = profile_of({kernel, placed, 0, false});
    if (!profile) continue;
    const auto option =
        std::find(profile->arguments.begin(), profile->arguments.end(), "--iterations");
    std::uint64_t count = 0;
    if (option == profile->arguments.end() || option + 1 == profile->arguments.end()) continue;
    const std::string& value = *(option + 1);
    if (std::from_chars(value.data(), value.data() + value.size(), count).ec == std::errc{})
      return count;
  }
  return 0;
}

std::uint64_t KernelRuns::iterations_of(const std::string& kernel) {
  std::uint64_t& iterations = iterations_[kernel];
  if (iterations == 0) iterations = counted_iterations(kernel);
  if (iterations > 0) return iterations;
  constexpr double kPartToTry = 0.2;
  constexpr double kLeastToTry = 0.1;
  const double tried = std::max(kLeastToTry, kPartToTry * seconds_.value);
  const TrainingPattern one_core{{1, 1, 1}, 1, 1};
  std::istringstream printed(start(fmt::format("{} for {:.2g} s", kernel, tried), one_core,
                                   {"--kernel", kernel, "--seconds", fmt::format("{}", tried)},
                                   {}));
  double taken = 0;
  std::uint64_t done = 0;
  for (std::string word; printed >> word;) {
    if (word == "iterations") printed >> done;
    if (word == "seconds") printed >> taken;
  }
  if (done == 0 || !(taken > 0))
    throw Error(fmt::format("the training program did not say how often it ran {}", kernel));
  iterations = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(static_cast<double>(done) * seconds_.value / taken));
  return iterations;
}

std::string KernelRuns::start(const std::string& what, const TrainingPattern& placed,
                              std::vector<std::string> arguments,
                              const Variables& variables) const {
  constexpr double kSlowest = 50;
  constexpr double kToStart = 120;
  RunRequest request;
  request.variables = variables;
  request.output = options_.folder / "last-run.txt";
  request.patience = {kToStart + kSlowest * seconds_.value};
  arguments.insert(arguments.begin(), program_);
  launcher_.place(request, plan_for(placed, node_), arguments, options_.folder);
  const RunEnd end = run_to_end(request);
  const std::string again = "the same command goes on behind the runs that are done";
  if (end.interrupted) throw Error(fmt::format("interrupted: {}", again));
  if (end.lost_patience)
    throw Error(fmt::format("{} took longer than {:.0f} s and was ended; {}", what,
                            request.patience.value, again));
  if (end.status != 0)
    throw Error(fmt::format("{} ended with status {}: {} (all of it is in {}); {}", what,
                            end.status, shortened(last_line_of(request.output)),
                            request.output.string(), again));
  return text_of(request.output);
}

// The profile gets its name only when it is known to be right.
Profile KernelRuns::record(const Task& task) {
  const fs::path unchecked = options_.folder / "last-run.json";
  std::error_code absent;
  fs::remove(unchecked, absent);
  Variables variables = recorder_variables(options_.recorder, unchecked);
  variables.emplace_back(kLabelVariable, task.kernel);
  const std::string what = fmt::format("{} on {}", task.kernel, task.placed.pattern.name());
  start(what, task.placed,
        {"--kernel", task.kernel, "--iterations", fmt::format("{}", iterations_of(task.kernel))},
        variables);
  if (!fs::exists(unchecked, absent))
    throw Error(fmt::format("{} left no profile: is the training program built for the MPI of {}?",
                            what, options_.launcher));
  Profile profile = load_profile(unchecked);
  profile.scales_weakly = true;
  const std::string found = predict::measured_reference(profile, node_).pattern;
  if (found != task.placed.pattern.name())
    throw Error(fmt::format("{} ran on {} instead: {} does not bind ranks as it should", what,
                            found, options_.launcher));
  save_profile(profile, file_of(task));
  fs::remove(unchecked, absent);
  return profile;
}

void KernelRuns::count(const Task& task, const Profile& profile) {
  const Seconds time = profile.mean_computation_time();
  const double busy = busy_share(profile);
  const auto [found, is_new] = least_.try_emplace({task.placed.pattern, task.kernel},
                                                  Least{time, busy, file_of(task).string()});
  if (!is_new && time < found->second.time) found->second = {time, busy, file_of(task).string()};
}

KernelRunResult KernelRuns::run_all() {
  std::vector<Task> missing;
  std::size_t done = 0;
  for (const Task& task : tasks()) {
    const std::optional<Profile> profile = profile_of(task);
    if (profile)
      count(task, *profile);
    else
      missing.push_back(task);
    if (profile) ++done;
  }
  seconds_ = seconds_of_a_run(options_.budget, missing.size() + kernels_.size());
  observer_.begins(
      {kernels_.size(), placed_.size(), launcher_.hosts().size(), missing.size(), done, seconds_});
  const double end = now_s() + options_.budget.value;
  KernelRunResult result;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!missing[i].needed && now_s() > end) {
      result.left_out = missing.size() - i;
      break;
    }
    observer_.runs(i + 1, missing.size());
    count(missing[i], record(missing[i]));
  }
  for (const auto& [which, least] : least_) {
    result.profiles.push_back(least.file);
    if (least.busy < KernelRunResult::kUndisturbed) ++result.disturbed;
  }
  return result;
}

}  // namespace

KernelRunResult run_kernels(const KernelRunOptions& options, const commgraph::NodeTopology& node,
                            const KernelRunObserver& observer) {
  return KernelRuns(options, node, observer).run_all();
}

}  // namespace huddle::operations
