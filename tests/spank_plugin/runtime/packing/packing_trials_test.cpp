#include "spank_plugin/runtime/packing/packing_trials.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace huddle::runtime {
namespace {

constexpr std::uint64_t kSecondOfTrials = 1'000'000'000;

/// A program of one region after the other, at simulated times.
struct TriedProgram {
  PackingTrials trials;
  std::uint64_t now = 0;
  std::uint64_t packed_time = 0;
  std::set<std::uint32_t> seen = {};

  /// A pass of `ticks` on all cores; on fewer `stretch(cores)` as long.
  void pass(std::uintptr_t function, std::uint32_t team, std::uint64_t ticks,
            const std::function<double(std::uint32_t)>& stretch) {
    const std::uint32_t cores = trials.begins(function, team, now);
    seen.insert(cores);
    if (cores != 0) ticks = static_cast<std::uint64_t>(static_cast<double>(ticks) * stretch(cores));
    if (cores != 0) packed_time += ticks;
    now += ticks;
    trials.ended(function, team, cores, ticks, now);
  }
};

double as_if_one_core(std::uint32_t /*cores*/) {
  return 1.0;
}

std::optional<PackingTrials::Row> row_of(const PackingTrials& trials, std::uintptr_t function,
                                         std::uint32_t cores) {
  for (const PackingTrials::Row& row : trials.rows())
    if (row.function == function && row.cores == cores) return row;
  return std::nullopt;
}

}  // namespace

TEST_CASE("regions of a long run are tried on half and on a quarter of their cores") {
  TriedProgram program{PackingTrials(8, 1e9)};
  while (program.now < 30 * kSecondOfTrials) {
    program.pass(1, 8, 4'000'000, as_if_one_core);
    program.pass(2, 8, 1'000'000, as_if_one_core);
  }
  CHECK(program.seen == std::set<std::uint32_t>{0, 2, 4});
  for (const std::uintptr_t function : {1U, 2U})
    for (const std::uint32_t cores : {4U, 2U}) {
      const auto row = row_of(program.trials, function, cores);
      REQUIRE(row);
      CHECK(row->team == 8);
      CHECK(row->first.count == 2);
      CHECK(row->packed.count >= 4);
      CHECK(row->packed.mean == (function == 1 ? 4e6 : 1e6));
      CHECK(row->usual.count > 1000);
    }
  CHECK(program.trials.effort().windows == 4);
}

TEST_CASE("trials take no more than their share of the run") {
  for (const double slowness : {2.0, 1.0}) {
    TriedProgram program{PackingTrials(4, 1e9)};
    while (program.now < 100 * kSecondOfTrials) {
      program.pass(1, 4, 30'000'000, [&](std::uint32_t cores) { return slowness * 4 / cores; });
      CHECK(static_cast<double>(program.packed_time) <=
            2 * PackingTrials::kMostTime * static_cast<double>(program.now));
    }
    CHECK(program.trials.effort().windows > 0);
    CHECK(static_cast<double>(program.trials.effort().ticks) <=
          PackingTrials::kMostTime * static_cast<double>(program.now));
  }
}

