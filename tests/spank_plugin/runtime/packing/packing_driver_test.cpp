#include "spank_plugin/runtime/packing/packing_driver.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "spank_plugin/runtime/packing/period_place.hpp"
#include "tests/spank_plugin/runtime/packing/drivers.hpp"

namespace huddle::runtime {
namespace {

std::uint32_t begin_region(PackingDriver& driver, std::uint32_t team, std::uint32_t level) {
  return static_cast<std::uint32_t>(driver.region_begins(0x1000, team, level, 0));
}

}  // namespace

TEST_CASE("teams are driven only where the environment asks for it") {
  CHECK(driver_for({}) == nullptr);
  CHECK(driver_for({{"HUDDLE_THREADS", "auto"}}) == nullptr);
  CHECK(driver_for({{"HUDDLE_TEAMS", "shake"}}) == nullptr);
  CHECK(driver_for({{"HUDDLE_THREADS", "pack"}}) != nullptr);
}

TEST_CASE("a shaken team is elsewhere at each region, and home at the end") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  const auto driver = driver_for(
      {{"HUDDLE_THREADS", "pack"}, {"HUDDLE_TEAMS", "shake"}, {"GOMP_SPINCOUNT", "300"}});
  std::set<std::string> places;
  for (int i = 0; i < 200; ++i) {
    driver->thread_begins(begin_region(*driver, 4, 0), 0);
    places.insert(PuSet::of_this_thread().list());
  }
  CHECK(places.size() == home.size() + 1);  // each PU, and anywhere
  CHECK(driver->changes() == 200);
  const std::string shaken = "Teams were packed at random, 200 times.";
  CHECK(driver->note(1) == shaken);
  CHECK(begin_region(*driver, 4, 1) == TeamPacking::kHome);
  std::thread([&] { CHECK(begin_region(*driver, 4, 0) == TeamPacking::kHome); }).join();
  CHECK(driver->changes() == 200);
  driver->finish();
  CHECK(PuSet::of_this_thread() == home);
  CHECK(begin_region(*driver, 4, 0) == TeamPacking::kHome);
  CHECK(driver->note(1) == shaken);
}

TEST_CASE("where the user says where threads run nothing is shaken, and a note says why") {
  const PuSet home = PuSet::of_this_thread();
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                  {"HUDDLE_TEAMS", "shake"},
                                  {"GOMP_SPINCOUNT", "300"},
                                  {"OMP_PROC_BIND", "close"}});
  for (int i = 0; i < 50; ++i) {
    driver->thread_begins(begin_region(*driver, 4, 0), 0);
    CHECK(PuSet::of_this_thread() == home);
  }
  CHECK(driver->note(1) == "Threads were not packed: OMP_PROC_BIND says where threads run.");
}

TEST_CASE(
    "teams run on the cores that HUDDLE_TEAMS specifies, and a text that is none is refused") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  Asked asked = {{"HUDDLE_THREADS", "pack"},
                 {"GOMP_SPINCOUNT", "300"},
                 {"HUDDLE_TEAMS", "bound 0.05;0 1000=1"}};
  const auto driver = driver_for(asked);
  std::uint64_t now = 1;
  const auto pass = [&] {
    const std::uint64_t token = driver->region_begins(0x1000, 4, 0, now);
    driver->thread_begins(token, 0);
    const PuSet there = PuSet::of_this_thread();
    driver->region_ended(token, 4, 10, now);
    driver->group_ends(5, now += 100);
    return there;
  };
  for (std::size_t i = 0; i <= PassGuard::kMostSamples; ++i) CHECK(pass() == home);
  CHECK(pass().size() == 1);
  CHECK(driver->changes() == 1);
  REQUIRE(driver->rows().size() == 1);
  CHECK(driver->rows()[0].cores == 1);
  driver->finish();
  CHECK(PuSet::of_this_thread() == home);

  asked["HUDDLE_TEAMS"] = "0 1000";
  CHECK(driver_for(asked)->note(1) ==
        "Threads were not packed: HUDDLE_TEAMS: teams: found \"0 1000\", expected \"bound 0.05\", "
        "or another from 0 to 1.");
}

