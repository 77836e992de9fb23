#include "aggregator/planning/detail/answers/job_teams.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "aggregator/planning/detail/store/plan_lock.hpp"
#include "aggregator/planning/plan_with_deadline.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
const fs::path kFixtures = HUDDLE_FIXTURES;

/// A site where a job of two ranks with four cores each was measured on its one node.
struct TeamSite {
  TeamSite() {
    request.user = "anna";
    request.label = "hybrid";
    request.ranks = 2;
    request.nodes = 1;
    request.cores_per_rank = 4;
    request.packs_threads = true;
    request.machine = kFixtures / "machines/package2-die2-core2-frequencies.json";
    Profile measured = tried;
    for (RankRecord& rank : measured.rank_records) rank.packed_regions.clear();
    put("profile-20261127T100000Z-1.json", measured);
  }
  void put(const std::string& name, const Profile& profile) const {
    save_profile(profile, store.make_folder(key_of(request)) / name);
  }
  void put_trial(const Profile& profile) const { put("packed-20261127T110000Z-2.json", profile); }
  [[nodiscard]] Decision decision() const { return decide_job(store, request).decision; }

  store::TemporaryDirectory directory;
  store::Store store{directory.path()};
  PlanRequest request;
  Profile tried = load_profile(kFixtures / "profiles/two-hybrid-ranks.json");
};

// All passes on half of the cores take as long as those on all of them.
void make_half_enough(Profile& profile) {
  for (RankRecord& rank : profile.rank_records)
    for (PackedRegionRecord& record : rank.packed_regions)
      record.mean = record.shortest = record.longest = record.usual_mean;
}

}  // namespace

TEST_CASE("nobody looks at teams for a job that does not ask for it") {
  TeamSite site;
  site.put_trial(site.tried);
  site.request.packs_threads = false;
  const Decision decision = site.decision();
  CHECK(decision.teams.empty());
  CHECK(decision.teams_reason.empty());
  CHECK_FALSE(decision.teams_untried);
}

TEST_CASE("before a run has tried fewer cores, the answer says so, and that it may be tried") {
  TeamSite site;
  for (int i = 0; i < 2; ++i) {
    const Decision decision = site.decision();
    CHECK(decision.teams.empty());
    CHECK(decision.teams_reason == "no run tried packed teams yet");
    CHECK(decision.teams_untried);
  }
}

TEST_CASE("teams are chosen by the run that tried them, and put into the plan for later ones") {
  TeamSite site;
  static_cast<void>(site.decision());
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  CHECK_FALSE(known_answer(site.store, site.request));
  const Decision decision = site.decision();
  CHECK_FALSE(decision.teams_untried);
  const throttling::ChosenByRank chosen = throttling::parse_teams(decision.teams, 2);
  CHECK(chosen.bound == 0.05);
  REQUIRE_FALSE(throttling::choices_for(chosen, Rank{0}).empty());
  for (const throttling::RegionCores& choice : throttling::choices_for(chosen, Rank{0}))
    CHECK(choice.cores < 4);
  CHECK(decision.teams_reason.find("less energy") != std::string::npos);

  // From now on no profile is needed for it.
  fs::remove(site.store.packed_profiles(key_of(site.request)).front());
  const std::optional<JobAnswer> known = known_answer(site.store, site.request);
  REQUIRE(known);
  CHECK(known->decision.teams == decision.teams);
  CHECK(known->decision.teams_reason == decision.teams_reason);
}

TEST_CASE("the site's bound is what groups are held to") {
  TeamSite site;
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  site.request.slowdown = 0.02;
  CHECK(throttling::parse_teams(site.decision().teams, 2).bound == 0.02);
}

TEST_CASE("where fewer cores save nothing, teams stay, which is known from then on") {
  TeamSite site;
  for (RankRecord& rank : site.tried.rank_records)
    for (PackedRegionRecord& record : rank.packed_regions)
      record.mean = record.shortest = record.longest = record.usual_mean * 4;
  site.put_trial(site.tried);
  const Decision decision = site.decision();
  CHECK(decision.teams.empty());
  CHECK_FALSE(decision.teams_untried);
  CHECK(decision.teams_reason.starts_with("nothing changes: "));
  const std::optional<JobAnswer> known = known_answer(site.store, site.request);
  REQUIRE(known);
  CHECK(known->decision.teams_reason == decision.teams_reason);
}

