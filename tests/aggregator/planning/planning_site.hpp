#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/store.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::planning {

/// A site with a machine document and a store, and a request for a job of 8 ranks. It lets patterns
/// be tried that nothing covers, so that one run is enough for a plan: what covers a pattern is the
/// matter of coverage_guard_test.cpp alone.
struct PlanningSite {
  PlanningSite() {
    save_machine(slow_machine(), directory.path() / "machine.json");
    request.user = "ann";
    request.label = "app";
    request.ranks = 8;
    request.machine = directory.path() / "machine.json";
    request.explore = Explore::kTrial;
  }
  void put(const std::string& name, const Profile& profile) const {
    save_profile(profile, store.make_folder(key_of(request)) / ("profile-" + name));
  }
  void put_text(const std::string& name, std::string_view text) const {
    store::put_file(store.make_folder(key_of(request)) / ("profile-" + name), text);
  }
  [[nodiscard]] JobAnswer answer() const { return decide_job(store, request); }
  [[nodiscard]] Decision decision() const { return answer().decision; }
  [[nodiscard]] std::string folder() const { return store.folder(key_of(request)).string(); }
  [[nodiscard]] std::size_t plans() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      if (entry.path().filename().string().starts_with("plan-")) ++count;
    return count;
  }

  store::TemporaryDirectory directory;
  store::Store store{directory.path()};
  PlanRequest request;
};

/// A site where the job's program was measured once, on 8 nodes.
struct MeasuredSite : PlanningSite {
  MeasuredSite() {
    request.nodes = 8;
    request.script = "abc";
    Profile profile = run_of(8, 1, 1000);
    profile.executable = "/home/ann/app";
    profile.script = "abc";
    put("1.json", profile);
  }
};

}  // namespace huddle::planning
