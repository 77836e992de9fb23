#include "aggregator/forecast/forest/detail/tree_growing.hpp"

#include <algorithm>
#include <numeric>

#include "aggregator/forecast/forest/random_stream.hpp"

namespace huddle::forecast {
namespace {

// A row that a tree is grown on, and how often it was drawn.
struct DrawnRow {
  double value = 0;
  double times = 0;
};

// Sums over the rows of a node, each as often as it was drawn.
struct RowSums {
  double sum = 0;
  double times = 0;
};

// Where to split a node by one feature.
struct BestSplit {
  // Fall of the sum of squared errors, over what is the same for all splits of a node;
  // below 0: none was found.
  double gain = -1;
  std::uint32_t feature = 0;
  std::uint32_t left = 0;  // rows that go left, of those sorted by that feature
};

// Replaces `best` if a split by this feature gains more. `sorted` are the node's rows by increasing
// code. Of equal splits the first wins.
//
// With sums taken from the mean of the node, the sum of squared errors falls by
// s^2 / n_left + s^2 / n_right = s^2 n / (n_left n_right); n is the same for all splits.
void improve_split(std::span<const std::uint32_t> sorted, const std::uint32_t* code,
                   const DrawnRow* rows, const RowSums& all, std::uint32_t least_leaf,
                   std::uint32_t feature, BestSplit& best) {
  const std::size_t count = sorted.size();
  if (count < 2 * std::size_t{least_leaf}) return;
  const double mean = all.sum / all.times;
  double sum = 0;
  double times = 0;
  for (std::size_t i = 0; i + 1 < least_leaf; ++i) {
    sum += rows[sorted[i]].value * rows[sorted[i]].times;
    times += rows[sorted[i]].times;
  }
  double most = best.gain;
  std::size_t left = 0;
  std::uint32_t row = sorted[least_leaf - 1];
  for (std::size_t i = least_leaf - 1; i < count - least_leaf; ++i) {
    sum += rows[row].value * rows[row].times;
    times += rows[row].times;
    const std::uint32_t next = sorted[i + 1];
    if (code[row] != code[next]) {
      const double above = sum - times * mean;
      const double gain = above * above / (times * (all.times - times));
      if (gain > most) {
        most = gain;
        left = i + 1;
      }
    }
    row = next;
  }
  if (left > 0) best = {most, feature, static_cast<std::uint32_t>(left)};
}

// A node that is still to be split, or to become a leaf. It has the rows first .. last - 1 of each
// list.
struct OpenNode {
  std::uint32_t node;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t depth;
  std::uint64_t key;
  RowSums sums;
  bool same_values;
};

// The middle of two neighbours, never rounded up to the upper one.
double between(double lower, double upper) {
  const double middle = lower / 2 + upper / 2;
  return middle < upper ? std::max(middle, lower) : lower;
}

}  // namespace

TreeKeys TreeKeys::of(std::uint64_t seed, std::uint32_t tree) {
  const std::uint64_t key = RandomStream::key_of(seed, tree);
  return {RandomStream::key_of(key, 0), RandomStream::key_of(key, 1)};
}
std::uint64_t TreeKeys::left(std::uint64_t node) {
  return RandomStream::key_of(node, 2);
}
std::uint64_t TreeKeys::right(std::uint64_t node) {
  return RandomStream::key_of(node, 3);
}

class TreeGrower::Growth {
 public:
  Growth(const TrainingRows& rows, const TreeSettings& settings)
      : training_(rows),
        settings_(settings),
        number_(rows.size()),
        lists_(rows.features.size()),
        codes_(rows.features.size()),
        features_(rows.features.size()) {}

  Tree grow(const std::vector<std::uint16_t>& times, std::uint64_t root_key) {
    take(times);
    const auto all = static_cast<std::uint32_t>(rows_.size());
    tree_.nodes.assign(1, {});
    open_.push_back(node_of(0, 0, all, lists_[0], 0, root_key));
    while (!open_.empty()) {
      const OpenNode node = open_.back();
      open_.pop_back();
      const BestSplit split = may_split(node) ? best_split(node) : BestSplit{};
      if (split.gain < 0)
        make_leaf(node);
      else
        make_children(node, split);
    }
    Tree grown{{tree_.nodes.begin(), tree_.nodes.end()}};  // without room to spare
    return grown;
  }

 private:
  void take(const std::vector<std::uint16_t>& times) {
    rows_.clear();
    for (std::size_t place = 0; place < times.size(); ++place) {
      number_[place] = static_cast<std::uint32_t>(rows_.size());
      if (times[place] != 0)
        rows_.push_back({training_.value[place], static_cast<double>(times[place])});
    }
    goes_left_.resize(rows_.size());
    aside_.resize(rows_.size());
    for (std::size_t f = 0; f < lists_.size(); ++f) take_feature(f, times);
  }

  // Without branches: every row is written, and the next overwrites those that weren't drawn.
  void take_feature(std::size_t feature, const std::vector<std::uint16_t>& times) {
    const CodedFeature& coded = training_.features[feature];
    std::vector<std::uint32_t>& list = lists_[feature];
    std::vector<std::uint32_t>& code = codes_[feature];
    list.resize(rows_.size() + 1);
    code.resize(rows_.size() + 1);
    std::size_t taken = 0;
    for (const std::uint32_t place : coded.sorted) {
      list[taken] = number_[place];
      taken += times[place] != 0;
    }
    taken = 0;
    for (std::size_t place = 0; place < times.size(); ++place) {
      code[taken] = coded.code[place];
      taken += times[place] != 0;
    }
  }

