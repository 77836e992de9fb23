#include <doctest/doctest.h>

#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

Profile run_of_size(std::optional<double> size) {
  Profile profile = run_of(8, 1);
  profile.problem_size = size;
  return profile;
}

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths)
    names.push_back(std::filesystem::path(path).filename().string());
  return names;
}

TEST_CASE("runs of another problem size are no samples of the newest one's") {
  PlanningSite site;
  site.put("1.json", run_of_size(100));
  site.put("2.json", run_of_size(200));
  site.put("3.json", run_of_size({}));
  site.put("4.json", run_of_size(100));
  CHECK(names_of(site.answer().plan->made_from) ==
        std::vector<std::string>{"profile-4.json", "profile-1.json"});
}

TEST_CASE("a job that says its size gets a plan from runs of that size only") {
  PlanningSite site;
  site.put("1.json", run_of_size(100));
  site.put("2.json", run_of_size(200));
  site.put("3.json", run_of_size({}));
  const std::string of_unknown_size = site.decision().plan_file;
  site.request.size = 100;
  CHECK(names_of(site.answer().plan->made_from) == std::vector<std::string>{"profile-1.json"});
  CHECK(site.decision().plan_file != of_unknown_size);
}

TEST_CASE("a job of a size that no run had is measured, and the user learns why") {
  PlanningSite site;
  site.request.size = 300;
  site.put("1.json", run_of_size({}));
  CHECK(site.decision().reason ==
        "this run is measured again: the last run was of unknown size, not of size 300");
  site.put("2.json", run_of_size(200));
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().reason ==
        "this run is measured again: the last run was of size 200, not of size 300");
}

TEST_CASE("a profile that is given for a job may be of unknown size, and not of another") {
  PlanningSite site;
  const auto file = site.directory.path() / "given.json";
  site.request.profiles = {file};
  site.request.size = 300;
  save_profile(run_of_size({}), file);
  CHECK(site.decision().action == Action::kApply);
  save_profile(run_of_size(200), file);
  CHECK(error_of<Error>([&] { static_cast<void>(site.decision()); }) ==
        "the run of " + file.string() + " is of size 200, not of size 300");
}

}  // namespace
}  // namespace huddle::planning
