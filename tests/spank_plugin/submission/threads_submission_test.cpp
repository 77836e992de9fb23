#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>

#include "profiles/store/team_sizes.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

/// Submits one job, and looks at what became of HUDDLE_THREADS.
struct ThreadsSite {
  std::string threads_of(const std::string& option, const std::string& policy = "",
                         Decision::Action action = Decision::Action::kApply) {
    answer(action);
    site.slurm = {};
    site.slurm.options = {{"nodes", nodes}, {"ntasks", "16"}};
    if (!cores.empty()) site.slurm.options["cpus-per-task"] = cores;
    if (!teams_of_user.empty()) site.slurm.variables[kTeamsVariable] = teams_of_user;
    if (!sizes_of_another_run.empty()) tell(site.slurm, kTeamSizesWord, sizes_of_another_run);
    if (!set_by_user.empty()) site.slurm.variables[kThreadsVariable] = set_by_user;
    site.put_policy("off", policy);
    site.submit(option);
    const auto found = site.slurm.variables.find(kThreadsVariable);
    return found == site.slurm.variables.end() ? "none" : found->second;
  }
  void answer(Decision::Action action) const {
    Decision decision{action, "what was decided", site.path("plan.json"), 2, 8, "2:2:2"};
    decision.teams = teams;
    decision.teams_reason = why_teams;
    decision.teams_untried = untried;
    decision.teams_programs = programs;
    if (action != Decision::Action::kApply) decision.plan_file.clear();
    site.answer_with(to_json(decision));
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return !site.slurm.lines.empty() && site.slurm.lines.back().find(words) != std::string::npos;
  }
  SubmissionSite site;
  std::string set_by_user;
  std::string nodes = "8";
  std::string cores;
  std::string teams;
  std::string why_teams;
  bool untried = false;
  std::string teams_of_user;
  std::string sizes_of_another_run;
  TeamPrograms programs = {};
};

}  // namespace

TEST_CASE("the threads of a job are acted on where it asks for that and is not measured") {
  ThreadsSite job;
  CHECK(job.threads_of("auto,threads=auto") == "auto");
  CHECK(job.site.slurm.variables.contains(kRecorderVariable));  // who acts is in it
  CHECK(told(job.site.slurm, kPackedRunWord).value() == "1");
  CHECK(job.says(
      "its threads sleep while they wait long, but where it is unknown who shares their CPUs"));
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
  CHECK(job.threads_of("auto", "threads.allow = \"by default\"\n") == "auto");
  CHECK(job.threads_of("auto,threads=keep", "threads.allow = \"by default\"\n") == "none");
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

TEST_CASE("a job whose teams are tried may choose by that while it runs, within its own bound") {
  ThreadsSite job;
  const std::string machine = "machine.file = \"/cluster/machine.json\"\n";
  const auto choose = [&](const std::string& option, const std::string& policy) {
    job.threads_of(option, policy);
    const auto found = job.site.slurm.variables.find(kChooseVariable);
    return found == job.site.slurm.variables.end() ? "none" : found->second;
  };
  CHECK(choose("auto,threads=pack,slowdown=3%", machine) == "0.03 energy /cluster/machine.json");
  CHECK(choose("auto,threads=pack,objective=edp", machine) == "0.05 edp /cluster/machine.json");
  CHECK(choose("auto,threads=pack", "") == "none");
  CHECK(choose("auto,threads=auto", machine) == "none");
  CHECK(choose("auto", machine) == "none");
  job.teams = "bound 0.05;0-15 7=2";
  CHECK(choose("auto,threads=pack", machine) == "none");
  job.teams.clear();
  job.why_teams = "no gain";
  CHECK(choose("auto,threads=pack", machine) == "none");
}

TEST_CASE("threads=auto does the same where ranks have several cores, and asks for a choice") {
  ThreadsSite job;
  job.cores = "4";
  job.untried = true;
  job.why_teams = "no run tried packed teams yet";
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kLeave) == "pack");
  CHECK(job.site.request().packs_threads);
  CHECK(job.says("its teams are tried on fewer cores for some moments: no run tried packed teams"));
  job.untried = false;
  job.teams = "bound 0.05;0-15 7=2";
  job.why_teams = "4 % less energy";
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kLeave) == "pack");
  CHECK(job.site.slurm.variables.at(kTeamsVariable) == job.teams);
  CHECK(job.says("its teams run on as many cores as was chosen for them: 4 % less energy"));
  job.set_by_user = "auto";
  CHECK(job.threads_of("auto", "", Decision::Action::kLeave) == "pack");
}