TEST_CASE("a team of another size than asked for is no measurement of what was chosen") {
  if (PuSet::of_this_thread().size() < 2) return;
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                  {"GOMP_SPINCOUNT", "300"},
                                  {"HUDDLE_TEAMS", "bound 1;0 1000=1"}});
  std::uint64_t now = 1;
  const auto pass = [&](std::uint32_t team) {
    driver->region_ended(driver->region_begins(0x1000, 4, 0, now), team, 10, now);
    driver->group_ends(5, now += 100);
  };
  for (std::size_t i = 0; i <= PassGuard::kMostSamples; ++i) pass(4);
  for (const std::uint32_t team : {1U, 2U, 4U}) pass(team);
  REQUIRE(driver->rows().size() == 1);
  CHECK(driver->rows()[0].team == 4);
  CHECK(driver->rows()[0].packed.count == 1);
  driver->finish();
}

TEST_CASE(
    "where something was chosen by position, all regions are seen, since they are on the way") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  PeriodPlace place(5);
  place.delimiter(5);
  place.region(0x2000);
  place.region(0x1000);
  const std::string first = fmt::format("1000#{:x}=1", place.context());
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                  {"GOMP_SPINCOUNT", "300"},
                                  {"HUDDLE_TEAMS", "bound 1;0 #5 " + first}});
  std::uint64_t now = 1;
  const auto pass = [&](std::uintptr_t region) {
    const std::uint64_t token = driver->region_begins(region, 4, 0, now);
    driver->thread_begins(token, 0);
    const PuSet there = PuSet::of_this_thread();
    driver->region_ended(token, 4, 10, now += 10);
    CHECK_FALSE(driver->leaves_alone(region));
    return there.size();
  };
  for (std::size_t i = 0; i < PassGuard::kMostSamples + 3; ++i) {
    const bool acts = i > PassGuard::kMostSamples;
    CHECK(pass(0x2000) == home.size());
    CHECK(pass(0x1000) == (acts ? 1 : home.size()));
    CHECK(pass(0x1000) == home.size());  // another position
    driver->group_ends(5, now += 100);
  }
  driver->finish();
  CHECK(PuSet::of_this_thread() == home);
}

TEST_CASE("regions for which nothing was chosen are left alone while the team is at home") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                  {"GOMP_SPINCOUNT", "300"},
                                  {"HUDDLE_TEAMS", "bound 1;0 1000=1"}});
  std::uint64_t now = 1;
  CHECK_FALSE(driver->leaves_alone(0x2000));  // nobody has looked for it yet
  CHECK_FALSE(driver->leaves_alone(0));
  for (std::size_t i = 0; i <= PassGuard::kMostSamples + 1; ++i) {
    if (!driver->leaves_alone(0x2000))
      driver->thread_begins(driver->region_begins(0x2000, 4, 0, now), 0);
    CHECK(PuSet::of_this_thread() == home);
    CHECK(driver->leaves_alone(0x2000));
    CHECK_FALSE(driver->leaves_alone(0x1000));
    std::thread([&] { CHECK_FALSE(driver->leaves_alone(0x2000)); }).join();
    driver->thread_begins(driver->region_begins(0x1000, 4, 0, now), 0);
    driver->group_ends(5, now += 100);
  }
  // The team is elsewhere now, and has to go home.
  CHECK(PuSet::of_this_thread().size() == 1);
  CHECK_FALSE(driver->leaves_alone(0x2000));
  driver->thread_begins(driver->region_begins(0x2000, 4, 0, now), 0);
  CHECK(PuSet::of_this_thread() == home);
  CHECK(driver->leaves_alone(0x2000));
  driver->finish();
  CHECK_FALSE(driver->leaves_alone(0x2000));
}

TEST_CASE("clocks of cores that a team left are up again once threads are not packed any more") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                  {"GOMP_SPINCOUNT", "300"},
                                  {"HUDDLE_TEAMS", "bound 1;0 1000=1"}});
  std::vector<PuSet> clocks;
  for (const std::uint32_t pu : home.members()) clocks.push_back(PuSet::parse(std::to_string(pu)));
  std::set<std::size_t> low;
  driver->use_clocks(std::make_unique<TeamClocks>(
      clocks, home, 1, [&](std::size_t clock, std::optional<std::uint32_t> khz, std::uint64_t) {
        if (khz)
          low.erase(clock);
        else
          low.insert(clock);
      }));
  std::uint64_t now = 1;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t token = driver->region_begins(0x1000, 4, 0, now);
    driver->thread_begins(token, 0);
    driver->region_ended(token, 4, 10, now);
    driver->group_ends(5, now += 100);
  }
  CHECK(low.size() == home.size() - 1);
  driver->packing().end();  // as where a thread binds itself
  CHECK(begin_region(*driver, 4, 0) == TeamPacking::kHome);
  CHECK(low.empty());
  driver->finish();
}

