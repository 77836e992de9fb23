#include "spank_plugin/launch/outcome_record.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/records/step_profiles.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::launch {
namespace {

struct Process {
  std::string name;
  pid_t parent = 0;
  /// In ticks since the system began.
  unsigned long long start = 0;
};

std::optional<Process> process_of(pid_t number) {
  std::ifstream file(fmt::format("/proc/{}/stat", number));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // "1234 (any name) S 1 ...": the name may hold spaces and brackets.
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  Process process;
  process.name = text.substr(begin + 1, end - begin - 1);
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  fields >> skipped >> process.parent;
  constexpr int kBetween = 17;  // the start is the 22nd field, the parent is the 4th
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  fields >> process.start;
  if (!fields) return std::nullopt;
  return process;
}

// NOLINTBEGIN(concurrency-mt-unsafe): srun and mpirun change no variable once they start ranks

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string told(StepWord word) {
  return own_step_word(word).value_or("");
}

template <class Number>
std::optional<Number> number(const char* name) {
  return number_in<Number>(variable(name));
}

std::string step_name(const OutcomeRun& run) {
  return run.step ? fmt::format("{}.{}", run.job, *run.step) : fmt::format("{}.batch", run.job);
}

store::StoreKey key_of(const Outcome& outcome) {
  return {outcome.user, outcome.label, outcome.ranks};
}

/// The record of the step that this process started.
class Record {
 public:
  Record(Outcome outcome, const store::Store& store)
      : outcome_(std::move(outcome)),
        folder_(store.folder(key_of(outcome_))),
        name_(store::Store::outcome_name(
            fmt::format("{}-pid{}", step_name(*outcome_.run), static_cast<int>(process_)),
            outcome_.run->start)) {}

  /// A process that was forked from the one which began the record has no end to record.
  [[nodiscard]] bool is_of_this_process() const { return process_ == ::getpid(); }

  [[nodiscard]] store::StoreKey key() const { return key_of(outcome_); }

  void write_begin() const {
    write();
    if (const fs::path mark = unreviewed_mark(); !mark.empty()) {
      files::make_way(mark);
      files::AtomicFile file(mark);
      file.write(name_);
      file.commit_soon();
    }
    name_claim_of_job();
  }

  void set_end(int status) {
    const std::chrono::duration<double> elapsed = Clock::now() - begun_;
    outcome_.end = {Seconds{elapsed.count()}, status & 0xff, age_of_batch_script()};
  }

  void write_end() {
    outcome_.profile_file = records::profile_of_step(folder_, outcome_);
    add_prediction();
    write();
    store_time();
    const fs::path mark = unreviewed_mark();
    if (!mark.empty() && outcome_.end->status == 0 && !outcome_.is_other_step()) fs::remove(mark);
  }

 private:
  void write() const {
    files::AtomicFile file(folder_ / name_);
    file.write(to_json(outcome_));
    file.commit_soon();
  }

  // Beside the stored plan of a packed job: that this run of it is still to be looked at before the
  // plan is followed again. Empty for a plan that is kept elsewhere.
  [[nodiscard]] fs::path unreviewed_mark() const {
    if (plan_.parent_path() != folder_ || !plan_.filename().string().starts_with("plan-"))
      return {};
    return store::unreviewed_run_path(plan_, step_name(*outcome_.run));
  }

  // The clocks that the job asked for, which runs have that are not measured; nothing if nobody
  // says why they were others than the nodes' own.
  [[nodiscard]] std::optional<std::string> clocks() const {
    const bool asked = outcome_.request && outcome_.treatment != Treatment::kMeasured;
    std::string clocks = asked ? compared_clocks(*outcome_.request) : std::string();
    const bool by_plan = asked && outcome_.treatment == Treatment::kPacked;
    if (outcome_.frequencies_set && clocks.empty() && !by_plan) return std::nullopt;
    return clocks;
  }

  // Runs are compared that ended in the same way, at the same clocks.
  void store_time() const {
    if (outcome_.is_other_step() || outcome_.end->elapsed <= Seconds{}) return;
    const OutcomeRun& run = *outcome_.run;
    const std::optional<std::string> clocks = this->clocks();
    if (run.launched.path.empty() || !clocks) return;
    store::TimedLayout layout{outcome_.script, run.launched.path, "", run.nodes, *clocks};
    if (!outcome_.plan_file.empty()) {
      if (!outcome_.prediction || outcome_.treatment != Treatment::kPacked) return;
      layout.pattern = pattern_;
    }
    store::store_timed_run(folder_, layout,
                           {run.job, step_name(run), run.start, outcome_.end->elapsed,
                            run.launched.build_id, outcome_.end->status});
  }

