#include "profiles/recorder/process/run_request.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "profiles/files/atomic_file.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/store/recorded_runs.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::recorder {

namespace {

// Ranks that mpirun starts on other nodes may have other Slurm variables, or none: under mpirun
// only its own count. Both its number for the run and Slurm's may be reused; the launchers' ports,
// which are random, distinguish such runs. PRRTE's name has its host and process in it.
std::string name_of_run(const Environment& environment) {
  const auto text = [&](const char* name) { return text_of(environment, name); };
  const auto space = text("PMIX_NAMESPACE");
  if (const auto launcher = text("OMPI_MCA_orte_hnp_uri"); !launcher.empty())
    return fmt::format("mpirun {} {}", space, launcher);
  if (space.starts_with("prte")) return std::string(space);
  if (!text("SLURM_STEP_ID").empty())
    return fmt::format("slurm {} {}.{} restart {} port {} {}", text("SLURM_CLUSTER_NAME"),
                       text("SLURM_JOB_ID"), text("SLURM_STEP_ID"), text("SLURM_RESTART_COUNT"),
                       text("SLURM_SRUN_COMM_PORT"), space);
  if (!space.empty()) return std::string(space);
  // MPICH's mpiexec passes its ranks no name of the run, but its helper on each node its port.
  if (!text("PMI_RANK").empty())
    if (const std::string port = option_of_ancestor("--control-port"); !port.empty())
      return fmt::format("mpiexec {}", port);
  return {};
}

}  // namespace

