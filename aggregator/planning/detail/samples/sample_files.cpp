#include "aggregator/planning/detail/samples/sample_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "aggregator/predict/pattern/rank_shape.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

/// Number of runs that a plan is made from: newer ones say more about the next run than older ones.
constexpr std::size_t kMostSamples = 4;
/// Number of files that are read for them: a store may hold thousands of another program's, or
/// broken.
constexpr std::size_t kMostFiles = 64;

std::string named_size(const std::optional<double>& size) {
  return size ? "size " + problem_size_text(*size) : "unknown size";
}

/// Number of files that are read once there are enough samples: a job may have run other programs
/// as well.
constexpr std::size_t kMoreFiles = 12;

// True if `profile` is a sample of what the first one is of.
bool same_computation(const Profile& profile, const Profile& first) {
  if (profile.problem_size != first.problem_size || profile.script != first.script) return false;
  if (profile.executable == first.executable)
    return profile.launched.path.empty() || first.launched.path.empty() ||
           same_program(profile.launched, first.launched);
  return same_program(profile.program(), first.program()) &&
         same_program({profile.executable, profile.build_id}, {first.executable, first.build_id});
}

/// The programs of the newest job, as its profiles are found.
class ProgramsOfJob {
 public:
  // Nothing happens if it is of another job's program, or if there are enough of its kind.
  void take(Profile profile, const fs::path& file) {
    if (programs_.empty()) job_ = profile.slurm_job_id;
    auto own = std::find_if(programs_.begin(), programs_.end(), [&](const Samples& samples) {
      return same_computation(profile, samples.profiles.front());
    });
    if (own == programs_.end()) {
      if (!programs_.empty() && (job_ == 0 || profile.slurm_job_id != job_)) return;
      if (programs_.size() > kMostPrograms) return;
      own = programs_.emplace(programs_.end());
    }
    if (own->profiles.size() == kMostSamples) return;
    own->profiles.push_back(std::move(profile));
    own->files.push_back(file.string());
  }

  [[nodiscard]] bool enough() const {
    return !programs_.empty() &&
           std::all_of(programs_.begin(), programs_.end(), [](const Samples& samples) {
             return samples.profiles.size() == kMostSamples;
           });
  }

  std::vector<Samples> by_time() {
    std::stable_sort(programs_.begin(), programs_.end(), [&](const Samples& a, const Samples& b) {
      return time_in_job(a) > time_in_job(b);
    });
    return std::move(programs_);
  }

 private:
  [[nodiscard]] Seconds time_in_job(const Samples& samples) const {
    Seconds sum;
    for (const Profile& profile : samples.profiles)
      if (profile.slurm_job_id == job_) sum += profile.run_time();
    return sum;
  }

  std::vector<Samples> programs_;
  std::uint64_t job_ = 0;
};

// Throws Error unless a plan for that many ranks can be made from it. `whose`: names the run.
Profile usable_profile(const fs::path& file, const PlanRequest& request,
                       const commgraph::NodeTopology& node, std::string_view whose) {
  const std::uint32_t ranks = request.ranks;
  Profile profile = load_profile(file);
  if (!profile.complete)
    throw Error(fmt::format("{} was cut short: {} (its ranks must end by MPI_Finalize)", whose,
                            shortened(profile.cut_short_reason)));
  if (profile.ranks != ranks)
    throw Error(fmt::format("{} is of {} ranks, not of {}", file.string(), profile.ranks, ranks));
  if (profile.run_time() <= Seconds{0})
    throw Error(fmt::format("{} has no run time in it", file.string()));
  if (const std::string why = predict::why_other_cores(profile, node, request.cores_per_rank);
      !why.empty())
    throw Error(
        fmt::format("{} {} (--cpus-per-task of sbatch and of srun say how many each rank "
                    "gets)",
                    whose, why));
  return profile;
}

}  // namespace

bool is_built_anew(const LaunchedProgram& program) {
  if (program.build_id.empty()) return false;
  const std::string present = executables::build_id_of_file(program.path);
  return !present.empty() && present != program.build_id;
}

std::uint32_t nodes_of(const Profile& profile) {
  return static_cast<std::uint32_t>(profile.nodes().size());
}

StoredSamples stored_samples(const std::vector<fs::path>& files, const PlanRequest& request,
                             const commgraph::NodeTopology& node) {
  StoredSamples stored;
  ProgramsOfJob programs;
  std::size_t read = 0;
  std::size_t more = 0;
  for (const fs::path& file : files) {
    if (read++ == kMostFiles || (programs.enough() && more++ == kMoreFiles)) break;
    std::optional<Profile> profile;
    try {
      profile = usable_profile(file, request, node, "the last run");
      if (request.size && profile->problem_size != request.size)
        throw Error(fmt::format("the last run was of {}, not of {}",
                                named_size(profile->problem_size), named_size(request.size)));
      if (!request.script.empty() && !profile->script.empty() && profile->script != request.script)
        throw Error("the last run was of another script, or of other arguments of it");
      if (!request.program.path.empty() && !same_program(profile->program(), request.program))
        throw Error(fmt::format("the last run was of {}, not of {}",
                                shortened(profile->program().name()),
                                shortened(request.program.name())));
    } catch (const Error& error) {
      if (stored.passed_over.empty()) stored.passed_over = error.what();
      continue;
    }
    programs.take(std::move(*profile), file);
  }
  stored.programs = programs.by_time();
  return stored;
}

void add_samples(const std::vector<fs::path>& files, const PlanRequest& request,
                 const commgraph::NodeTopology& node, std::vector<Samples>& programs) {
  for (const fs::path& file : files) {
    try {
      Profile profile = usable_profile(file, request, node, "a packed run");
      for (Samples& samples : programs) {
        if (!same_computation(profile, samples.profiles.front())) continue;
        samples.profiles.push_back(std::move(profile));
        samples.files.push_back(file.string());
        break;
      }
    } catch (const Error&) {  // then the plan is made without it
    }
  }
}

void put_submitted_first(Samples& samples, const PlanRequest& request) {
  if (samples.profiles.empty()) return;
  std::size_t best = 0;
  for (std::size_t i = 1; i < samples.profiles.size(); ++i) {
    const std::uint32_t here = nodes_of(samples.profiles[i]);
    const std::uint32_t there = nodes_of(samples.profiles[best]);
    const bool as_asked = request.nodes && here == *request.nodes && there != *request.nodes;
    const bool wider = !(request.nodes && there == *request.nodes) && here > there;
    if (as_asked || wider) best = i;
  }
  const auto move = static_cast<std::ptrdiff_t>(best);
  std::rotate(samples.profiles.begin(), samples.profiles.begin() + move,
              samples.profiles.begin() + move + 1);
  std::rotate(samples.files.begin(), samples.files.begin() + move,
              samples.files.begin() + move + 1);
}

Samples given_samples(const PlanRequest& request, const commgraph::NodeTopology& node) {
  Samples samples;
  for (const fs::path& file : request.profiles) {
    Profile profile = usable_profile(file, request, node, "the run of " + file.string());
    if (request.size && profile.problem_size && profile.problem_size != request.size)
      throw Error(fmt::format("the run of {} is of {}, not of {}", file.string(),
                              named_size(profile.problem_size), named_size(request.size)));
    samples.profiles.push_back(std::move(profile));
    samples.files.push_back(fs::absolute(file).string());
  }
  return samples;
}

}  // namespace huddle::planning