TEST_CASE(
    "a group of phases has the clock that was chosen for it, without packing, until the end") {
  const PuSet home = PuSet::of_this_thread();
  const Asked asked = {{"HUDDLE_THREADS", "pack"},
                       {"GOMP_SPINCOUNT", "300"},
                       {"HUDDLE_TEAMS", "bound 1;0 @5=1500000kHz"}};
  const auto driver = driver_for(asked);
  std::vector<std::uint32_t> khz(home.size());
  std::vector<PuSet> clocks;
  for (const std::uint32_t pu : home.members()) clocks.push_back(PuSet::parse(std::to_string(pu)));
  driver->use_clocks(std::make_unique<TeamClocks>(
      clocks, home, 1, [&](std::size_t clock, std::optional<std::uint32_t> most, std::uint64_t) {
        khz[clock] = most.value_or(1);
      }));
  for (std::uint64_t now = 100; now < 2000; now += 100) driver->group_ends(5, now);
  CHECK(khz == std::vector<std::uint32_t>(home.size(), 1500000));
  CHECK(driver->note(1) ==
        "Clocks were asked for as chosen, in 1 groups of phases. A lower clock for a group of "
        "phases was asked for 1 times.");
  driver->finish();
  CHECK(khz == std::vector<std::uint32_t>(home.size(), 0));

  const auto alone = driver_for(asked);
  alone->use_clocks(nullptr);
  for (std::uint64_t now = 100; now < 2000; now += 100) alone->group_ends(5, now);
  CHECK(alone->note(1).ends_with(
      "Clocks that were chosen for groups of phases were not set: no keeper of the step's clocks "
      "lets this rank ask for any."));
  alone->finish();
}

TEST_CASE("without a choice it is tried what regions take on fewer cores") {
  if (PuSet::of_this_thread().size() < 2) return;
  const auto driver = driver_for({{"HUDDLE_THREADS", "pack"}, {"GOMP_SPINCOUNT", "300"}});
  CHECK(driver->note(1).starts_with("Nothing was tried with teams on fewer cores"));
  std::uint64_t now = 0;
  while (now < 20'000'000'000) {
    const std::uint64_t token = driver->region_begins(0x1000, 4, 0, now);
    driver->thread_begins(token, 0);
    driver->region_ended(token, 4, 1'000'000, now += 1'000'000);
  }
  REQUIRE(!driver->rows().empty());
  CHECK(driver->rows()[0].packed.mean == doctest::Approx(1e6));
  CHECK(driver->note(now).starts_with("Teams were on fewer cores "));
  driver->finish();
}