TEST_CASE("a short run has no window, nor one whose regions have nowhere to go") {
  TriedProgram brief{PackingTrials(8, 1e9)};
  while (brief.now < kSecondOfTrials / 2) brief.pass(1, 8, 1'000'000, as_if_one_core);
  TriedProgram rare{PackingTrials(8, 1e9)};
  for (int i = 0; i < 7; ++i) rare.pass(1, 8, 10'000'000'000, as_if_one_core);
  TriedProgram prime{PackingTrials(1, 1e9)};
  while (prime.now < 10 * kSecondOfTrials) prime.pass(1, 8, 1'000'000, as_if_one_core);
  TriedProgram alone{PackingTrials(8, 1e9)};
  while (alone.now < 10 * kSecondOfTrials) alone.pass(1, 1, 1'000'000, as_if_one_core);
  for (const TriedProgram* program : {&brief, &rare, &prime, &alone}) {
    CHECK(program->seen == std::set<std::uint32_t>{0});
    CHECK(program->trials.effort().windows == 0);
    CHECK(program->trials.rows().empty());
  }
}

TEST_CASE("where half of the cores take twice as long, a quarter is not tried") {
  TriedProgram program{PackingTrials(8, 1e9)};
  while (program.now < 60 * kSecondOfTrials)
    program.pass(1, 8, 2'000'000, [](std::uint32_t cores) { return 8.0 / cores; });
  CHECK(program.seen == std::set<std::uint32_t>{0, 4});
  CHECK(program.trials.effort().windows == 2);
}

TEST_CASE(
    "a region that comes seldom keeps others from being tried no longer than it takes most time") {
  TriedProgram program{PackingTrials(8, 1e9)};
  int step = 0;
  while (program.now < 20 * kSecondOfTrials) {
    program.pass(1, 8, 5'000'000, as_if_one_core);
    if (++step % 100 == 0) program.pass(2, 8, 20'000'000, as_if_one_core);
  }
  CHECK(row_of(program.trials, 1, 4));
  CHECK(program.trials.effort().windows == 4);
  TriedProgram rare{PackingTrials(8, 1e9)};
  step = 0;
  while (rare.now < 20 * kSecondOfTrials) {
    rare.pass(1, 8, 5'000'000, as_if_one_core);
    if (++step % 20 == 0) rare.pass(2, 8, 500'000'000, as_if_one_core);
  }
  CHECK(rare.trials.effort().windows == 0);
}

TEST_CASE("a team of nine is tried on three cores, and one whose size changes is left alone") {
  TriedProgram program{PackingTrials(16, 1e9)};
  std::uint32_t team = 4;
  while (program.now < 30 * kSecondOfTrials) {
    program.pass(1, 9, 2'000'000, as_if_one_core);
    program.pass(2, team, 2'000'000, as_if_one_core);
    team = team == 4 ? 8 : 4;
  }
  CHECK(row_of(program.trials, 1, 3));
  CHECK(row_of(program.trials, 1, 1));
  CHECK(std::ranges::none_of(program.trials.rows(),
                             [](const auto& row) { return row.function == 2; }));
}

TEST_CASE("times of passes have a mean, a variance and extremes") {
  PassTimes times;
  CHECK(times.variance() == 0);
  for (const std::uint64_t ticks : {4U, 8U, 6U}) times.add(ticks);
  CHECK(times.count == 3);
  CHECK(times.mean == doctest::Approx(6));
  CHECK(times.variance() == doctest::Approx(8.0 / 3));
  CHECK(times.shortest == 4);
  CHECK(times.longest == 8);
}

TEST_CASE("trials are through once regions were on all numbers of cores that they are tried on") {
  TriedProgram program{PackingTrials(8, 1e9)};
  while (program.now < kSecondOfTrials / 2) program.pass(1, 8, 1'000'000, as_if_one_core);
  CHECK_FALSE(program.trials.is_through(program.now));
  while (program.trials.effort().windows < 2) program.pass(1, 8, 1'000'000, as_if_one_core);
  CHECK_FALSE(program.trials.is_through(program.now));  // a quarter is to come
  while (program.trials.effort().windows < 4) program.pass(1, 8, 1'000'000, as_if_one_core);
  CHECK(program.trials.is_through(program.now));
  TriedProgram two{PackingTrials(2, 1e9)};
  while (two.trials.effort().windows < 1) two.pass(1, 2, 1'000'000, as_if_one_core);
  CHECK_FALSE(two.trials.is_through(two.now));
  while (two.trials.effort().windows < 2) two.pass(1, 2, 1'000'000, as_if_one_core);
  CHECK(two.trials.is_through(two.now));  // there is no quarter
  TriedProgram alone{PackingTrials(8, 1e9)};
  while (alone.now < 10 * kSecondOfTrials) alone.pass(1, 1, 1'000'000, as_if_one_core);
  CHECK_FALSE(alone.trials.is_through(alone.now));  // nothing was tried
}

namespace {

/// The same with regions that may have smaller teams: one of them takes `ticks`.
struct ProgramOfSizes {
  PackingTrials trials;
  std::uint64_t now = 0;
  std::map<TrialKind, std::set<std::uint32_t>> seen = {};
  std::vector<TrialKind> windows = {};
  bool was_in_window = false;

  std::uint32_t pass(std::uintptr_t function, std::uint64_t ticks, bool may_shrink,
                     bool acts = false) {
    const std::uint32_t count = trials.begins(function, 8, now, may_shrink);
    const auto window = trials.window();
    if (window && !was_in_window) windows.push_back(*window);
    was_in_window = window.has_value();
    if (window) seen[*window].insert(count);
    const bool smaller = window == TrialKind::kSmaller && count > 0;
    now += smaller ? ticks / 2 : ticks;
    if (acts && (!window || (window == TrialKind::kSmaller && count == 0)))
      trials.acted(function, ticks);
    else
      trials.ended(function, 8, count, smaller ? ticks / 2 : ticks, now, smaller);
    return count;
  }
};

}  // namespace

TEST_CASE("fewer cores and fewer threads are tried in turns, within the same share of the run") {
  ProgramOfSizes program{PackingTrials(8, 1e9, {TrialKind::kPacked, TrialKind::kSmaller})};
  while (program.trials.goes_on() && program.now < 60 * kSecondOfTrials) {
    program.pass(1, 4'000'000, true);
    program.pass(2, 1'000'000, false);
    const auto packed = program.trials.effort(TrialKind::kPacked).ticks;
    const auto smaller = program.trials.effort(TrialKind::kSmaller).ticks;
    CHECK(static_cast<double>(packed + smaller) <=
          PackingTrials::kMostTime * static_cast<double>(program.now) + 1);
  }
  CHECK_FALSE(program.trials.goes_on());
  CHECK(program.trials.is_through(program.now));
  CHECK(program.windows == std::vector<TrialKind>{TrialKind::kPacked, TrialKind::kSmaller,
                                                  TrialKind::kPacked, TrialKind::kSmaller,
                                                  TrialKind::kPacked, TrialKind::kSmaller,
                                                  TrialKind::kPacked, TrialKind::kSmaller});
  for (const TrialKind kind : {TrialKind::kPacked, TrialKind::kSmaller})
    CHECK(program.trials.effort(kind).windows == 4);
  CHECK(program.seen[TrialKind::kPacked] == std::set<std::uint32_t>{2, 4});
  CHECK(program.seen[TrialKind::kSmaller] == std::set<std::uint32_t>{0, 2, 4});
  int smaller = 0;
  for (const PackingTrials::Row& row : program.trials.rows()) {
    if (row.threads == 0) continue;
    ++smaller;
    CHECK(row.function == 1);
    CHECK(row.threads == row.cores);
    CHECK(row.packed.mean == doctest::Approx(2e6));
    CHECK(row.usual.mean == doctest::Approx(4e6));
  }
  CHECK(smaller == 2);
}

TEST_CASE("where no team may be smaller, all windows are of fewer cores") {
  for (const bool given_up : {true, false}) {
    ProgramOfSizes program{PackingTrials(8, 1e9, {TrialKind::kPacked, TrialKind::kSmaller})};
    if (given_up) program.trials.keep_sizes();
    while (program.trials.effort().windows < 4 && program.now < 60 * kSecondOfTrials)
      program.pass(1, 2'000'000, given_up);
    CHECK(program.trials.is_through(program.now));
    CHECK(program.windows == std::vector<TrialKind>(4, TrialKind::kPacked));
    for (const PackingTrials::Row& row : program.trials.rows()) CHECK(row.threads == 0);
  }
}

TEST_CASE("beside teams that are acted on, smaller ones are tried in turns with usual ones") {
  ProgramOfSizes program{PackingTrials(8, 1e9, {TrialKind::kAsStarted, TrialKind::kSmaller})};
  for (int pass = 0; pass < 6; ++pass) program.pass(1, 4'000'000, true);
  while (program.trials.goes_on() && program.now < 60 * kSecondOfTrials)
    program.pass(1, 4'000'000, true, true);
  CHECK_FALSE(program.trials.goes_on());
  CHECK(program.windows.front() == TrialKind::kAsStarted);
  CHECK(program.windows[1] == TrialKind::kSmaller);
  CHECK(program.seen[TrialKind::kAsStarted] == std::set<std::uint32_t>{0});
  REQUIRE(!program.trials.rows().empty());
  for (const PackingTrials::Row& row : program.trials.rows()) {
    CHECK(row.threads > 0);
    // Six at the start, and of each window all but the first.
    CHECK(row.usual.count >= PackingTrials::kFewestUsual);
    CHECK(row.usual.count <= 6 + 4 * PackingTrials::kPassesOfWindow);
  }
}

TEST_CASE("a region that comes too seldom for smaller teams keeps others on fewer cores no less") {
  ProgramOfSizes program{PackingTrials(8, 1e9, {TrialKind::kPacked, TrialKind::kSmaller})};
  int step = 0;
  while (program.now < 25 * kSecondOfTrials) {
    program.pass(1, 5'000'000, false);
    if (++step % 10 == 0) program.pass(2, 20'000'000, true);
  }
  CHECK(program.trials.effort(TrialKind::kPacked).windows == 4);
  CHECK(program.trials.effort(TrialKind::kSmaller).windows == 0);
}

TEST_CASE("positions in a period are looked for where packed teams are tried, not beside a plan") {
  const auto positions_with = [](const std::vector<TrialKind>& kinds) {
    PackingTrials trials(8, 1e15, kinds);
    for (int turn = 0; turn < 400; ++turn) {
      for (const auto& [region, ticks] : {std::pair(1U, std::uint64_t{1} << 38U),
                                          {2U, std::uint64_t{1} << 36U},
                                          {3U, std::uint64_t{1} << 35U},
                                          {2U, std::uint64_t{1} << 32U}}) {
        trials.begins(region, 8, 0, true);
        trials.ended(region, 8, 0, ticks, 0);
      }
      trials.group_ends(9);
    }
    return trials.positions().all.rows.size();
  };
  CHECK(positions_with({TrialKind::kPacked, TrialKind::kSmaller}) >= 4);
  CHECK(positions_with({TrialKind::kAsStarted, TrialKind::kSmaller}) == 0);
}

}  // namespace huddle::runtime
