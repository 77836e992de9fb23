#include "aggregator/planning/detail/store/job_state.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <optional>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <sstream>
#include <string_view>
#include <vector>

#include "profiles/processes/child_process.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

constexpr std::string_view kUnknown = "UNKNOWN";

processes::ChildResult run(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/env");
  return processes::run_child(words, std::chrono::milliseconds(500));
}

std::string word_at(std::string_view text, std::size_t begin) {
  return std::string(text.substr(begin, text.find_first_of(" \n|+", begin) - begin));
}

// The user's number, for squeue: from Slurm 25.11 on it takes no user who is called nobody. The
// name where there is no such user.
std::string number_of(const std::string& user) {
  const passwd* entry = ::getpwnam(user.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  return entry == nullptr ? user : std::to_string(entry->pw_uid);
}

std::string accounted_state(std::uint64_t job) {
  const processes::ChildResult result = run({"sacct", "--noheader", "--parsable2", "--allocations",
                                             "--format=State", fmt::format("--jobs={}", job)});
  if (result.timed_out) return {};
  // Sites without accounting have no more to say.
  if (result.status != 0 || result.output.empty()) return std::string(kUnknown);
  return word_at(result.output, 0);
}

// States of a job that is not over.
constexpr std::array<std::string_view, 10> kGoingOn = {
    "PENDING",  "CONFIGURING", "RUNNING",      "COMPLETING", "SUSPENDED",
    "REQUEUED", "STAGE_OUT",   "REQUEUE_HOLD", "SIGNALING",  "EXPEDITING"};

}  // namespace

std::string ask_for_job_state(std::uint64_t job) {
  try {
    const processes::ChildResult result =
        run({"scontrol", "--oneliner", "show", "job", std::to_string(job)});
    if (result.timed_out) return {};
    constexpr std::string_view kState = "JobState=";
    if (const std::size_t at = result.output.find(kState); at != std::string::npos)
      return word_at(result.output, at + kState.size());
    if (result.errors.find("Invalid job id") == std::string::npos) return {};
    return accounted_state(job);
  } catch (const Error&) {
    return {};
  }
}

bool is_going_on(std::string_view state) {
  return std::find(kGoingOn.begin(), kGoingOn.end(), state) != kGoingOn.end();
}

std::optional<bool> ask_for_submitted_job(const std::string& user, const std::string& name,
                                          UtcTime from, UtcTime to) {
  try {
    // The user's own settings of squeue are for people.
    const processes::ChildResult result =
        run({"--unset=SQUEUE_NAMES", "--unset=SQUEUE_PARTITION", "--unset=SQUEUE_ACCOUNT",
             "--unset=SQUEUE_QOS", "--unset=SQUEUE_FEDERATION", "SLURM_TIME_FORMAT=%s", "squeue",
             "--noheader", "--local", "--user=" + number_of(user),
             "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,REQUEUED", "--format=%V %j"});
    if (result.timed_out || result.status != 0) return std::nullopt;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.find(' ');
      std::int64_t seconds = 0;
      const auto [end, failure] =
          std::from_chars(line.data(), line.data() + std::min(space, line.size()), seconds);
      if (failure != std::errc{} || space == std::string::npos) return std::nullopt;
      const UtcTime submitted{std::chrono::seconds(seconds)};
      if (submitted >= from && submitted <= to && (name.empty() || line.substr(space + 1) == name))
        return true;
    }
    return false;
  } catch (const Error&) {
    return std::nullopt;
  }
}

namespace {

using std::chrono::seconds;

// The longest that a submission takes which is not seen to go on, and the most that clocks differ
// by.
constexpr seconds kSubmission{120};
constexpr seconds kClocks{30};
// For how long a claim counts of which Slurm says nothing.
constexpr std::chrono::hours kPatience{6};

// Before its first step only its submission's moment and its name tell the job from others. While
// one of several that are alike waits or runs, it may be this one.
bool may_be_waiting(const store::JobClaim& claim, const PlanRequest& request) {
  const auto age = utc_now() - claim.made;
  const std::optional<bool> going_on = store::is_being_submitted(claim);
  if (going_on.value_or(age < kSubmission)) return true;
  return ask_for_submitted_job(request.user, claim.job_name, claim.made - kClocks,
                               claim.made + kSubmission)
      .value_or(age < kPatience);
}

bool is_over(const store::JobClaim& claim, const PlanRequest& request, const JobStates& state_of) {
  if (claim.job == 0) return !may_be_waiting(claim, request);
  const std::string state = state_of(claim.job);
  if (state.empty()) return utc_now() - claim.made > kPatience;
  // Then its steps have ended.
  return state == "COMPLETING" || !is_going_on(state);
}

}  // namespace

bool is_held(const std::filesystem::path& file, const PlanRequest& request,
             const JobStates& state_of) {
  const std::optional<store::JobClaim> claim = store::read_claim(file);
  if (!claim) return false;
  if (!is_over(*claim, request, state_of)) return true;
  if (!request.dry_run) store::end_claim(file, *claim);
  return false;
}

}  // namespace huddle::planning
