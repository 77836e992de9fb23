#include "profiles/recorder/profile/pass_periods.hpp"

#include <algorithm>
#include <cmath>

#include "profiles/recorder/process/clocks.hpp"

namespace huddle::recorder {
namespace {

// The natural logarithm of the chance that is taken: several hundred lengths are tried each time.
constexpr double kChance = -20;
// Twice the variance of logarithms that scatter by 7 %.
constexpr double kScatter = 2 * 0.07 * 0.07;
// Passes p apart that may be of different groups: one in so many.
constexpr std::size_t kOddOnes = 50;

/// The passes with what is needed of each: its logarithm, and its group as a small number.
class PassSequence {
 public:
  explicit PassSequence(std::span<const GroupPass> passes) : size_(passes.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      groups_[i] = passes[i].group;
      logs_[i] = static_cast<float>(
          std::log(static_cast<double>(std::max<std::uint64_t>(passes[i].ticks, 1))));
    }
    look_at_groups();
  }

  [[nodiscard]] bool same_group(std::size_t i, std::size_t k) const {
    return groups_[i] == groups_[k];
  }
  [[nodiscard]] double difference(std::size_t i, std::size_t k) const {
    return static_cast<double>(logs_[i]) - static_cast<double>(logs_[k]);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// That two passes have one group.
  [[nodiscard]] double chance_of_same_group() const { return same_; }
  /// Variance of the logarithms, within groups.
  [[nodiscard]] double variance() const { return variance_; }

 private:
  void look_at_groups() {
    std::array<std::uint16_t, PassPeriods::kKept> order{};
    for (std::size_t i = 0; i < size_; ++i) order[i] = static_cast<std::uint16_t>(i);
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(size_),
              [&](std::uint16_t a, std::uint16_t b) { return groups_[a] < groups_[b]; });
    double squares = 0;
    std::size_t kinds = 0;
    for (std::size_t from = 0; from < size_; ++kinds) {
      std::size_t to = from;
      double sum = 0;
      for (; to < size_ && groups_[order[to]] == groups_[order[from]]; ++to)
        sum += static_cast<double>(logs_[order[to]]);
      const auto members = static_cast<double>(to - from);
      for (std::size_t i = from; i < to; ++i) {
        const double off = static_cast<double>(logs_[order[i]]) - sum / members;
        squares += off * off;
      }
      same_ += members * members;
      from = to;
    }
    same_ /= static_cast<double>(size_) * static_cast<double>(size_);
    variance_ = size_ > kinds ? squares / static_cast<double>(size_ - kinds) : 0;
  }

  std::size_t size_;
  std::array<std::uint64_t, PassPeriods::kKept> groups_{};
  std::array<float, PassPeriods::kKept> logs_{};
  double same_ = 0;
  double variance_ = 0;
};

struct PassComparison {
  std::size_t same = 0;    // pairs of one group
  std::size_t other = 0;   // of two
  double difference2 = 0;  // of logarithms, mean of squares
};

// Stops where too many are of different groups.
PassComparison compare(const PassSequence& passes, std::size_t length) {
  PassComparison all;
  const std::size_t most = (passes.size() - length) / kOddOnes;
  for (std::size_t i = length; i < passes.size(); ++i) {
    if (!passes.same_group(i, i - length)) {
      if (++all.other > most) break;
      continue;
    }
    ++all.same;
    const double off = passes.difference(i, i - length);
    all.difference2 += off * off;
  }
  if (all.same > 0) all.difference2 /= static_cast<double>(all.same);
  return all;
}

// The logarithm of a bound of the chance that they are so much alike. `nearer`: how much passes
// differ that are less far apart. Where those are as much alike, lengths drift and do not come
// again.
double chance(const PassSequence& passes, const PassComparison& found, double nearer) {
  const auto pairs = static_cast<double>(found.same);
  double chance = pairs * std::log(passes.chance_of_same_group());
  if (passes.variance() <= 0 || nearer < 2 * found.difference2 + kScatter) return chance;
  const double ratio = std::max(found.difference2 / (2 * passes.variance()), 1e-9);
  if (ratio < 1) chance += pairs / 2 * (std::log(ratio) + 1 - ratio);
  return chance;
}

// From the end back to where it begins to hold: passes may differ by much now and then.
std::size_t begin_of(const PassSequence& passes, std::size_t length, double difference2) {
  const double most = 4 * std::sqrt(std::max(difference2, kScatter));
  std::size_t first = passes.size() - length;
  std::size_t odd = 0;
  for (std::size_t i = passes.size(); i-- > length;) {
    if (!passes.same_group(i, i - length) || std::abs(passes.difference(i, i - length)) > most) {
      if (++odd > 1 + passes.size() / kOddOnes) break;
      continue;
    }
    first = i - length;
  }
  return first;
}

std::optional<PassPeriod> period_of(std::span<const GroupPass> all) {
  const PassSequence passes(all);
  std::array<PassComparison, PassPeriods::kKept / 3 + 1> candidates{};
  double best = HUGE_VAL;
  double nearer = 0;  // sum of the mean differences of shorter lengths
  std::size_t lengths = 0;
  const std::size_t longest = all.size() / 3;
  for (std::size_t length = 1; length <= longest; ++length) {
    const PassComparison found = compare(passes, length);
    const double so_far = lengths == 0 ? HUGE_VAL : nearer / static_cast<double>(lengths);
    if (found.same > 0) {
      nearer += found.difference2;
      ++lengths;
    }
    if (length < 2 || found.other * kOddOnes > found.same ||
        chance(passes, found, so_far) > kChance)
      continue;
    candidates[length] = found;
    best = std::min(best, found.difference2);
  }
  for (std::size_t length = 2; length <= longest; ++length)
    if (candidates[length].same > 0 && candidates[length].difference2 <= 1.5 * best + kScatter)
      return PassPeriod{length, begin_of(passes, length, candidates[length].difference2)};
  return {};
}

}  // namespace