TEST_CASE(
    "smaller teams are tried in windows, where a run may begin to, and only of regions that may") {
  if (PuSet::of_this_thread().size() < 2) return;
  for (const bool may : {true, false}) {
    int asked = 0;
    PackingDriver::Options options;
    options.begin_audit = [&] { return ++asked == 1 && may; };
    const auto driver =
        driver_for({{"HUDDLE_THREADS", "pack"}, {"GOMP_SPINCOUNT", "300"}}, options);
    // A region of 1 ms after the other, every other one of which must keep its size.
    unsigned smaller = 0;
    for (std::uint64_t now = 0; now < 8'000'000'000; now += 2'000'000) {
      std::uint64_t token = driver->region_begins(0x1000, 4, 0, now, true);
      const unsigned threads = PackingDriver::threads_of(token);
      CHECK((threads == 0 || (threads <= 2 && may)));
      driver->region_ended(token, threads > 0 ? threads : 4, 1'000'000, now + 1'000'000);
      if (threads > 0 && ++smaller == 1) {  // one that was never seen comes in a window
        token = driver->region_begins(0x3000, 4, 0, now + 1'000'000, true);
        CHECK(PackingDriver::threads_of(token) == 0);
        driver->region_ended(token, 4, 10, now + 1'000'000);
      }
      token = driver->region_begins(0x2000, 4, 0, now + 1'000'000, false);
      CHECK(PackingDriver::threads_of(token) == 0);
      driver->region_ended(token, 4, 1'000'000, now + 2'000'000);
    }
    CHECK(asked == 1);
    // It sees each region, and meanwhile fewer cores are tried in other windows, as ever.
    CHECK(driver->tries_cores());
    CHECK_FALSE(driver->leaves_alone(0x1000));
    CHECK((smaller >= 4) == may);
    CHECK(driver->has_resized() == may);
    std::set<std::uintptr_t> packed;
    for (const auto& row : driver->rows()) packed.insert(row.function);
    CHECK(packed.contains(0x1000));
    CHECK(packed.contains(0x2000));
    const auto tried = driver->smaller_rows();
    CHECK(tried.empty() == !may);
    for (const auto& row : tried) CHECK(row.function == 0x1000);
    CHECK(driver->note(8'000'000'000).starts_with("Teams were on fewer cores "));
    driver->finish();
  }
}

TEST_CASE(
    "teams have the chosen number of threads where that is allowed, and else are as started") {
  if (PuSet::of_this_thread().size() < 2) return;
  for (const bool may : {true, false}) {
    PackingDriver::Options options;
    options.may_resize = may;
    const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                    {"HUDDLE_TEAMS", "bound 1;0 1000=1*1"},
                                    {"GOMP_SPINCOUNT", "300"}},
                                   options);
    std::uint64_t now = 1;
    std::uint64_t token = 0;
    for (int pass = 0; pass < 12; ++pass) {
      token = driver->region_begins(0x1000, 4, 0, now, true);
      const unsigned threads = PackingDriver::threads_of(token);
      driver->region_ended(token, threads > 0 ? threads : 4, 100, now + 100);
      driver->group_ends(7, now += 200);
    }
    token = driver->region_begins(0x1000, 4, 0, now, true);
    CHECK(PackingDriver::threads_of(token) == (may ? 1U : 0U));
    CHECK((static_cast<std::uint32_t>(token) != TeamPacking::kHome) == may);
    // The whole team on one core is what nobody has measured.
    token = driver->region_begins(0x1000, 4, 0, now, false);
    CHECK(PackingDriver::threads_of(token) == 0);
    CHECK(static_cast<std::uint32_t>(token) == TeamPacking::kHome);
    CHECK(driver->rows().empty());
    CHECK_FALSE(driver->leaves_alone(0x1000));
    // Where it takes longer it goes back, as what is packed does.
    for (int pass = 0; pass < 12; ++pass) {
      token = driver->region_begins(0x1000, 4, 0, now, true);
      const unsigned threads = PackingDriver::threads_of(token);
      driver->region_ended(token, threads > 0 ? threads : 4, 100, now + 100);
      driver->group_ends(7, now += 2000);
    }
    token = driver->region_begins(0x1000, 4, 0, now, true);
    CHECK(PackingDriver::threads_of(token) == 0);
    CHECK(static_cast<std::uint32_t>(token) == TeamPacking::kHome);
    driver->finish();
  }
}

TEST_CASE("a plan's teams stay chosen while smaller ones are tried, and are not blamed for that") {
  if (PuSet::of_this_thread().size() < 2) return;
  for (const bool may : {true, false}) {
    int asked = 0;
    PackingDriver::Options options;
    options.begin_audit = [&] {
      ++asked;
      return may;
    };
    const auto driver = driver_for({{"HUDDLE_THREADS", "pack"},
                                    {"HUDDLE_TEAMS", "bound 0.05;0 1000=1"},
                                    {"GOMP_SPINCOUNT", "300"}},
                                   options);
    CHECK_FALSE(driver->tries_cores());
    CHECK_FALSE(driver->may_choose(60'000'000'000));
    std::uint64_t now = 1;
    int smaller = 0;
    int packed = 0;
    int usual = 0;
    int late = 0;
    while (now < 30'000'000'000) {
      const std::uint64_t token = driver->region_begins(0x1000, 4, 0, now, true);
      const unsigned threads = PackingDriver::threads_of(token);
      const bool is_home = static_cast<std::uint32_t>(token) == TeamPacking::kHome;
      (threads > 0 ? smaller : is_home ? usual : packed) += 1;
      // Tried teams take far longer than the bound allows.
      const std::uint64_t ticks = threads > 0 ? 1'900'000 : 1'000'000;
      driver->region_ended(token, threads > 0 ? threads : 4, ticks, now += ticks);
      driver->group_ends(7, now += 1000);
      if (now > 29'000'000'000 && threads == 0 && !is_home) ++late;
    }
    CHECK(asked == 1);
    CHECK((smaller >= 4) == may);
    CHECK(late > 0);  // its group never went back
    CHECK(packed > 10'000);
    CHECK(usual >= 6);
    CHECK(usual <= 40);
    CHECK(driver->smaller_rows().empty() == !may);
    REQUIRE(driver->rows().size() == 1);
    CHECK(driver->rows()[0].packed.mean == doctest::Approx(1e6));
    for (const auto& row : driver->smaller_rows()) {
      CHECK(row.packed.mean == doctest::Approx(1.9e6));
      CHECK(row.usual.count >= 8);
      CHECK(row.usual.count == driver->rows()[0].usual.count);
    }
    driver->finish();
  }
}

}  // namespace huddle::runtime
