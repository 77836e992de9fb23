#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "spank_plugin/runtime/packing/anchor_search.hpp"
#include "spank_plugin/runtime/packing/chosen_teams.hpp"
#include "spank_plugin/runtime/packing/packing_trials.hpp"
#include "spank_plugin/runtime/packing/period_place.hpp"
#include "spank_plugin/runtime/packing/position_times.hpp"

namespace huddle::runtime {
namespace {

constexpr std::uint64_t kSmooth = 0x51;
constexpr std::uint64_t kMove = 0x52;  // restriction and prolongation
constexpr std::uint64_t kOnce = 0x53;  // a region that comes once in a cycle
constexpr std::uint64_t kHalo = 0x91;  // a group of phases, at each level
constexpr std::uint64_t kNorm = 0x92;  // one at the end of a cycle

// So long that what looking for periods really takes is nothing beside it.
constexpr std::uint64_t kFinest = std::uint64_t{1} << 40U;
constexpr std::uint64_t kSmall = kFinest >> 14U;

struct LevelPass {
  std::uint64_t region = 0;
  std::uint64_t ticks = 0;
};

/// The regions of a V-cycle of four levels, each an eighth of the one above it.
std::vector<LevelPass> v_cycle(std::uint64_t finest) {
  std::vector<LevelPass> passes;
  for (int level = 0; level < 3; ++level) {
    passes.push_back({kSmooth, finest >> (3 * level)});
    passes.push_back({kMove, finest >> (3 * level + 2)});
  }
  passes.push_back({kSmooth, finest >> 9});
  for (int level = 2; level >= 0; --level) {
    passes.push_back({kMove, finest >> (3 * level + 2)});
    passes.push_back({kSmooth, finest >> (3 * level)});
  }
  return passes;
}

/// The ticks with 5 % of scatter.
std::uint64_t scattered(std::uint64_t ticks, int turn) {
  return ticks * static_cast<std::uint64_t>(95 + (turn * 7) % 11) / 100;
}

std::vector<std::uint64_t> contexts_of(PeriodPlace& place, const std::vector<LevelPass>& passes) {
  std::vector<std::uint64_t> contexts;
  for (const LevelPass& pass : passes) {
    place.region(pass.region);
    contexts.push_back(place.context());
  }
  return contexts;
}

}  // namespace

TEST_CASE("each place behind an anchor has a context of its own, the same in each period") {
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  for (const bool by_group : {true, false}) {
    PeriodPlace place(by_group ? kNorm : PeriodPlace::pair_of(kSmooth, kSmooth));
    CHECK(std::ranges::count(contexts_of(place, cycle), 0U) == 13);
    if (by_group) place.delimiter(kNorm);
    const auto first = contexts_of(place, cycle);
    if (by_group) place.delimiter(kNorm);
    CHECK(contexts_of(place, cycle) == first);
    CHECK(std::set<std::uint64_t>(first.begin(), first.end()).size() == 13);
    CHECK(place.position() == 13);
    CHECK(place.periods() == 2);
  }
  PeriodPlace none;
  CHECK(std::ranges::count(contexts_of(none, cycle), 0U) == 13);
}

TEST_CASE("a period that takes another turn is at no known place until its next anchor") {
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  PeriodPlace place(kNorm);
  place.delimiter(kNorm);
  const auto usual = contexts_of(place, cycle);
  std::vector<LevelPass> other = cycle;
  other.insert(other.begin() + 4, {kSmooth, 5});
  place.delimiter(kNorm);
  const auto odd = contexts_of(place, other);
  for (std::size_t i = 0; i < odd.size(); ++i)
    CHECK((std::ranges::count(usual, odd[i]) == 1) == (i < 5));
  place.delimiter(kNorm);
  CHECK(contexts_of(place, cycle) == usual);
  for (std::uint32_t i = 0; i < PeriodPlace::kLongest; ++i) place.region(kSmooth);
  CHECK(place.context() == 0);
}

TEST_CASE("what comes once in a period is its anchor: a group, else a region, else a pair") {
  std::vector<LevelPass> cycle = v_cycle(kFinest);
  const auto anchor_of = [&](bool has_halos, bool has_norm) {
    AnchorSearch search;
    std::uint64_t found = 0;
    for (int turn = 0; turn < 40; ++turn) {
      if (has_norm) search.delimiter(kNorm);
      for (const LevelPass& pass : cycle) {
        if (const auto now = search.ended(pass.region, scattered(pass.ticks, turn))) {
          if (found == 0) CHECK(now->length == cycle.size());
          found = now->id;
        }
        if (has_halos) search.delimiter(kHalo);
      }
    }
    return found;
  };
  CHECK(anchor_of(false, true) == kNorm);
  // Behind a halo's group there is nothing of its own.
  CHECK(anchor_of(true, false) == PeriodPlace::pair_of(kSmooth, kSmooth));
  CHECK(anchor_of(false, false) == PeriodPlace::pair_of(kSmooth, kSmooth));
  cycle.insert(cycle.begin() + 7, {kOnce, kFinest >> 10});
  CHECK(anchor_of(false, false) == kOnce);
  CHECK(anchor_of(false, true) == kNorm);
  // Passes that are all alike, or that come by chance, have none.
  AnchorSearch alike;
  AnchorSearch chance;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    CHECK_FALSE(alike.ended(kSmooth, scattered(1 << 20, static_cast<int>(i))));
    const std::uint64_t drawn = PeriodPlace::pair_of(i, 77);
    CHECK_FALSE(chance.ended(drawn % 3, scattered(std::uint64_t{1} << (10 + drawn % 11), 1)));
  }
}