// A program begins with something else: the last half, and the last quarter, are looked at alone.
std::optional<PassPeriod> find_period(std::span<const GroupPass> passes) {
  passes = passes.last(std::min(passes.size(), PassPeriods::kKept));
  for (std::size_t size = passes.size(), parts = 0; size >= 6 && parts < 3; size /= 2, ++parts)
    if (auto found = period_of(passes.last(size))) {
      found->first += passes.size() - size;
      return found;
    }
  return {};
}

void PassPeriods::look_if_affordable() noexcept {
  constexpr std::uint64_t kShare = 300;
  next_look_ = count_ + std::min<std::uint64_t>(count_, kKept);
  if (elapsed_ < kShare * cost_) return;
  const std::uint64_t begin = TickClock::now();
  look();
  cost_ = TickClock::now() - begin;
  elapsed_ = 0;
}

void PassPeriods::look() noexcept {
  std::array<GroupPass, kKept> passes{};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count_, kKept));
  const std::uint64_t oldest = count_ - size;
  looked_at_ += count_ - std::max(oldest, looked_until_);
  looked_until_ = count_;
  for (std::size_t i = 0; i < size; ++i) passes[i] = kept_[(oldest + i) % kKept];
  const std::span<const GroupPass> all(passes.data(), size);
  if (const auto found = find_period(all)) note(*found, oldest, all);
}

// The one that is known goes on if the groups are the same where it would have come to.
void PassPeriods::note(const PassPeriod& period, std::uint64_t oldest,
                       std::span<const GroupPass> passes) noexcept {
  const std::uint64_t first = oldest + period.first;
  const auto expected = [&](std::uint64_t pass) {
    return current_.groups[(pass - current_.first) % period.length];
  };
  bool goes_on = current_.length == period.length && count_ >= current_.until;
  for (std::size_t i = passes.size() - period.length; goes_on && i < passes.size(); ++i)
    goes_on = passes[i].group == expected(oldest + i);
  if (goes_on) {
    current_.passes += count_ - std::max(first, current_.until);
  } else {
    current_.length = period.length;
    current_.first = first;
    current_.passes = count_ - first;
    for (std::size_t i = 0; i < period.length; ++i)
      current_.groups[i] = passes[period.first + i].group;
  }
  current_.until = count_;
  if (current_.passes >= longest_.passes) longest_ = current_;
}

std::optional<PassPeriods::Found> PassPeriods::period() {
  look();
  return known();
}

std::optional<PassPeriods::Found> PassPeriods::known() const {
  if (known_passes() == 0) return {};
  Found found{longest_.first, longest_.passes, {}};
  found.groups.assign(longest_.groups.begin(),
                      longest_.groups.begin() + static_cast<std::ptrdiff_t>(longest_.length));
  return found;
}

}  // namespace huddle::recorder