  // Sums anew, not by taking a child's from its parent's: differences lose digits.
  OpenNode node_of(std::uint32_t node, std::uint32_t first, std::uint32_t last,
                   const std::vector<std::uint32_t>& list, std::uint32_t depth,
                   std::uint64_t key) const {
    OpenNode made{node, first, last, depth, key, {}, true};
    const double value = rows_[list[first]].value;
    for (std::uint32_t i = first; i < last; ++i) {
      const DrawnRow& row = rows_[list[i]];
      made.sums.sum += row.value * row.times;
      made.sums.times += row.times;
      made.same_values &= row.value == value;
    }
    return made;
  }

  [[nodiscard]] bool may_split(const OpenNode& node) const {
    return node.last - node.first >= 2 * std::uint64_t{settings_.least_leaf} &&
           node.depth < settings_.most_depth && !node.same_values;
  }

  BestSplit best_split(const OpenNode& node) {
    BestSplit best;
    std::iota(features_.begin(), features_.end(), 0U);
    RandomStream random(node.key);
    const auto count = static_cast<std::uint32_t>(features_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      std::swap(features_[i], features_[i + random.below(count - i)]);
      const std::uint32_t feature = features_[i];
      const std::uint32_t* list = lists_[feature].data();
      const std::uint32_t* code = codes_[feature].data();
      if (code[list[node.first]] != code[list[node.last - 1]])
        improve_split({list + node.first, list + node.last}, code, rows_.data(), node.sums,
                      settings_.least_leaf, feature, best);
      if (i + 1 >= settings_.features_per_split && best.gain >= 0) break;
    }
    return best;
  }

  void make_leaf(const OpenNode& node) {
    tree_.nodes[node.node] = {node.sums.sum / node.sums.times, node.node,
                              static_cast<std::uint32_t>(lists_.size())};
  }

  void make_children(const OpenNode& node, const BestSplit& split) {
    const std::vector<std::uint32_t>& list = lists_[split.feature];
    const std::uint32_t middle = node.first + split.left;
    const auto child = static_cast<std::uint32_t>(tree_.nodes.size());
    const std::vector<std::uint32_t>& code = codes_[split.feature];
    const std::vector<double>& numbers = training_.features[split.feature].numbers;
    const double number = between(numbers[code[list[middle - 1]]], numbers[code[list[middle]]]);
    tree_.nodes[node.node] = {number, child, split.feature};
    tree_.nodes.resize(tree_.nodes.size() + 2);
    const OpenNode left =
        node_of(child, node.first, middle, list, node.depth + 1, TreeKeys::left(node.key));
    const OpenNode right =
        node_of(child + 1, middle, node.last, list, node.depth + 1, TreeKeys::right(node.key));
    if (may_split(left) || may_split(right)) part_lists(node, split.feature, middle);
    for (const OpenNode& one : {right, left}) {
      if (may_split(one))
        open_.push_back(one);
      else
        make_leaf(one);
    }
  }

  void part_lists(const OpenNode& node, std::uint32_t split_by, std::uint32_t middle) {
    const std::uint32_t* by = lists_[split_by].data();
    for (std::uint32_t i = node.first; i < middle; ++i) goes_left_[by[i]] = 1;
    for (std::uint32_t i = middle; i < node.last; ++i) goes_left_[by[i]] = 0;
    for (std::size_t feature = 0; feature < lists_.size(); ++feature)
      if (feature != split_by) part(lists_[feature].data(), node.first, node.last);
  }

  void part(std::uint32_t* list, std::uint32_t first, std::uint32_t last) {
    std::uint32_t* left = list + first;
    std::uint32_t* right = aside_.data();
    const std::uint8_t* goes_left = goes_left_.data();
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t row = list[i];
      const std::uint32_t to_left = goes_left[row];
      *left = row;
      *right = row;
      left += to_left;
      right += 1 - to_left;
    }
    std::copy(aside_.data(), right, left);
  }

  const TrainingRows& training_;
  TreeSettings settings_;
  std::vector<std::uint32_t> number_;  // by place
  std::vector<DrawnRow> rows_;
  std::vector<std::vector<std::uint32_t>> lists_;  // by feature: rows, by increasing code
  std::vector<std::vector<std::uint32_t>> codes_;  // by feature and row
  std::vector<std::uint32_t> features_;
  std::vector<std::uint8_t> goes_left_;  // by row
  std::vector<std::uint32_t> aside_;
  std::vector<OpenNode> open_;
  Tree tree_;
};

TreeGrower::TreeGrower(const TrainingRows& rows, const TreeSettings& settings)
    : growth_(std::make_unique<Growth>(rows, settings)) {}
TreeGrower::~TreeGrower() = default;

Tree TreeGrower::grow(const std::vector<std::uint16_t>& times, std::uint64_t root_key) {
  return growth_->grow(times, root_key);
}

}  // namespace huddle::forecast