TEST_CASE("runs of another program or layout, or that were packed most of the time, show nothing") {
  TeamSite site;
  make_half_enough(site.tried);
  SUBCASE("another number of nodes") {
    site.tried.rank_records[1].node = "n1";
  }
  SUBCASE("another script") {
    site.request.script = "a";
    site.tried.script = "b";
  }
  SUBCASE("another program") {
    site.tried.executable = "/usr/bin/other";
  }
  SUBCASE("cut short") {
    site.tried.complete = false;
  }
  SUBCASE("packed most of the time") {
    for (RankRecord& rank : site.tried.rank_records)
      for (PackedRegionRecord& record : rank.packed_regions) record.usual_passes = 1;
  }
  if (site.tried.executable == "/usr/bin/other")
    site.request.program = {"/usr/bin/hybrid", ""};  // what the job's step runs
  site.put_trial(site.tried);
  const Decision decision = site.decision();
  CHECK(decision.teams.empty());
  CHECK(decision.teams_untried);
}

TEST_CASE("where time is to be least, or clocks follow loads, nothing is chosen nor tried") {
  TeamSite site;
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  SUBCASE("time") {
    site.request.objective = Objective::kTime;
  }
  SUBCASE("loads") {
    site.request.clocks_follow_loads = true;
  }
  const Decision decision = site.decision();
  CHECK(decision.teams.empty());
  CHECK_FALSE(decision.teams_untried);
  CHECK_FALSE(decision.teams_reason.empty());
}

TEST_CASE("while other plans of the user are made, what is known but for the teams is the answer") {
  TeamSite site;
  const Decision first = site.decision();
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  CHECK_FALSE(known_answer(site.store, site.request));
  const PlannerLock other(site.store.part_of(site.request.user), {});
  REQUIRE(other.held());
  const Decision meanwhile =
      decide_job_within(std::chrono::seconds(5), site.store, site.request).decision;
  CHECK(meanwhile.action == first.action);
  CHECK(meanwhile.reason == first.reason);
  CHECK(meanwhile.teams.empty());
}

TEST_CASE("a run by which nothing can be chosen is named as the reason") {
  TeamSite site;
  make_half_enough(site.tried);
  site.request.machine = kFixtures / "machines/package2-die2-core2.json";  // without power figures
  site.put_trial(site.tried);
  const Decision decision = site.decision();
  CHECK(decision.teams.empty());
  CHECK_FALSE(decision.teams_untried);
  CHECK(decision.teams_reason.starts_with("nothing can be chosen by the run that tried it: "));
}

TEST_CASE("a dry run writes nothing of it") {
  TeamSite site;
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  site.request.dry_run = true;
  CHECK_FALSE(site.decision().teams.empty());
  CHECK_FALSE(known_answer(site.store, site.request));
}

TEST_CASE("an answer that must be there in time has the teams as well") {
  TeamSite site;
  make_half_enough(site.tried);
  site.put_trial(site.tried);
  const JobAnswer answer = decide_job_within(std::chrono::seconds(60), site.store, site.request);
  CHECK_FALSE(answer.decision.teams.empty());
}

namespace {

/// The same where the user allows smaller teams of the job's program, and a run tried them: two
/// threads take half the usual time, the whole team on two cores as long as ever.
struct SizedSite : TeamSite {
  SizedSite() {
    request.user = store::current_user();
    tried.shared.modules = {{"hybrid", "/usr/bin/hybrid", kBuild, 0}};
    for (RankRecord& rank : tried.rank_records) {
      std::erase_if(rank.packed_regions,
                    [](const PackedRegionRecord& packed) { return packed.cores != 2; });
      for (const PackedRegionRecord& packed : rank.packed_regions) {
        PackedRegionRecord smaller = packed;
        smaller.mean = smaller.shortest = smaller.longest = packed.usual_mean * 0.5;
        rank.smaller_teams.push_back(smaller);
      }
      for (OpenMpRegionRecord& row : rank.openmp_regions) row.smallest_team = 2;
    }
    make_half_enough(tried);
    Profile measured = tried;
    for (RankRecord& rank : measured.rank_records) {
      rank.packed_regions.clear();
      rank.smaller_teams.clear();
      for (OpenMpRegionRecord& row : rank.openmp_regions) row.smallest_team = 4;
    }
    put("profile-20261127T100000Z-1.json", measured);
  }
  [[nodiscard]] store::SizesConsents consents() const {
    return store::SizesConsents(store.make_team_sizes_folder(request.user, false));
  }
  void allow() const {
    consents().give(kBuild, "/usr/bin/hybrid");
    CHECK(consents().begin_audit(kBuild, "run"));
    consents().end_audit(kBuild, "run", "");
  }
  [[nodiscard]] bool is_known() const { return known_answer(store, request).has_value(); }
  [[nodiscard]] static bool has_sizes_in(const Decision& decision) {
    return decision.teams.find('*') != std::string::npos;
  }
  static constexpr const char* kBuild = "ab12";
};

}  // namespace