  // The submission could not know the job's number.
  void name_claim_of_job() const {
    const std::string claim = told(kClaimWord);
    const std::size_t space = claim.find(' ');
    if (space == std::string::npos) return;
    const fs::path file = folder_ / claim.substr(space + 1);
    if (file.parent_path() != folder_) return;
    try {
      store::name_claim(file, claim.substr(0, space), outcome_.run->job);
    } catch (const Error&) {  // then the job is known by its name
    }
  }

  void add_prediction() {
    if (outcome_.plan_file.empty()) return;
    try {
      const Plan plan = load_plan(outcome_.plan_file);
      if (!plan.keeps_nodes || plan.predicts_time()) outcome_.prediction = prediction_of(plan);
      pattern_ = store::timed_pattern(plan.chosen.pattern, plan.frequency.value_or(Hertz{}));
    } catch (const Error&) {  // removed meanwhile: the rest of the record is as good without it
    }
  }

  pid_t process_ = ::getpid();
  /// The job's; empty if it has none.
  fs::path plan_ = variable(kPlanVariable) + told(kGroupingWord);
  Clock::time_point begun_ = Clock::now();
  Outcome outcome_;
  /// By which its time is stored, with a prediction.
  std::string pattern_;
  fs::path folder_;
  std::string name_;
};

// A program neither waits for a file system that hangs, nor ends later for it.
std::optional<std::string> apart(const std::function<std::string()>& work) {
  constexpr std::chrono::milliseconds kTimeLimit{500};
  return processes::in_separate_process(work, kTimeLimit);
}

Record* record = nullptr;  // never destroyed: exit() may end statics before it calls on_end()

void on_end(int status, void*) {
  try {
    if (!record->is_of_this_process()) return;
    record->set_end(status);
    apart([] {
      record->write_end();
      return std::string();
    });
  } catch (...) {  // the record stays without an end
  }
}

// Slurm unloads its plugins while srun ends; a handler of exit() must still be there.
void stay_loaded() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<void*>(&on_end), &here) == 0 ||
      ::dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) == nullptr)
    throw Error("no record of this step: the plugin can't stay loaded until it ends");
}

}  // namespace

std::optional<Seconds> age_of_batch_script() {
  std::optional<Process> process = process_of(::getpid());
  constexpr int kDeepest = 100;
  for (int depth = 0; process && depth < kDeepest; ++depth) {
    const std::optional<Process> parent = process_of(process->parent);
    if (parent && parent->name == "slurmstepd") {
      timespec now{};
      const long ticks = ::sysconf(_SC_CLK_TCK);
      if (ticks <= 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
      const double age = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
                         static_cast<double>(process->start) / static_cast<double>(ticks);
      return Seconds{std::max(age, 0.0)};
    }
    process = parent;
  }
  return std::nullopt;
}

std::optional<Outcome> promised_outcome() {
  const std::string text = told(kOutcomeWord);
  if (text.empty()) return std::nullopt;
  return parse_outcome(text, kOutcomePlace);
}

OutcomeRun run_of_this_job() {
  OutcomeRun run;
  run.cluster = variable("SLURM_CLUSTER_NAME");
  run.job = number<std::uint64_t>("SLURM_JOB_ID").value_or(0);
  run.nodes = number<std::uint32_t>("SLURM_JOB_NUM_NODES").value_or(0);
  const auto array = number<std::uint64_t>("SLURM_ARRAY_JOB_ID");
  const auto task = number<std::uint32_t>("SLURM_ARRAY_TASK_ID");
  if (array && task) run.array = OutcomeRun::ArrayTask{*array, *task};
  run.start = utc_now();
  return run;
}

void begin_record(Outcome outcome, RecordEnd end) {
  const std::string root = told(kOutcomeStoreWord);
  if (root.empty() || outcome.run->step.value_or(0) >= kMostRecordedSteps) return;
  const store::Store store(root);
  auto begun = std::make_unique<Record>(std::move(outcome), store);
  if (end == RecordEnd::kWithProcess) stay_loaded();
  const std::string kBegun = "begun";
  const auto answer = apart([&] {
    if (!store.has_folder(begun->key())) return std::string();
    begun->write_begin();
    return kBegun;
  });
  if (answer != kBegun || end == RecordEnd::kUnknown) return;
  delete std::exchange(record, begun.release());  // a process has one, but for those of tests
  if (::on_exit(on_end, nullptr) != 0)
    throw Error("this step's record stays without an end: no memory for another exit handler");
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle::launch