TEST_CASE("teams for which nothing is to be gained are tried no more, and the user reads why") {
  ThreadsSite job;
  job.why_teams = "nothing changes";
  CHECK(job.threads_of("auto,threads=pack", "", Decision::Action::kLeave) == "auto");
  CHECK_FALSE(job.site.slurm.variables.contains(kTeamsVariable));
  CHECK(job.says("its teams stay as they are: nothing changes"));
  job.teams_of_user = "bound 0;0 8=1";
  CHECK(job.threads_of("auto,threads=pack", "", Decision::Action::kLeave) == "pack");
}

TEST_CASE(
    "no choice is asked for without the option, by a site's default, or where it is forbidden") {
  ThreadsSite job;
  job.cores = "4";
  CHECK(job.threads_of("auto", "", Decision::Action::kLeave) == "none");
  CHECK_FALSE(job.site.request().packs_threads);
  CHECK(job.threads_of("auto", "threads.allow = \"by default\"\n", Decision::Action::kLeave) ==
        "auto");
  CHECK_FALSE(job.site.request().packs_threads);
  CHECK(job.threads_of("auto,threads=pack", "threads.allow = false\n", Decision::Action::kLeave) ==
        "none");
  CHECK_FALSE(job.site.request().packs_threads);
}

TEST_CASE(
    "a job of one node is measured for its teams, then has those chosen, and stays where it is") {
  ThreadsSite job;
  job.cores = "4";
  job.nodes = "1";
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kMeasure) == "none");
  CHECK(job.says("its threads wait as they are used to while it is measured"));
  CHECK(job.site.request().samples == 1);
  job.teams = "bound 0.05;0-15 7=2";
  job.why_teams = "4 % less energy";
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kLeave) == "pack");
  CHECK(job.site.slurm.variables.at(kTeamsVariable) == job.teams);
  CHECK(job.says("it uses one node only"));
  CHECK(job.site.slurm.options.at("nodes") == "1");
  // A plan that packs is none of its answers.
  CHECK(job.threads_of("auto,threads=auto", "", Decision::Action::kApply) == "pack");
  CHECK_FALSE(job.site.slurm.variables.contains(kTeamsVariable));
  CHECK_FALSE(job.site.slurm.variables.contains(kPlanVariable));
}

TEST_CASE("a job that keeps its nodes is asked for as well if its threads may be packed") {
  ThreadsSite job;
  job.cores = "4";
  job.teams = "bound 0.05;0-15 7=2";
  job.why_teams = "4 % less energy";
  CHECK(job.threads_of("auto,threads=auto,nodes=keep", "", Decision::Action::kLeave) == "pack");
  CHECK(job.site.request().packs_threads);
  CHECK(job.site.slurm.variables.at(kTeamsVariable) == job.teams);
  CHECK_FALSE(job.site.slurm.variables.contains(kPlanVariable));
}

TEST_CASE("ranks whose threads may be packed know of which programs teams may have other sizes") {
  ThreadsSite job;
  const auto sizes = [&](const std::string& option) {
    static_cast<void>(job.threads_of(option));
    return told(job.site.slurm, kTeamSizesWord).value_or("");
  };
  CHECK(sizes("auto,threads=pack").empty());
  const store::Store store(job.site.path("store"));
  const std::string user = job.site.slurm.user();
  std::filesystem::create_directories(store.root() / user);
  const std::filesystem::path folder = store::SizesConsents::folder_in(store, user);
  std::filesystem::create_directories(folder);
  store::SizesConsents(folder).give("ab12", "/program");
  CHECK(store::parse_team_sizes(sizes("auto,threads=pack"), "ab12").state ==
        store::SizesState::kAudit);
  CHECK(sizes("auto,threads=auto").empty());
}

