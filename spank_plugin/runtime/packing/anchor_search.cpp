#include "spank_plugin/runtime/packing/anchor_search.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "profiles/recorder/process/clocks.hpp"
#include "spank_plugin/runtime/packing/period_place.hpp"

namespace huddle::runtime {
namespace {

/// The passes of the last two periods, by place in it.
class LastPeriods {
 public:
  LastPeriods(std::vector<recorder::GroupPass> passes, std::vector<std::uint64_t> before,
              std::size_t length)
      : passes_(std::move(passes)), before_(std::move(before)), length_(length) {}

  [[nodiscard]] std::uint64_t group(std::size_t at) const { return before_[at]; }
  [[nodiscard]] std::uint64_t region(std::size_t at) const { return passes_[at].group; }
  [[nodiscard]] std::uint64_t pair(std::size_t at) const {
    return at == 0 ? 0 : PeriodPlace::pair_of(region(at - 1), region(at));
  }

  /// The lowest of what comes at one place only, and there in both periods; 0: there is none.
  template <class SymbolAt>
  [[nodiscard]] std::uint64_t unique(const SymbolAt& symbol_at) const {
    std::map<std::uint64_t, std::size_t> times;
    const std::size_t begin = passes_.size() - length_;
    for (std::size_t at = begin; at < passes_.size(); ++at) ++times[symbol_at(at)];
    for (std::size_t at = begin; at < passes_.size(); ++at)
      if (symbol_at(at - length_) != symbol_at(at)) times.erase(symbol_at(at));
    for (const auto& [symbol, count] : times)
      if (symbol != 0 && count == 1) return symbol;
    return 0;
  }

 private:
  std::vector<recorder::GroupPass> passes_;
  std::vector<std::uint64_t> before_;
  std::size_t length_;
};

}  // namespace

void AnchorSearch::delimiter(std::uint64_t group) {
  if (delimiter_ != 0 && delimiter_ != group && hidden_.size() < kMostHidden)
    hidden_.insert(delimiter_);
  delimiter_ = group;
}

std::optional<PeriodAnchor> AnchorSearch::ended(std::uint64_t region, std::uint64_t ticks) {
  constexpr std::uint64_t kShare = 300;
  passes_[count_ % kKept] = {region, ticks};
  before_[count_ % kKept] = delimiter_;
  delimiter_ = 0;
  ++count_;
  elapsed_ += ticks;
  if (count_ != next_look_) return {};
  next_look_ = count_ + std::min<std::uint64_t>(count_, kKept);
  if (elapsed_ < kShare * cost_) return {};
  const std::uint64_t begin = recorder::TickClock::now();
  std::optional<PeriodAnchor> found = look();
  cost_ = recorder::TickClock::now() - begin;
  elapsed_ = 0;
  return found;
}

std::optional<PeriodAnchor> AnchorSearch::look() const {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count_, kKept));
  std::vector<recorder::GroupPass> passes(size);
  std::vector<std::uint64_t> before(size);
  for (std::size_t i = 0; i < size; ++i) {
    passes[i] = passes_[(count_ - size + i) % kKept];
    before[i] = before_[(count_ - size + i) % kKept];
  }
  const auto period = recorder::find_period(passes);
  if (!period || 2 * period->length >= size) return {};
  PeriodAnchor anchor;
  anchor.length = static_cast<std::uint32_t>(period->length);
  for (std::size_t at = size - period->length; at < size; ++at) ++anchor.passes[passes[at].group];
  const LastPeriods last(std::move(passes), std::move(before), period->length);
  const bool may_be_group = hidden_.size() < kMostHidden;
  if (may_be_group)
    anchor.id = last.unique(
        [&](std::size_t at) { return hidden_.contains(last.group(at)) ? 0 : last.group(at); });
  if (anchor.id == 0) anchor.id = last.unique([&](std::size_t at) { return last.region(at); });
  if (anchor.id == 0) anchor.id = last.unique([&](std::size_t at) { return last.pair(at); });
  if (anchor.id == 0) return {};
  return anchor;
}

}  // namespace huddle::runtime
