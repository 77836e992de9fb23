// Whatever becomes of the files of a store, the next submission is answered: what is damaged counts
// as missing, is made anew where it can be, and nothing that a link leads to is read or changed.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/plan_with_deadline.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/store/timed_runs.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 9> kDamages = {
    "empty", "truncated", "link", "dangling link", "folder", "pipe", "garbled", "version", "ranks"};

std::string with_replaced(std::string text, std::string_view found, std::string_view by) {
  if (const std::size_t at = text.find(found); at != std::string::npos)
    text.replace(at, found.size(), by);
  return text;
}

/// A store with all that submissions read, and what becomes of it.
class DamagedStore {
 public:
  DamagedStore(const store::Store& store, const PlanRequest& request)
      : store_(store), request_(request) {
    fs::copy(store_.root(), untouched_.path(), fs::copy_options::recursive);
    store::put_file(outside(), kSecret);
  }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(store_.part_of(request_.user)))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  void damage(const fs::path& file, std::string_view how, std::mt19937_64& random) const {
    const std::string text = store::get_file(file);
    fs::remove(file);
    if (how == "link") return fs::create_symlink(outside(), file);
    if (how == "dangling link") return fs::create_symlink("/nowhere/at/all", file);
    if (how == "pipe") return static_cast<void>(::mkfifo(file.c_str(), 0600));
    if (how == "folder") {
      fs::create_directory(file);
      return store::put_file(file / "something", "of somebody's");
    }
    store::put_file(file, damaged(text, how, random));
  }

  [[nodiscard]] JobAnswer answer() const { return decide_job_within(30s, store_, request_); }

  /// As it was, with the same ages.
  void mend() const {
    const fs::path part = store_.part_of(request_.user);
    fs::remove_all(part);
    fs::copy(untouched_.path() / part.filename(), part, fs::copy_options::recursive);
  }

  [[nodiscard]] bool outside_is_untouched() const { return store::get_file(outside()) == kSecret; }

 private:
  static constexpr std::string_view kSecret = "{\"format\": \"huddle/plan\", \"version\": 1}";

  [[nodiscard]] fs::path outside() const { return outside_.path() / "secret"; }

  static std::string damaged(const std::string& text, std::string_view how,
                             std::mt19937_64& random) {
    if (how == "empty") return {};
    if (how == "truncated") return text.substr(0, random() % std::max<std::size_t>(text.size(), 1));
    if (how == "version") return with_replaced(text, "\"version\": 1", "\"version\": 9");
    if (how == "ranks") return with_replaced(text, "\"ranks\": 8", "\"ranks\": 7");
    std::string garbled = text;
    for (char& c : garbled)
      if (random() % 8 == 0) c = static_cast<char>(random());
    return garbled;
  }

  const store::Store& store_;
  const PlanRequest& request_;
  store::TemporaryDirectory untouched_;
  store::TemporaryDirectory outside_;
};

bool is_claim(const fs::path& file) {
  return file.extension() == ".first";
}

bool is_made_anew(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("plan-") && name.find(".run-") == std::string::npos && !is_claim(file);
}

// Reads what is stored again: the answer's plan, or its note.
void check_is_whole(const Decision& decision) {
  if (!decision.plan_file.empty()) CHECK_NOTHROW(static_cast<void>(load_plan(decision.plan_file)));
}

void check_every_damage(const store::Store& store, const PlanRequest& request) {
  const DamagedStore damaged(store, request);
  const Decision whole = damaged.answer().decision;
  const std::vector<fs::path> files = damaged.files();
  REQUIRE(files.size() > 1);
  std::mt19937_64 random(20261128);
  for (const fs::path& file : files)
    for (const std::string_view how : kDamages) {
      CAPTURE(file);
      CAPTURE(how);
      damaged.mend();
      damaged.damage(file, how, random);
      Decision decision;
      REQUIRE_NOTHROW(decision = damaged.answer().decision);
      check_is_whole(decision);
      if (is_made_anew(file)) {
        CHECK(decision.action == whole.action);
        CHECK(decision.plan_file == whole.plan_file);
        CHECK(decision.pattern == whole.pattern);
        CHECK((fs::symlink_status(file).type() == fs::file_type::regular || how == "ranks" ||
               how == "version"));
      }
      REQUIRE_NOTHROW(decision = damaged.answer().decision);
      if (is_made_anew(file)) CHECK(to_json(decision) == to_json(whole));
      if (is_claim(file) && !fs::is_regular_file(fs::symlink_status(file)))
        CHECK(store::take_claim(file, store::claim_of_this_process("next job")));
      CHECK(damaged.outside_is_untouched());
    }
}