TEST_CASE("passes are counted by their position, and those at none apart") {
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  PositionTimes times;
  const auto pass = [&](const LevelPass& one, int turn) {
    times.begins(one.region);
    times.ended(one.region, 0, false, scattered(one.ticks, turn));
  };
  for (int turn = 0; turn < 200; ++turn) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      pass(cycle[i], turn);
      if (turn % 20 == 19 && i == 4) pass({kSmooth, 999}, turn);  // another turn, now and then
    }
    times.delimiter(kNorm);
  }
  CHECK(times.differing(kSmooth) == 7);
  CHECK(times.differing(kMove) == 6);
  const PositionTimes::All all = times.all();
  CHECK(all.anchor == kNorm);
  CHECK(all.length == 13);
  std::map<std::uint32_t, PositionTimes::Row> by_position;
  std::uint64_t elsewhere = 0;
  for (const PositionTimes::Row& row : all.rows) {
    if (row.context == 0) elsewhere += row.usual.count;
    if (row.context != 0 && row.usual.count > 50) {
      CHECK(by_position.emplace(row.position, row).second);
      CHECK(row.group == kNorm);
    }
  }
  REQUIRE(by_position.size() == 13);
  for (std::uint32_t i = 0; i < 13; ++i) {
    CHECK(by_position[i + 1].region == cycle[i].region);
    CHECK(by_position[i + 1].usual.mean ==
          doctest::Approx(static_cast<double>(cycle[i].ticks)).epsilon(0.05));
  }
  // Passes that came nine times or so at one place in odd cycles have a position, too; fewer have
  // none.
  CHECK(elsewhere <= 10 * 9);
}

TEST_CASE("regions that are alike at all their positions have none") {
  PositionTimes times;
  for (int turn = 0; turn < 400; ++turn) {
    for (const std::uint64_t region : {kSmooth, kMove, kSmooth, kOnce}) {
      times.begins(region);
      times.ended(region, 0, false, scattered(region == kMove ? 500'000 : 100'000, turn));
    }
    times.delimiter(kNorm);
  }
  CHECK(times.differing(kSmooth) == 0);
  CHECK(times.all().rows.empty());
}

TEST_CASE("a period that is over is forgotten, and another one looked for") {
  PositionTimes times;
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  const auto cycles = [&](int turns, std::uint64_t group, std::uint64_t first_region) {
    for (int turn = 0; turn < turns; ++turn) {
      for (const LevelPass& one : cycle) {
        times.begins(first_region + one.region);
        times.ended(first_region + one.region, 0, false, scattered(one.ticks, turn));
      }
      times.delimiter(group);
    }
  };
  cycles(40, kNorm, 0);
  CHECK(times.all().anchor == kNorm);
  cycles(20, 7, 1000);
  CHECK(times.all().anchor == kNorm);
  cycles(400, 7, 1000);
  CHECK(times.all().anchor == 7);
}

