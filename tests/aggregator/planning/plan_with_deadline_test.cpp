#include "aggregator/planning/plan_with_deadline.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/planning/detail/store/plan_lock.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Action = Decision::Action;
using Site = PlanningSite;

constexpr std::string_view kStillMade =
    "the plan for this job is still being made: the next submission will have it";

fs::path plan_of_site(const Site& site) {
  return plan_path(site.store, site.request, profiles_for(site.store, site.request));
}

// Waits for something that a process in the background does.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST_CASE("a plan that is made in time is the answer, as without a limit") {
  Site site;
  site.put("1.json", run_of(8, 1));
  site.request.every_pattern = true;
  const JobAnswer answer = decide_job_within(60s, site.store, site.request);
  CHECK(answer.decision.action == Action::kApply);
  REQUIRE(answer.plan.has_value());
  CHECK(to_json(*answer.plan) == to_json(*site.answer().plan));
  CHECK(to_json(answer.decision) == to_json(site.decision()));
  CHECK_FALSE(fs::exists(PlanLock::file_for(plan_of_site(site))));
}

TEST_CASE("a plan that takes longer leaves this job alone, and the next one has it") {
  // On a busy machine a plan may be there before anybody looks whether it takes longer.
  constexpr int kMostTries = 20;
  for (int i = 0; i < kMostTries; ++i) {
    Site site;
    site.put("1.json", run_of(8, 1));
    const Decision first = decide_job_within(0s, site.store, site.request).decision;
    if (first.action != Action::kLeave) continue;
    CHECK(first.reason == kStillMade);
    const fs::path plan = plan_of_site(site);
    REQUIRE(comes_true([&] { return fs::exists(plan); }));
    const Decision second = decide_job_within(0s, site.store, site.request).decision;
    CHECK(second.action == Action::kApply);
    CHECK(second.plan_file == plan.string());
    return;
  }
  FAIL("all plans were made in no time");
}

TEST_CASE("a job without a profile is measured at once, and no process is started for it") {
  const Site site;
  CHECK(decide_job_within(0s, site.store, site.request).decision.action == Action::kMeasure);
}

TEST_CASE("that no pattern will do is known the next time, too") {
  Site site;
  Machine machine = slow_machine();
  machine.node_memory = {1};
  save_machine(machine, site.request.machine);
  Profile profile = run_of(8, 1);
  for (RankRecord& record : profile.rank_records) record.peak_resident = {100};
  site.put("1.json", profile);
  const Decision first = decide_job_within(60s, site.store, site.request).decision;
  CHECK(first.action == Action::kLeave);
  CHECK(first.reason.starts_with("no fewer nodes: "));
  const std::optional<JobAnswer> known = known_answer(site.store, site.request);
  REQUIRE(known.has_value());
  CHECK(known->decision.reason == first.reason);
}

TEST_CASE("while another process makes the plan, nobody else does") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const fs::path plan = plan_of_site(site);
  {
    const PlanLock other(plan);
    REQUIRE(other.held());
    CHECK(decide_job_within(50ms, site.store, site.request).decision.reason == kStillMade);
    CHECK_FALSE(fs::exists(plan));
  }
  // Its end, however it ended, lets the next one make it.
  CHECK(decide_job_within(60s, site.store, site.request).decision.action == Action::kApply);
}

TEST_CASE(
    "one process makes plans for a user at a time, and others leave it to a later submission") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const fs::path part = site.store.part_of(site.request.user);
  {
    const PlannerLock other(part, {});
    REQUIRE(other.held());
    CHECK_FALSE(PlannerLock(part, {}).held());
    CHECK(decide_job_within(5s, site.store, site.request).decision.reason ==
          "other plans of yours are being made: a later submission makes the one for this job");
    CHECK_FALSE(fs::exists(plan_of_site(site)));
  }
  CHECK(decide_job_within(60s, site.store, site.request).decision.action == Action::kApply);
}

