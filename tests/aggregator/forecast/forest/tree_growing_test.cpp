#include "aggregator/forecast/forest/detail/tree_growing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/forecast/forest/random_stream.hpp"
#include "tests/aggregator/forecast/forest/made_up_rows.hpp"
#include "tests/aggregator/forecast/forest/reference_tree.hpp"

namespace huddle::forecast {
namespace {

// Rounds to few digits, so that the mean of 256 values has few as well: sums are exact in any
// order, and it only matters which rows are in them.
void shorten(std::vector<double>& values) {
  for (double& value : values) value = std::ldexp(std::round(std::ldexp(value, 10)), -10);
}

struct Differences {
  std::size_t nodes = 0;
  std::size_t wrong = 0;
};

void compare(const Tree& tree, std::uint32_t at, const ReferenceNode& expected,
             const TrainingRows& rows, Differences& found) {
  const TreeNode& node = tree.nodes[at];
  ++found.nodes;
  if (!expected.left) {
    if (node.feature != rows.features.size() || node.next != at || node.number != expected.value)
      ++found.wrong;
    return;
  }
  if (node.feature != expected.feature || node.number != expected.threshold) {
    ++found.wrong;
    return;
  }
  compare(tree, node.next, *expected.left, rows, found);
  compare(tree, node.next + 1, *expected.right, rows, found);
}

// Trees grown fast and grown plainly, on the same rows with the same random numbers.
Differences differences(RowKind kind, std::size_t count, const TreeSettings& settings) {
  Differences found;
  MadeUpRows data = make_up_rows(kind, count, 7);
  shorten(data.values);
  const TrainingRows rows = TrainingRows::make(data.features, data.values, {}, 1);
  std::vector<double> centred(count);
  for (std::size_t place = 0; place < count; ++place) centred[rows.row[place]] = rows.value[place];
  TreeGrower grower(rows, settings);
  for (std::uint32_t number = 0; number < 3; ++number) {
    const TreeKeys keys = TreeKeys::of(5, number);
    std::vector<std::uint16_t> times;
    draw_rows(keys.draw, static_cast<std::uint32_t>(count), times);
    std::vector<ReferenceRow> drawn;
    for (std::size_t place = 0; place < count; ++place)
      if (times[place] > 0) drawn.push_back({rows.row[place], static_cast<double>(times[place])});
    const auto expected = grow_reference(data.features, centred, drawn, settings, keys.root);
    compare(grower.grow(times, keys.root), 0, *expected, rows, found);
  }
  return found;
}

constexpr std::uint32_t kAnyDepth = 1000000;

TEST_CASE("a tree is the one that a plain search of every split grows") {
  for (const RowKind kind : {RowKind::smooth, RowKind::skewed, RowKind::few_numbers}) {
    for (const TreeSettings& settings :
         {TreeSettings{1, 5, kAnyDepth}, TreeSettings{3, 1, kAnyDepth}, TreeSettings{2, 3, 4}}) {
      CAPTURE(name_of(kind));
      CAPTURE(settings.features_per_split);
      const Differences found = differences(kind, 256, settings);
      CHECK(found.wrong == 0);
      CHECK(found.nodes > 3 * 15);
    }
  }
}

TEST_CASE("a tree splits by another feature where the drawn ones are the same in all rows") {
  FeatureMatrix features(8, 50);
  std::vector<double> values(8);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t f = 0; f < 50; ++f) features.feature(f)[row] = 4;
    features.feature(17)[row] = row < 4 ? 1 : 2;
    values[row] = row < 4 ? 10 : 20;
  }
  const TrainingRows rows = TrainingRows::make(features, values, {}, 1);
  TreeGrower grower(rows, {1, 1, kAnyDepth});
  const Tree tree = grower.grow(std::vector<std::uint16_t>(8, 1), 3);
  REQUIRE(tree.nodes.size() == 3);
  CHECK(tree.nodes[0].feature == 17);
  CHECK(tree.nodes[0].number == 1.5);
}

TEST_CASE("a threshold between two neighbours sends the upper one right, however close they are") {
  const double below = 1;
  const double above = std::nextafter(1.0, 2.0);
  FeatureMatrix features(2, 1);
  features.feature(0)[0] = below;
  features.feature(0)[1] = above;
  const std::vector<double> values{0, 1};
  const TrainingRows rows = TrainingRows::make(features, values, {}, 1);
  TreeGrower grower(rows, {1, 1, kAnyDepth});
  const Tree tree = grower.grow({1, 1}, 3);
  REQUIRE(tree.nodes.size() == 3);
  CHECK(!(below > tree.nodes[0].number));
  CHECK(above > tree.nodes[0].number);
}

TEST_CASE("no leaf has fewer rows than asked for, and no path is longer") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 500, 3);
  const TrainingRows rows = TrainingRows::make(data.features, data.values, {}, 1);
  TreeGrower grower(rows, {1, 20, 5});
  std::vector<std::uint16_t> times;
  draw_rows(11, 500, times);
  const Tree tree = grower.grow(times, 12);
  std::vector<std::size_t> reached(tree.nodes.size());
  std::size_t longest = 0;
  for (std::uint32_t place = 0; place < 500; ++place) {
    if (times[place] == 0) continue;
    std::uint32_t at = 0;
    std::size_t steps = 0;
    for (; tree.nodes[at].next != at; ++steps) {
      const TreeNode& node = tree.nodes[at];
      at = node.next + (data.features.at(rows.row[place], node.feature) > node.number ? 1 : 0);
    }
    ++reached[at];
    longest = std::max(longest, steps);
  }
  CHECK(longest == 5);
  for (std::uint32_t at = 0; at < tree.nodes.size(); ++at)
    if (tree.nodes[at].next == at) CHECK(reached[at] >= 20);
}

TEST_CASE("rows are drawn as often as there are rows, and differently for each tree") {
  std::vector<std::uint16_t> first;
  std::vector<std::uint16_t> second;
  draw_rows(TreeKeys::of(1, 0).draw, 1000, first);
  draw_rows(TreeKeys::of(1, 1).draw, 1000, second);
  std::size_t sum = 0;
  for (const std::uint16_t times : first) sum += times;
  CHECK(sum == 1000);
  CHECK(first != second);
  const auto missed = std::count(first.begin(), first.end(), 0);
  CHECK(missed > 320);
  CHECK(missed < 420);
  const DrawnRows drawn(first);
  for (std::size_t place = 0; place < 1000; ++place) {
    if (drawn.drawn(place) != (first[place] > 0)) FAIL("bit of " << place);
  }
}

TEST_CASE("random numbers are those of SplitMix64, and bounded ones are even") {
  RandomStream stream(1234567);
  CHECK(stream.next() == 6457827717110365317U);  // published test vector
  CHECK(stream.next() == 3203168211198807973U);
  RandomStream dice(9);
  std::vector<int> seen(6);
  for (int i = 0; i < 60000; ++i) ++seen[dice.below(6)];
  for (const int times : seen) {
    CHECK(times > 9700);
    CHECK(times < 10300);
  }
  CHECK(RandomStream(3).below(1) == 0);
}

}  // namespace
}  // namespace huddle::forecast
