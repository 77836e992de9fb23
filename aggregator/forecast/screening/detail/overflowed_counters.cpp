#include "aggregator/forecast/screening/detail/checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace huddle {
namespace {

constexpr std::size_t kFewest = 3;
constexpr std::size_t kForLevel = 5;  // a median of so many isn't moved by an odd one
const double kFarthest = std::log(4.0);
// With sizes this near to each other the noise would make any slope, and hardly any matters.
const double kNarrow = std::log(1.2);

constexpr std::array<double, 2> kCounterRanges = {0x1p32, 0x1p48};
// RAPL: 32 bits of 2^-16 J, of 2^-14 J and of 1 uJ, and what Linux gives as the range in uJ.
constexpr std::array<double, 5> kEnergyRanges = {0x1p16, 0x1p18, 0x1p32 / 1e6, 65532.610987,
                                                 262143.32885};
constexpr double kTooSmall = 0.6;
// A first overflow must differ from a value that is merely odd; larger sizes go on overflowing.
constexpr double kMostFirstOverflows = 3;
constexpr double kMostOverflows = 1e6;
constexpr std::size_t kMostOdd = 8;

struct Ranges {
  std::span<const double> ranges;
  double near = 0;  // how near to what is expected, relatively
};
// Energies vary more than counts do, and there are more ranges: a narrower one keeps chance out.
constexpr Ranges kOfCounters{kCounterRanges, 0.15};
constexpr Ranges kOfEnergy{kEnergyRanges, 0.07};

// Whole numbers that are hardly ever negative, as counts are.
bool holds_counts(const MeasuredColumn& column) {
  if (column.role != ColumnRole::variable) return false;
  std::size_t negative = 0;
  for (const double value : column.values) {
    if (value != std::floor(value)) return false;
    if (value < 0) ++negative;
  }
  return 10 * negative <= column.values.size();
}

// By how much a counter has overflowed, if that explains it; 0 if not.
double overflow_of(double value, double expected, const Ranges& of, double most_times) {
  if (value >= kTooSmall * expected) return 0;
  for (const double range : of.ranges) {
    const double times = std::round((expected - value) / range);
    if (times < 1 || times > most_times) continue;
    if (std::abs(value + times * range - expected) < of.near * expected) return times * range;
  }
  return 0;
}

// Looks at each column in turn, rows in the order of `group`.
class Search {
 public:
  explicit Search(const MeasurementTable& rows)
      : rows_(rows),
        time_(rows.find(ColumnRole::time)),
        size_(rows.find(ColumnRole::size)),
        order_(rows_in_order(rows, true,
                             {ColumnRole::processes, ColumnRole::threads, ColumnRole::frequency,
                              ColumnRole::nodes, ColumnRole::packages, ColumnRole::size})),
        groups_(groups_in(rows, order_, true,
                          {ColumnRole::processes, ColumnRole::threads, ColumnRole::frequency,
                           ColumnRole::nodes, ColumnRole::packages})) {}

  void look_at(const MeasuredColumn& column, const Ranges& ranges) {
    if (time_ == nullptr) return;
    for (const auto& [begin, end] : groups_)
      look_at_group({order_.data() + begin, end - begin}, column, ranges);
  }

  void take_negative(const MeasuredColumn& column) {
    for (std::size_t row = 0; row < rows_.rows(); ++row)
      if (column.values[row] < 0) found_.push_back({row, column.name});
  }

  std::vector<OverflowedCounter> take() {
    std::ranges::stable_sort(found_, {}, &OverflowedCounter::row);
    const auto again =
        std::unique(found_.begin(), found_.end(),
                    [](const OverflowedCounter& left, const OverflowedCounter& right) {
                      return left.row == right.row;
                    });
    found_.erase(again, found_.end());
    return std::move(found_);
  }

 private:
  void look_at_group(std::span<const std::size_t> group, const MeasuredColumn& column,
                     const Ranges& ranges) {
    RunningLaw law;
    RunningLaw time_law;
    bool overflows = false;
    std::size_t odd = 0;  // rows in a row that took another time than expected
    for (const std::size_t row : group) {
      const double size = size_ == nullptr ? 1 : size_->values[row];
      double value = column.values[row];
      const double time = time_->values[row];
      if (size <= 0 || value < 0 || time <= 0) continue;
      const bool knows = law.knows(size);
      if (knows && !is_as_expected(time, time_law.at(size))) {
        if (++odd < kMostOdd) continue;  // a disturbed run says nothing about the next
        law = time_law = {};             // the program has changed
      } else if (knows) {
        const double overflow = overflow_of(value, law.at(size), ranges,
                                            overflows ? kMostOverflows : kMostFirstOverflows);
        if (overflow > 0) found_.push_back({row, column.name});
        overflows = overflow > 0;
        value += overflow;
      }
      odd = 0;
      if (value == 0) continue;
      law.add(size, value);
      time_law.add(size, time);
    }
  }

  static bool is_as_expected(double time, double expected) {
    return time > expected / 1.5 && time < expected * 1.5;
  }

  const MeasurementTable& rows_;
  const MeasuredColumn* time_;
  const MeasuredColumn* size_;
  std::vector<std::size_t> order_;
  std::vector<std::pair<std::size_t, std::size_t>> groups_;
  std::vector<OverflowedCounter> found_;
};

}  // namespace

void RunningLaw::add(double size, double value) {
  points_[count_ % points_.size()] = {std::log(size), std::log(value)};
  ++count_;
}

const RunningLaw::Point& RunningLaw::from_last(std::size_t back) const {
  return points_[(count_ - 1 - back) % points_.size()];
}

bool RunningLaw::knows(double size) const {
  return count_ >= kFewest && std::log(size) - from_last(0).size <= kFarthest;
}

double RunningLaw::slope() const {
  const std::size_t count = std::min(count_, points_.size());
  if (from_last(0).size - from_last(count - 1).size < kNarrow) return 1;
  double mean_size = 0;
  double mean_value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean_size += points_[i].size / static_cast<double>(count);
    mean_value += points_[i].value / static_cast<double>(count);
  }
  double both = 0;
  double sizes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = points_[i].size - mean_size;
    both += size * (points_[i].value - mean_value);
    sizes += size * size;
  }
  return both / sizes;
}

// The last values, brought to the asked size by the slope; their median.
double RunningLaw::at(double size) const {
  const double by = slope();
  std::array<double, kForLevel> levels{};
  const std::size_t count = std::min(count_, kForLevel);
  for (std::size_t i = 0; i < count; ++i)
    levels[i] = from_last(i).value + by * (std::log(size) - from_last(i).size);
  std::sort(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(count));
  return std::exp((levels[(count - 1) / 2] + levels[count / 2]) / 2);
}

std::vector<OverflowedCounter> find_overflowed(const MeasurementTable& rows) {
  Search search(rows);
  for (const MeasuredColumn& column : rows.columns) {
    if (column.role == ColumnRole::energy) search.look_at(column, kOfEnergy);
    if (!holds_counts(column)) continue;
    search.take_negative(column);
    // No range fits what is far smaller.
    const auto largest = std::ranges::max_element(column.values);
    if (largest != column.values.end() && *largest > kCounterRanges[0] / 2)
      search.look_at(column, kOfCounters);
  }
  return search.take();
}

}  // namespace huddle