/// Times, marks and records of a plan's runs.
void add_runs(const MeasuredSite& site, const Plan& plan, const fs::path& plan_file) {
  const auto start = *parse_utc("2026-11-25T00:00:00Z");
  store::store_timed_run(site.folder(), {"abc", "/home/ann/app", "", 8},
                         {1, "1.0", start, {1000}, ""});
  store::store_timed_run(site.folder(),
                         {"abc", "/home/ann/app", plan.chosen.pattern, plan.chosen.nodes},
                         {2, "2.0", start + 3600s, {1000}, ""});
  Outcome outcome;
  outcome.user = site.request.user;
  outcome.label = site.request.label;
  outcome.ranks = 8;
  outcome.treatment = Treatment::kPacked;
  outcome.run = OutcomeRun{};
  outcome.run->job = 2;
  outcome.run->step = 0;
  outcome.run->nodes = plan.chosen.nodes;
  outcome.run->start = start;
  outcome.end = OutcomeEnd{Seconds{1000}, 0, Seconds{1000}};
  const std::string record = "outcome-20261125T010000.000Z-2.0-pid6.json";
  store::put_file(fs::path(site.folder()) / record, to_json(outcome));
  store::put_file(store::unreviewed_run_path(plan_file, "2.0"), record);
}

TEST_CASE("whatever becomes of a stored plan, of its runs' files or of locks, jobs are answered") {
  MeasuredSite site;
  const JobAnswer answer = site.answer();
  REQUIRE(answer.decision.action == Decision::Action::kApply);
  add_runs(site, *answer.plan, answer.decision.plan_file);
  CHECK(store::take_claim(store::claim_beside(answer.decision.plan_file),
                          store::claim_of_this_process("job")));
  store::put_file(site.store.part_of("ann") / ".planner", "");
  store::put_file(site.folder() + "/.making-" + fs::path(answer.decision.plan_file).stem().string(),
                  "");
  check_every_damage(site.store, site.request);
}

TEST_CASE("the same of plans of several programs") {
  PlanningSite site;
  for (const auto& [name, program] : {std::pair("1.json", "/a/prepare"), {"2.json", "/a/solve"}}) {
    Profile profile = run_of(8, 1, 100);
    profile.executable = program;
    profile.slurm_job_id = 7;
    site.put(name, profile);
  }
  REQUIRE_FALSE(site.answer().plan->companions.empty());
  check_every_damage(site.store, site.request);
}

TEST_CASE("the same of a note that the job is to be left") {
  MeasuredSite site;
  site.request.nodes = 1;
  REQUIRE(site.answer().decision.action == Decision::Action::kLeave);
  check_every_damage(site.store, site.request);
}

TEST_CASE("a claim of the first run that nobody can have made does not keep others from it") {
  MeasuredSite site;
  const fs::path plan = site.answer().decision.plan_file;
  const fs::path file = store::claim_beside(plan);
  const store::JobClaim claim = store::claim_of_this_process("job");
  fs::create_directory(file);
  CHECK_FALSE(store::read_claim(file));
  CHECK(store::take_claim(file, claim));
  CHECK_FALSE(store::take_claim(file, claim));
  fs::remove(file);
  fs::create_symlink("/dev/null", file);
  CHECK_FALSE(store::read_claim(file));
  CHECK(store::take_claim(file, claim));
  CHECK(store::read_claim(file)->token() == claim.token());
}

}  // namespace
}  // namespace huddle::planning