TEST_CASE("trials see regions at all positions of a period on fewer cores") {
  constexpr std::uint64_t kSecond = 1'000'000'000'000;
  PackingTrials trials(8, 1e12);
  const std::vector<LevelPass> cycle = v_cycle(kFinest >> 7);
  std::uint64_t now = 0;
  std::uint64_t packed = 0;
  for (int turn = 0; now < 40 * kSecond; ++turn) {
    for (const LevelPass& pass : cycle) {
      const std::uint32_t cores = trials.begins(pass.region, 8, now);
      // Small regions are quicker on fewer cores.
      const double stretch = cores == 0 ? 1 : pass.ticks > kSmall ? 8.0 / cores : cores / 8.0;
      const auto took =
          static_cast<std::uint64_t>(stretch * static_cast<double>(scattered(pass.ticks, turn)));
      now += took;
      if (cores != 0) packed += took;
      trials.ended(pass.region, 8, cores, took, now);
    }
    trials.group_ends(kNorm);
  }
  CHECK(packed > 0);
  CHECK(static_cast<double>(trials.effort().ticks) <=
        PackingTrials::kMostTime * static_cast<double>(now));
  const PackingTrials::Positions seen = trials.positions();
  CHECK(seen.teams.at(kSmooth) == 8);
  int positions = 0;
  for (const PositionTimes::Row& row : seen.all.rows) {
    if (row.context == 0) continue;
    ++positions;
    REQUIRE(!row.tried.empty());
    for (const TriedTimes& tried : row.tried) {
      const double stretch =
          row.usual.mean > static_cast<double>(kSmall) ? 8.0 / tried.cores : tried.cores / 8.0;
      if (tried.packed.count > 0)
        CHECK(tried.packed.mean / row.usual.mean == doctest::Approx(stretch).epsilon(0.1));
    }
    CHECK(std::ranges::any_of(row.tried, [](const auto& one) { return one.packed.count >= 2; }));
  }
  CHECK(positions == 13);
}

TEST_CASE("passes of smaller teams, which take turns with packed ones, are at no position") {
  PackingTrials trials(8, 1e12, {TrialKind::kPacked, TrialKind::kSmaller});
  std::uint64_t now = 0;
  for (int turn = 0; now < 60'000'000'000'000; ++turn) {
    for (const LevelPass& pass : v_cycle(kFinest >> 7)) {
      const std::uint32_t cores = trials.begins(pass.region, 8, now, true);
      const bool smaller = cores != 0 && trials.window() == TrialKind::kSmaller;
      const std::uint64_t took = scattered(pass.ticks, turn) * (smaller ? 9 : cores != 0 ? 2 : 1);
      now += took;
      trials.ended(pass.region, 8, cores, took, now, smaller);
    }
    trials.group_ends(kNorm);
  }
  CHECK(trials.effort(TrialKind::kSmaller).windows > 0);
  int tried_at = 0;
  for (const PositionTimes::Row& row : trials.positions().all.rows)
    for (const TriedTimes& tried : row.tried) {
      if (row.context == 0 || tried.packed.count == 0) continue;
      ++tried_at;
      CHECK(tried.packed.mean / row.usual.mean == doctest::Approx(2).epsilon(0.15));
    }
  CHECK(tried_at >= 13);
}