// The innermost launcher first: mpirun runs inside of Slurm, and not the other way round.
Launch Launch::from(const Environment& environment) {
  struct Source {
    const char* rank;
    const char* ranks;
    const char* local_rank;
  };
  Launch launch;
  // MPICH's mpiexec alone sets the local number. Its proxies are tasks of an srun, which gives them
  // numbers of their own, and ranks inherit those.
  const bool by_mpiexec = number_of<std::uint32_t>(environment, "MPI_LOCALRANKID").has_value();
  for (const Source source :
       {Source{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
        Source{by_mpiexec ? "PMI_RANK" : "PMIX_RANK",
               by_mpiexec ? "PMI_SIZE" : "SLURM_STEP_NUM_TASKS",
               by_mpiexec ? "MPI_LOCALRANKID" : "SLURM_LOCALID"},
        Source{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
        Source{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
        Source{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"}}) {
    launch.rank = number_of<std::uint32_t>(environment, source.rank);
    if (!launch.rank) continue;
    launch.ranks = number_of<std::uint32_t>(environment, source.ranks).value_or(0);
    launch.local_rank = number_of<std::uint32_t>(environment, source.local_rank);
    break;
  }
  launch.run = name_of_run(environment);
  return launch;
}

namespace {

// SLURM_BATCH_SCRIPT of slurm.h.
constexpr std::uint32_t kBatchStep = 0xfffffffbU;

std::filesystem::path absolute(std::string_view text) {
  std::error_code no_directory;
  const std::filesystem::path path = std::filesystem::absolute(text, no_directory);
  return no_directory ? std::filesystem::path(text) : path;
}

// A profile has some ten kilobytes for each rank.
constexpr std::uint32_t kMostSpooledRanks = 4096;

// In a folder that others may make anything can be anybody's.
bool is_own_folder(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

}  // namespace

Job Job::from(const Environment& environment) {
  Job job;
  job.id = number_of<std::uint64_t>(environment, "SLURM_JOB_ID").value_or(0);
  if (job.id != 0)
    job.step = number_of<std::uint32_t>(environment, "SLURM_STEP_ID").value_or(kBatchStep);
  return job;
}

std::string RunIdentity::name() const {
  if (job.id == 0) return fmt::format("pid{}", process);
  if (job.step == kBatchStep) return fmt::format("{}.batch-pid{}", job.id, process);
  return fmt::format("{}.{}-pid{}", job.id, job.step, process);
}

std::optional<Destination> Destination::from(const Environment& environment,
                                             std::string_view program) {
  const std::string_view file = text_of(environment, kProfileVariable);
  const std::string_view store = text_of(environment, kStoreVariable);
  if (file.empty() && store.empty()) return std::nullopt;
  Destination destination;
  if (!file.empty())
    destination.file_ = absolute(file);
  else
    destination.store_ = absolute(store);
  if (const std::filesystem::path spool = text_of(environment, kSpoolVariable);
      file.empty() && spool.is_absolute() && text_of(environment, kTraceVariable).empty() &&
      is_own_folder(spool))
    destination.spool_ = spool;
  const std::string_view told = text_of(environment, kStepVariable);
  if (raw_step_word(told, kPackedRunWord) == "1")
    destination.prefix_ = store::Store::kPackedProfilePrefix;
  destination.label_ = text_of(environment, kLabelVariable);
  destination.script_ = step_word(told, kScriptWord).value_or("");
  destination.launched_ = launched_program_of(step_word(told, kProgramWord).value_or(""));
  if (destination.label_.empty())
    destination.label_ = std::filesystem::path(program).filename().string();
  const std::string_view size = text_of(environment, kSizeVariable);
  destination.problem_size_ = parse_problem_size(size);
  if (!size.empty() && !destination.problem_size_)
    destination.why_no_size_ =
        fmt::format("The problem size is unknown: HUDDLE_SIZE is \"{}\", not {}.", shortened(size),
                    kProblemSizes);
  return destination;
}

void Destination::keep_as_balanced() {
  prefix_ = store::Store::kBalancedProfilePrefix;
}

Encoding Destination::encoding(std::uint32_t ranks) const {
  if (file_.empty()) return encoding_for(ranks);
  return file_.extension() == ".cbor" ? Encoding::kCbor : Encoding::kJson;
}

bool Destination::spooled(std::uint32_t ranks) const {
  return !spool_.empty() && ranks <= kMostSpooledRanks;
}

std::uint32_t Destination::claim_number(std::uint32_t ranks, const std::string& program) const {
  return file_.empty() ? 1 : store::RunList(file_).add({ranks, program});
}

std::filesystem::path Destination::path(const std::string& user, std::uint32_t ranks,
                                        const RunIdentity& run,
                                        std::chrono::system_clock::time_point when) const {
  if (!file_.empty()) return store::file_of_run(file_, run.number);
  const store::Store store(spooled(ranks) ? spool_ : store_);
  const auto folder = store.make_folder({user, label_, ranks});
  return folder /
         store::Store::profile_name(run.name(), extension_of(encoding(ranks)), when, prefix_);
}

void Destination::leave_for_record(const std::string& user, std::uint32_t ranks,
                                   const RunIdentity& run,
                                   const std::vector<std::string>& lines) const {
  const store::StoreKey key{user, label_, ranks};
  if (!file_.empty() || run.job.id == 0 || ranks == 0 || lines.empty()) return;
  if (!spooled(ranks) && !store::Store(store_).has_folder(key)) return;
  const store::Store store(spooled(ranks) ? spool_ : store_);
  files::AtomicFile file(store.make_folder(key) /
                         fmt::format("{}{}", store::Store::kSaidPrefix, run.name()));
  for (const std::string& line : lines) file.write(line + "\n");
  file.commit_soon();
}

std::filesystem::path Destination::landmark(const std::string& user) const {
  if (!file_.empty()) return file_;
  return store::Store(store_).folder({user, label_, 0}).parent_path();
}

// All folders above the profile, so that what is wrong with them is reported now.
void Destination::make_landmark(const std::string& user, std::uint32_t ranks) const {
  if (file_.empty()) store::Store(store_).make_folder({user, label_, ranks});
}

namespace {

constexpr std::uint64_t kLargestLimit = std::uint64_t{1} << 40U;

}  // namespace

TraceRequest TraceRequest::from(const Environment& environment) {
  TraceRequest request;
  const auto folder = text_of(environment, kTraceVariable);
  request.beside_profile = folder == "1";
  if (!folder.empty() && !request.beside_profile)
    request.folder = std::filesystem::absolute(folder);
  if (const auto limit = number_of<std::uint64_t>(environment, kTraceLimitVariable);
      limit && *limit > 0)
    request.limit_bytes = std::min(*limit, kLargestLimit) * kMiB;
  return request;
}

}  // namespace huddle::recorder
