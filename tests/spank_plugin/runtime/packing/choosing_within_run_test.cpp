#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/spank_plugin/runtime/packing/drivers.hpp"

namespace huddle::runtime {

namespace {

/// This thread runs on two PUs, as long as this lasts: on more there would be more to try.
class OnTwoPus {
 public:
  OnTwoPus() : before_(PuSet::of_this_thread()) {
    const std::vector<std::uint32_t> pus = before_.members();
    if (pus.size() > 2)
      PuSet::parse(std::to_string(pus[0]) + "," + std::to_string(pus[1])).bind_this_thread();
  }
  ~OnTwoPus() { before_.bind_this_thread(); }
  OnTwoPus(const OnTwoPus&) = delete;
  OnTwoPus& operator=(const OnTwoPus&) = delete;

 private:
  PuSet before_;
};

/// A program of one region of four threads between delimiters, at simulated times, whose teams are
/// tried.
struct TriedTeams {
  std::unique_ptr<PackingDriver> driver =
      driver_for({{"HUDDLE_THREADS", "pack"}, {"GOMP_SPINCOUNT", "300"}});
  std::uint64_t now = 1;

  /// On how many PUs it ran. A pass takes 1 ms.
  std::size_t pass() {
    const std::uint64_t token = driver->region_begins(0x1000, 4, 0, now);
    driver->thread_begins(token, 0);
    const std::size_t pus = PuSet::of_this_thread().size();
    driver->region_ended(token, 4, 1'000'000, now += 1'000'000);
    driver->group_ends(5, now);
    return pus;
  }
  void run_for(double seconds) {
    for (const auto end = now + static_cast<std::uint64_t>(seconds * 1e9); now < end;) pass();
  }
};

}  // namespace

TEST_CASE(
    "a run that has tried its teams turns to what is chosen by that, and keeps what it tried") {
  const OnTwoPus two;
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  TriedTeams program;
  PackingDriver& driver = *program.driver;
  program.run_for(1);
  CHECK_FALSE(driver.may_choose(program.now));  // nothing was tried yet
  program.run_for(3);
  CHECK(driver.rows().size() == 1);
  CHECK_FALSE(driver.may_choose(program.now));  // it was, but the run is short
  program.run_for(3);
  REQUIRE(driver.may_choose(program.now));
  const auto tried = driver.rows();

  driver.choose(throttling::parse_teams("bound 0.05;0 1000=1", 1), {0}, program.now);
  CHECK_FALSE(driver.may_choose(program.now));
  CHECK_FALSE(driver.has_choices());  // until the leader's next region
  for (std::size_t i = 0; i <= PassGuard::kMostSamples; ++i) CHECK(program.pass() == home.size());
  CHECK(driver.has_choices());
  for (int i = 0; i < 50; ++i) CHECK(program.pass() == 1);
  const auto rows = driver.rows();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].function == 0x1000);
  CHECK(rows[0].packed.count == tried[0].packed.count);
  CHECK(rows[0].usual.count == tried[0].usual.count);
  CHECK(rows[0].acted.count == 50);
  const std::string note = driver.note(program.now);
  CHECK(note.find("to see what they take there") != std::string::npos);
  CHECK(note.find("By that, teams were chosen after 7.0 s of the run. Teams of 1 regions ran on "
                  "fewer cores, in 1 groups of phases.") != std::string::npos);
  driver.leave_teams("too late");
  CHECK(driver.note(program.now) == note);
  driver.finish();
  CHECK(PuSet::of_this_thread() == home);
}

TEST_CASE(
    "clocks of cores that teams leave are lowered once a run has chosen, not while it tries, and "
    "are up again at the end") {
  const OnTwoPus two;
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  TriedTeams program;
  PackingDriver& driver = *program.driver;
  std::vector<PuSet> clocks;
  for (const std::uint32_t pu : home.members()) clocks.push_back(PuSet::parse(std::to_string(pu)));
  std::set<std::size_t> low;
  driver.use_clocks(std::make_unique<TeamClocks>(
      clocks, home, 1, [&](std::size_t clock, std::optional<std::uint32_t> khz, std::uint64_t) {
        if (khz)
          low.erase(clock);
        else
          low.insert(clock);
      }));
  std::uint64_t tried = 0;
  while (program.now < 7'000'000'000) {
    if (program.pass() == 1) ++tried;
    REQUIRE(low.empty());
  }
  CHECK(tried > 0);
  REQUIRE(driver.may_choose(program.now));
  CHECK(driver.note(program.now).find("Clocks") == std::string::npos);

  driver.choose(throttling::parse_teams("bound 0.05;0 1000=1", 1), {0}, program.now);
  for (std::size_t i = 0; i <= PassGuard::kMostSamples + 5; ++i) program.pass();
  CHECK(low.size() == 1);
  CHECK(
      driver.note(program.now).ends_with(" Clocks of cores that they left were lowered 1 times."));
  driver.finish();
  CHECK(low.empty());
}

TEST_CASE("what is chosen within a run has the guard that a plan's teams have") {
  const OnTwoPus two;
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  TriedTeams program;
  program.run_for(7);
  REQUIRE(program.driver->may_choose(program.now));
  program.driver->choose(throttling::parse_teams("bound 0.05;0 1000=1", 1), {0}, program.now);
  std::uint64_t packed = 0;
  for (int i = 0; i < 100; ++i) {
    const bool is_packed = program.pass() == 1;
    if (is_packed) ++packed;
    if (is_packed) program.now += 1'000'000;  // and the next delimiter comes late
  }
  CHECK(packed >= 3);
  CHECK(packed <= 8);
  CHECK(program.driver->note(program.now).find("went back") != std::string::npos);
}

TEST_CASE("where nothing is chosen within a run its teams stay, and the note says why") {
  const OnTwoPus two;
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  TriedTeams program;
  program.run_for(7);
  REQUIRE(program.driver->may_choose(program.now));
  program.driver->leave_teams("no gain");
  CHECK_FALSE(program.driver->may_choose(program.now));
  for (int i = 0; i < 50; ++i) CHECK(program.pass() == home.size());
  CHECK(program.driver->note(program.now)
            .ends_with("By that, nothing was chosen in this run: no gain."));
}

TEST_CASE(
    "runs with teams of a plan, and those that may not be packed, choose nothing themselves") {
  for (const Asked& asked : {Asked{{"HUDDLE_THREADS", "pack"},
                                   {"GOMP_SPINCOUNT", "300"},
                                   {"HUDDLE_TEAMS", "bound 0.05;0 1000=1"}},
                             Asked{{"HUDDLE_THREADS", "pack"}, {"OMP_PROC_BIND", "close"}}}) {
    TriedTeams program{driver_for(asked)};
    program.run_for(7);
    CHECK_FALSE(program.driver->may_choose(program.now));
  }
}

}  // namespace huddle::runtime