TEST_CASE("a run that is too short for windows of whole periods has those of a few passes") {
  constexpr std::uint64_t kSecond = 1'000'000'000'000;
  const std::vector<LevelPass> cycle = v_cycle(400'000'000'000);
  PackingTrials trials(8, 1e12);
  std::uint64_t now = 0;
  while (now < 120 * kSecond)
    for (const LevelPass& pass : cycle) {
      const std::uint32_t cores = trials.begins(pass.region, 8, now);
      now += pass.ticks;
      trials.ended(pass.region, 8, cores, pass.ticks, now);
    }
  CHECK(trials.effort().windows > 0);
  CHECK(static_cast<double>(trials.effort().ticks) <=
        PackingTrials::kMostTime * static_cast<double>(now));
  CHECK(trials.positions().all.rows.size() >= 13);
}

TEST_CASE("regions run on the cores chosen for their position once that was seen often enough") {
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  PeriodPlace place(kNorm);
  place.delimiter(kNorm);
  const auto contexts = contexts_of(place, cycle);
  // The two coarsest levels' smoothing, and a general choice for what is elsewhere.
  const std::vector<throttling::RegionCores> choices = {{kSmooth, 0, 4, 1, 0, contexts[4]},
                                                        {kSmooth, 0, 1, 1, 0, contexts[6]},
                                                        {kSmooth, 0, 8, 1, 0, contexts[0]},
                                                        {kMove, 0, 2, 1}};
  for (const bool has_halos : {false, true}) {
    ChosenTeams teams(choices, 0.05, kNorm);
    CHECK(teams.has_positions());
    std::uint64_t now = 1;
    const auto turn = [&](const std::vector<LevelPass>& passes, double slower = 1) {
      std::vector<std::uint32_t> cores;
      for (const LevelPass& pass : passes) {
        teams.comes(pass.region, now);
        const throttling::RegionCores* const choice = teams.begins(pass.region, 8);
        cores.push_back(choice == nullptr ? 0 : choice->cores);
        const double stretch = cores.back() == 0 ? 1 : slower;
        now += static_cast<std::uint64_t>(static_cast<double>(pass.ticks) * stretch);
        teams.ended(pass.region, 8, cores.back(), 1, pass.ticks);
        if (has_halos) teams.group_ends(kHalo, now);
      }
      teams.group_ends(kNorm, ++now);
      return cores;
    };
    for (int i = 0; i < 12; ++i) turn(cycle);
    const auto acted = turn(cycle);
    CHECK(acted[0] == 0);  // as many as the team has: as it was started
    CHECK(acted[2] == 0);
    CHECK(acted[4] == 4);
    CHECK(acted[6] == 1);
    CHECK(acted[12] == 0);
    if (!has_halos) CHECK(acted[5] == 2);
    CHECK(teams.text().find("times as chosen for their position in a period") != std::string::npos);
    // Another turn of the inner loop: the general choice, and its own again from the next anchor
    // on.
    std::vector<LevelPass> other = cycle;
    other.insert(other.begin() + 3, {kSmooth, 1 << 14});
    const auto odd = turn(other);
    CHECK(std::ranges::count(odd, 4U) + std::ranges::count(odd, 1U) == 0);
    const auto again = turn(cycle);
    CHECK(again[4] == 4);
    CHECK(again[6] == 1);
    // Positions that turn out slower go back for good.
    for (int i = 0; i < 4; ++i) turn(cycle, 1000);
    for (int i = 0; i < 20; ++i) {
      const auto back = turn(cycle);
      CHECK(back[4] == 0);
      CHECK(back[6] == 0);
    }
  }
}

TEST_CASE("a general choice before a position waits for that, so that both are guarded") {
  // The group ends once before the loop, so that it has its reference before the position has.
  PeriodPlace place(kNorm);
  const std::vector<std::uint64_t> cycle = {kMove, kSmooth, kSmooth};
  place.delimiter(kNorm);
  std::vector<std::uint64_t> contexts;
  for (const std::uint64_t region : cycle) {
    place.region(region);
    contexts.push_back(place.context());
  }
  ChosenTeams teams({{kMove, 0, 2, 1}, {kSmooth, 0, 1, 1, 0, contexts[1]}}, 0.05, kNorm);
  std::uint64_t now = 1;
  const auto turn = [&](std::uint64_t slower) {
    std::vector<std::uint32_t> cores;
    std::uint64_t ticks = 3000;
    for (const std::uint64_t region : cycle) {
      teams.comes(region, now);
      const throttling::RegionCores* const choice = teams.begins(region, 8);
      cores.push_back(choice == nullptr ? 0 : choice->cores);
      teams.ended(region, 8, cores.back(), 1, 1000);
      if (cores.back() != 0) ticks += slower;
    }
    teams.group_ends(kNorm, now += ticks);
    return cores;
  };
  for (int i = 0; i < 3; ++i) teams.group_ends(kNorm, now += 3000);
  for (int i = 0; i < 12; ++i) turn(0);
  CHECK(turn(0) == std::vector<std::uint32_t>{2, 1, 0});
  // Packed passes of regions with positions are of other sizes than those that are not packed.
  for (const PackingTrials::Row& row : teams.rows()) CHECK(row.function == kMove);
  CHECK(teams.rows().size() == 1);
  for (int i = 0; i < 4; ++i) turn(1000);
  for (int i = 0; i < 20; ++i) CHECK(turn(0) == std::vector<std::uint32_t>{0, 0, 0});
}

TEST_CASE("where no delimiter comes, a block of passes is of whole periods") {
  const std::vector<LevelPass> cycle = v_cycle(kFinest);
  const std::uint64_t anchor = PeriodPlace::pair_of(kSmooth, kSmooth);
  PeriodPlace place(anchor);
  static_cast<void>(contexts_of(place, cycle));
  const auto contexts = contexts_of(place, cycle);
  ChosenTeams teams({{kSmooth, 0, 1, 1, 0, contexts[6]}}, 0.02, anchor);
  std::uint64_t now = 1;
  std::uint32_t packed = 0;
  std::uint32_t last = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    last = 0;
    for (const LevelPass& pass : cycle) {
      teams.comes(pass.region, now);
      const throttling::RegionCores* const choice = teams.begins(pass.region, 8);
      if (choice != nullptr) ++last;
      now += pass.ticks;
    }
    packed += last;
  }
  CHECK(last == 1);
  CHECK(packed > 1800);
  CHECK(teams.text().find("went back") == std::string::npos);
}

}  // namespace huddle::runtime