TEST_CASE("sizes that an environment allows without the user's consent are not passed on") {
  ThreadsSite job;
  job.sizes_of_another_run = "run ab12=act /folder";
  for (const char* option : {"auto,threads=pack", "auto,threads=auto", "auto,threads=keep"}) {
    static_cast<void>(job.threads_of(option));
    const bool packs = job.site.slurm.variables.contains(kThreadsVariable);
    CHECK((!packs || !told(job.site.slurm, kTeamSizesWord)));
  }
}

TEST_CASE("teams have the sizes that were chosen only as long as their user allows it") {
  ThreadsSite job;
  job.teams = "bound 0.05;0-3 7=2*2 8=2;4-15 7=1*1";
  job.why_teams = "9 % less energy";
  job.programs = {{"ab12", "cd34"}, {"cd34"}};
  const auto teams = [&] {
    CHECK(job.threads_of("auto,threads=pack") == "pack");
    const auto found = job.site.slurm.variables.find(kTeamsVariable);
    return found == job.site.slurm.variables.end() ? std::string() : found->second;
  };
  const std::string packed = "bound 0.05;0-3 8=2";
  CHECK(teams() == packed);  // nobody has consented
  CHECK(job.says("its teams run on as many cores as was chosen for them"));
  const store::Store store(job.site.path("store"));
  const std::string user = job.site.slurm.user();
  std::filesystem::create_directories(store.root() / user / "~team-sizes");
  const store::SizesConsents consents(store::SizesConsents::folder_in(store, user));
  consents.give("cd34", "/program");
  CHECK(teams() == packed);  // no run has tried it
  CHECK(job.says("its teams may have fewer threads for some moments, to try what its user allows"));
  CHECK(consents.begin_audit("cd34", "run"));
  CHECK(teams() == packed);  // it has not ended well
  consents.end_audit("cd34", "run", "");
  CHECK(teams() == job.teams);
  CHECK(
      job.says("its teams have as many threads and cores as was chosen for them: 9 % less energy"));
  const std::string sizes = told(job.site.slurm, kTeamSizesWord).value();
  CHECK(store::parse_team_sizes(sizes, "cd34").state == store::SizesState::kAct);
  consents.withdraw("cd34");
  CHECK(teams() == packed);
  job.teams = "bound 0.05;0-15 7=1*1";
  job.threads_of("auto,threads=pack");
  CHECK(job.says(
      "its teams stay as they are: what was chosen is a size that its user does not allow"));
}

TEST_CASE("a job whose teams would stay is run once with smaller ones where its user allows it") {
  ThreadsSite job;
  job.why_teams = "nothing changes";
  job.programs = {{"ab12"}, {}};
  CHECK(job.threads_of("auto,threads=pack") == "auto");
  const store::Store store(job.site.path("store"));
  const std::string user = job.site.slurm.user();
  std::filesystem::create_directories(store.root() / user / "~team-sizes");
  const store::SizesConsents consents(store::SizesConsents::folder_in(store, user));
  consents.give("ab12", "/program");
  CHECK(job.threads_of("auto,threads=pack") == "pack");
  CHECK_FALSE(job.site.slurm.variables.contains(kTeamsVariable));
  CHECK(store::parse_team_sizes(told(job.site.slurm, kTeamSizesWord).value(), "ab12").state ==
        store::SizesState::kAudit);
  consents.give("cd34", "/another program");
  consents.withdraw("ab12");
  CHECK(job.threads_of("auto,threads=pack") == "auto");
}

}  // namespace huddle::submission
