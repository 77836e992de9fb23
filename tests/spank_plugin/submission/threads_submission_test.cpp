#include <doctest/doctest.h>

#include <map>
#include <string>

#include "profiles/store/first_run.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle {
namespace {

/// Submits one job, and looks at what became of HUDDLE_THREADS.
struct ThreadsSite {
  std::string threads_of(const std::string& option, const std::string& policy = "",
                         Decision::Action action = Decision::Action::kApply) {
    site.answer_with(action, 2, teams);
    release_first_run(site.path("plan.json"));
    site.slurm = {};
    site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    if (!teams_of_user.empty()) site.slurm.variables[kTeamsVariable] = teams_of_user;
    if (!set_by_user.empty()) site.slurm.variables[kThreadsVariable] = set_by_user;
    site.put_policy("off", policy);
    site.submit(option);
    const auto found = site.slurm.variables.find(kThreadsVariable);
    return found == site.slurm.variables.end() ? "none" : found->second;
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return !site.slurm.lines.empty() && site.slurm.lines.back().find(words) != std::string::npos;
  }
  SubmissionSite site;
  std::string set_by_user;
  std::string teams;
  std::string teams_of_user;
};

}  // namespace

TEST_CASE("the threads of a job are acted on where it asks for that and is not measured") {
  ThreadsSite job;
  CHECK(job.threads_of("auto,threads=auto") == "auto");
  CHECK(job.site.slurm.variables.contains(kRecorderVariable));  // who acts is in it
  CHECK(job.site.slurm.variables.at(kPackedRunVariable) == "1");
  CHECK(job.says("its threads sleep while they wait long"));
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kLeave) == "auto");
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kMeasure) == "none");
  CHECK(job.says("its threads wait as they are used to while it is measured"));
  CHECK(job.threads_of("auto") == "none");
}

TEST_CASE("a site may forbid it, and a job that asked for it gets a line that says so") {
  ThreadsSite job;
  CHECK(job.threads_of("auto,threads=auto", "threads.allow = false\n") == "none");
  CHECK(job.says("its threads stay as they are: the site does not allow it (threads.allow"));
  CHECK(job.threads_of("auto", "threads.allow = false\n") == "none");
  CHECK_FALSE(job.says("threads"));
}

TEST_CASE("a site may make it the default, and a user's own word wins") {
  ThreadsSite job;
  CHECK(job.threads_of("auto", "threads.auto_by_default = true\n") == "auto");
  CHECK(job.threads_of("auto,threads=keep", "threads.auto_by_default = true\n") == "none");
}

TEST_CASE("HUDDLE_THREADS asks for it as the option does, which wins") {
  ThreadsSite job;
  job.set_by_user = "auto";
  CHECK(job.threads_of("auto") == "auto");
  CHECK(job.threads_of("auto,threads=keep") == "none");
  CHECK(job.threads_of("auto", "threads.allow = false\n") == "none");
  CHECK(job.threads_of("auto", "", Decision::Action::kMeasure) == "none");
  job.set_by_user = "pack";
  CHECK(job.threads_of("auto") == "pack");
  CHECK(job.threads_of("auto,threads=auto") == "pack");
  job.set_by_user = "keep";
  CHECK(job.threads_of("auto") == "none");
}

TEST_CASE("threads=pack lets teams be tried, or run as the plan or the user says") {
  ThreadsSite job;
  CHECK(job.threads_of("auto,threads=pack") == "pack");
  CHECK_FALSE(job.site.slurm.variables.contains(kTeamsVariable));
  CHECK(job.says("its teams are tried on fewer cores for some moments"));
  job.teams = "bound 0.05;0-15 7=2";
  CHECK(job.threads_of("auto,threads=pack") == "pack");
  CHECK(job.site.slurm.variables.at(kTeamsVariable) == job.teams);
  CHECK(job.says("its teams run on as many cores as was chosen for them"));
  CHECK(job.threads_of("auto,threads=auto") == "auto");
  CHECK_FALSE(job.site.slurm.variables.contains(kTeamsVariable));
  job.teams_of_user = "bound 0;0 8=1";
  CHECK(job.threads_of("auto,threads=pack") == "pack");
  CHECK(job.site.slurm.variables.at(kTeamsVariable) == job.teams_of_user);
}

}  // namespace huddle