TEST_CASE("whoever waits while another process makes the plan gets it as soon as it is there") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const fs::path plan = plan_of_site(site);
  const PlanLock other(plan);
  const std::string made = to_json(*decide_job(site.store, site.request).plan);
  fs::remove(plan);
  const pid_t child = ::fork();
  if (child == 0) {
    std::this_thread::sleep_for(200ms);
    save_plan(parse_plan(made, "made"), plan);
    ::_exit(0);
  }
  CHECK(decide_job_within(60s, site.store, site.request).decision.action == Action::kApply);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a plan whose makers never ended well is given up, with a reason") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const fs::path plan = plan_of_site(site);
  for (std::uint32_t i = 0; i < kMostPlanAttempts; ++i) {
    PlanLock killed(plan);
    CHECK(killed.attempts() == i);
    killed.begin();
  }
  const Decision decision = decide_job_within(60s, site.store, site.request).decision;
  CHECK(decision.action == Action::kLeave);
  CHECK(decision.reason.starts_with("a plan was begun 3 times and never done"));
  CHECK(decision.reason.ends_with("remove " + PlanLock::file_for(plan).string()));
  fs::remove(PlanLock::file_for(plan));
  CHECK(decide_job_within(60s, site.store, site.request).decision.action == Action::kApply);
}

TEST_CASE("an error of the plan's making is the error that is thrown, and counts as no attempt") {
  Site site;
  site.put("1.json", run_of(8, 1));
  store::put_file(site.request.machine, "{}");
  const auto complaint = [&] {
    return error_of([&] { static_cast<void>(decide_job_within(60s, site.store, site.request)); });
  };
  for (std::uint32_t i = 0; i <= kMostPlanAttempts; ++i)
    CHECK(complaint() ==
          site.request.machine.string() + ": field format: found nothing, expected this field");
}

TEST_CASE(
    "work in the background outlives what watches this process, and holds none of its files") {
  const store::TemporaryDirectory directory;
  const fs::path file = directory.path() / "pid";
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto work = [&] {
    std::ofstream(file) << ::getpid() << ' ' << ::getsid(0) << ' ' << std::flush;
    std::this_thread::sleep_for(300ms);
    std::ofstream(file, std::ios::app) << "done" << std::flush;
    return std::string();
  };
  const bool ended = run_detached(work, 0s).has_value();
  CHECK_FALSE(ended);
  ::close(ends[1]);
  pollfd stream{ends[0], POLLIN, 0};
  CHECK(::poll(&stream, 1, 60000) == 1);  // the end of the stream: nobody else holds the other end
  CHECK((stream.revents & POLLHUP) != 0);
  ::close(ends[0]);
  std::string text;
  REQUIRE(comes_true([&] {
    if (!fs::exists(file)) return false;
    text = store::get_file(file);
    return text.ends_with("done");
  }));
  const std::size_t space = text.find(' ');
  CHECK(text.substr(0, space) == text.substr(space + 1, text.find(' ', space + 1) - space - 1));
  CHECK(text.substr(0, space) != fmt::format("{}", ::getpid()));
}

TEST_CASE("work that takes more time or memory than it may is ended, with a reason") {
  DetachedLimits limits;
  limits.time = 1s;
  const auto sleep = [] {
    std::this_thread::sleep_for(100s);
    return std::string();
  };
  CHECK(error_of([&] { static_cast<void>(run_detached(sleep, 60s, limits)); }) ==
        "the process that makes the plan was ended by signal 14");
  limits.time = 60s;
  limits.memory = {std::uint64_t{64} << 20U};
  const auto hoard = [] {
    std::vector<std::string> much;
    for (int i = 0; i < 64; ++i) much.emplace_back(std::size_t{4} << 20U, 'x');
    return much.back().substr(0, 1);
  };
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(error_of([&] { static_cast<void>(run_detached(hoard, 60s, limits)); }) ==
        "making the plan takes more memory than it may");
#endif
  limits.memory = {std::uint64_t{1} << 40U};
  CHECK(run_detached(hoard, 60s, limits) == "x");
}

}  // namespace
}  // namespace huddle::planning