TEST_CASE("where the user allows it and a run ended well, plans have smaller teams") {
  SizedSite site;
  site.put_trial(site.tried);
  SUBCASE("allowed when teams are chosen") {
    site.allow();
  }
  SUBCASE("allowed afterwards, by which they are chosen anew") {
    CHECK_FALSE(SizedSite::has_sizes_in(site.decision()));
    CHECK(site.is_known());
    site.allow();
  }
  CHECK_FALSE(site.is_known());
  const Decision decision = site.decision();
  CHECK(SizedSite::has_sizes_in(decision));
  for (const throttling::RegionCores& choice :
       throttling::choices_for(throttling::parse_teams(decision.teams, 2), Rank{0})) {
    CHECK(choice.threads == 2);
    CHECK(choice.cores == 2);
  }
  CHECK(decision.teams_programs.builds == std::vector<std::string>{SizedSite::kBuild});
  CHECK(decision.teams_programs.sized == decision.teams_programs.builds);
  CHECK(site.is_known());
}

TEST_CASE("sizes are chosen by nobody whose consent waits, did harm, or was taken back") {
  SizedSite site;
  site.put_trial(site.tried);
  site.allow();
  CHECK(SizedSite::has_sizes_in(site.decision()));
  SUBCASE("taken back") {
    CHECK(site.consents().withdraw(SizedSite::kBuild));
  }
  SUBCASE("waits") {
    site.consents().give(SizedSite::kBuild, "/usr/bin/hybrid");
  }
  SUBCASE("did harm") {
    site.consents().give(SizedSite::kBuild, "/usr/bin/hybrid");
    CHECK(site.consents().begin_audit(SizedSite::kBuild, "another"));
  }
  CHECK_FALSE(site.is_known());
  const Decision decision = site.decision();
  CHECK_FALSE(decision.teams.empty());  // packed ones gain as well
  CHECK_FALSE(SizedSite::has_sizes_in(decision));
  CHECK(decision.teams_programs.sized.empty());
  CHECK(site.is_known());
}

TEST_CASE(
    "a profile of smaller teams that comes after its plan is chosen by, as soon as it is there") {
  SizedSite site;
  site.allow();
  Profile cores_alone = site.tried;
  for (RankRecord& rank : cores_alone.rank_records) {
    rank.smaller_teams.clear();
    for (OpenMpRegionRecord& row : rank.openmp_regions) row.smallest_team = 4;
  }
  site.put_trial(cores_alone);
  CHECK_FALSE(SizedSite::has_sizes_in(site.decision()));
  CHECK(site.is_known());
  site.put_trial(site.tried);
  const fs::path newest = site.store.packed_profiles(key_of(site.request)).front();
  fs::last_write_time(newest, fs::file_time_type::clock::now() + std::chrono::seconds(1));
  CHECK_FALSE(site.is_known());
  CHECK(SizedSite::has_sizes_in(site.decision()));
  CHECK(site.is_known());
}

TEST_CASE("a plan's teams stay where no run is left to choose anew by, but for their sizes") {
  SizedSite site;
  site.put_trial(site.tried);
  SUBCASE("packed ones") {
    const Decision packed = site.decision();
    CHECK_FALSE(packed.teams.empty());
    fs::remove(site.store.packed_profiles(key_of(site.request)).front());
    site.allow();
    CHECK_FALSE(site.is_known());
    CHECK(site.decision().teams == packed.teams);
    CHECK(site.is_known());
  }
  SUBCASE("smaller ones") {
    site.allow();
    CHECK(SizedSite::has_sizes_in(site.decision()));
    fs::remove(site.store.packed_profiles(key_of(site.request)).front());
    CHECK(site.consents().withdraw(SizedSite::kBuild));
    const Decision decision = site.decision();
    CHECK(decision.teams.empty());
    CHECK(decision.teams_untried);
  }
}

TEST_CASE("a run that tried smaller teams beside a plan's is what they are chosen by") {
  SizedSite site;
  Profile packed_only = site.tried;
  for (RankRecord& rank : packed_only.rank_records) rank.smaller_teams.clear();
  for (RankRecord& rank : packed_only.rank_records)
    for (OpenMpRegionRecord& row : rank.openmp_regions) row.smallest_team = 4;
  site.put_trial(packed_only);
  CHECK_FALSE(SizedSite::has_sizes_in(site.decision()));
  // Most of its passes were packed.
  for (RankRecord& rank : site.tried.rank_records) {
    for (PackedRegionRecord& packed : rank.packed_regions) {
      packed.passes = 80;
      packed.usual_passes = 14;
    }
    for (PackedRegionRecord& smaller : rank.smaller_teams) smaller.usual_passes = 14;
  }
  site.put("packed-20261127T120000Z-3.json", site.tried);
  site.allow();
  const Decision decision = site.decision();
  CHECK(SizedSite::has_sizes_in(decision));
  CHECK(decision.teams_reason.find("less energy") != std::string::npos);
}

}  // namespace huddle::planning
