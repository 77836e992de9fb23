#include "profiles/hardware/monitoring/sensor_account.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace huddle::power {
namespace {

// Counts move in steps: what came in one step may have been used in the second before.
constexpr Seconds kLongestStep{1};
// No part of a node that has power uses none for so long.
constexpr Seconds kLongestStandstill{3};
// Between values of power.
constexpr Seconds kLongestPowerGap{5};

Seconds between(BootClock::time_point from, BootClock::time_point to) {
  return {std::chrono::duration<double>(to - from).count()};
}

std::string words_for(long failure) {
  if (has_vanished(failure)) return "vanished";
  if (failure == -EACCES || failure == -EPERM) return "only root may read it";
  return fmt::format("can't be read: {}",
                     std::generic_category().message(static_cast<int>(-failure)));
}

}  // namespace

bool has_vanished(long failure) {
  return failure == -ENOENT || failure == -ENODEV || failure == -ENXIO;
}

BootClock::time_point BootClock::now() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

SensorAccount::SensorAccount(const Sensor& sensor, const KeptAccount& kept) : sensor_(sensor) {
  const BootClock::time_point last(kept.last);
  const bool was_read = kept.last.count() > 0 && last <= BootClock::now();
  if (!was_read || kept.unit != sensor.unit || kept.range != sensor.range) return;
  last_ = last;
  last_move_ = BootClock::time_point(kept.last_move);
  valid_ = kept.last_count.has_value();
  last_count_ = kept.last_count.value_or(0);
  counted_ = kept.counted;
  integrated_ = kept.integrated;
  known_ = kept.known;
  lost_ = kept.lost;
  losses_ = kept.losses;
  least_ = kept.least;
  most_ = kept.most;
}

KeptAccount SensorAccount::kept() const {
  KeptAccount kept;
  kept.unit = sensor_.unit;
  kept.range = sensor_.range;
  if (valid_ && !frozen_) kept.last_count = last_count_;
  kept.last = last_ ? last_->time_since_epoch() : std::chrono::nanoseconds{0};
  kept.last_move = last_move_.time_since_epoch();
  kept.counted = counted_;
  kept.integrated = integrated_;
  kept.known = known_;
  kept.lost = lost_;
  kept.losses = losses_;
  kept.least = least_;
  kept.most = most_;
  return kept;
}

Seconds SensorAccount::longest_gap() const {
  if (sensor_.quantity == Quantity::kPower)
    return std::max(kLongestPowerGap, 3 * sensor_.refresh.value_or(Seconds{0}));
  if (sensor_.range == 0) return Seconds{1e18};
  return {static_cast<double>(sensor_.range) * sensor_.unit / sensor_.sustained_watts};
}

// Returns the counts since the last value. At its range, as Linux calls it, a counter is at 0.
std::uint64_t SensorAccount::counted_since(std::uint64_t count) const {
  if (count >= last_count_) return count - last_count_;
  return sensor_.range - last_count_ + count;
}

// A coarse counter moves seldom at low power: below 0.1 W it is taken to stand still.
Seconds SensorAccount::longest_standstill() const {
  constexpr double kLeastWatts = 0.1;
  return std::max({kLongestStandstill, Seconds{sensor_.unit / kLeastWatts},
                   3 * sensor_.refresh.value_or(Seconds{0})});
}

// Counts move in steps, so power over less is noise.
Seconds SensorAccount::shortest_window() const {
  constexpr Seconds kShortest{0.1};
  const Seconds of_unit{sensor_.quantity == Quantity::kEnergy ? sensor_.unit : 0};  // 1 W
  return std::max({kShortest, of_unit, 5 * sensor_.refresh.value_or(Seconds{0})});
}

std::string SensorAccount::why_impossible(std::uint64_t count, Seconds elapsed) const {
  const bool counts = sensor_.quantity == Quantity::kEnergy;
  if (counts && sensor_.range != 0 && count > sensor_.range)
    return fmt::format("shows {}, more than its own range of {}", count, sensor_.range);
  if (!counts && count == 0xffffffff) return "shows 0xffffffff";
  if (!counts) {
    const double watts = static_cast<double>(count) * sensor_.unit;
    return watts > sensor_.most_watts ? fmt::format("shows {:.0f} W, which can't be", watts) : "";
  }
  if (!valid_) return {};
  if (sensor_.range == 0 && count < last_count_) return "went backwards";
  const double joules = static_cast<double>(counted_since(count)) * sensor_.unit;
  const double watts = joules / (elapsed + kLongestStep).value;
  return watts > sensor_.most_watts ? fmt::format("jumped: {:.0f} W on average can't be", watts)
                                    : "";
}

void SensorAccount::lose(BootClock::time_point at, std::string reason) {
  if (last_) lost_ += between(*last_, at);
  if (!losing_) ++losses_;
  losing_ = true;
  valid_ = false;
  last_ = at;
  power_.reset();
  window_ = {};
  window_energy_ = {};
  trouble_ = std::move(reason);
}

void SensorAccount::fail(BootClock::time_point at, std::string reason) {
  const bool may_go_on = valid_ && !frozen_ && sensor_.quantity == Quantity::kEnergy &&
                         between(*last_, at) < longest_gap();
  if (!may_go_on) return lose(at, std::move(reason));
  power_.reset();
  trouble_ = std::move(reason);
}

void SensorAccount::begin_from(BootClock::time_point at, std::uint64_t count) {
  last_ = last_move_ = at;
  last_count_ = count;
  valid_ = true;
  losing_ = frozen_ = false;
  trouble_.clear();
}

void SensorAccount::widen_range(Joules energy, Seconds elapsed) {
  window_energy_ += energy;
  window_ += elapsed;
  // A counter that did not move may be about to, or may stand still.
  const bool moved = sensor_.quantity == Quantity::kPower || window_energy_ > Joules{0};
  if (window_ < shortest_window() || !moved) return;
  const Watts watts{window_energy_.value / window_.value};
  least_ = least_ ? std::min(*least_, watts) : watts;
  most_ = most_ ? std::max(*most_, watts) : watts;
  window_energy_ = {};
  window_ = {};
}

void SensorAccount::add_step(BootClock::time_point at, std::uint64_t count, Seconds elapsed) {
  Joules energy;
  if (sensor_.quantity == Quantity::kEnergy) {
    const std::uint64_t step = counted_since(count);
    counted_ += step;
    energy = {static_cast<double>(step) * sensor_.unit};
    if (step > 0) last_move_ = at;
  } else {
    const double mean = (static_cast<double>(count) + static_cast<double>(last_count_)) / 2;
    integrated_ += mean * elapsed.value;
    energy = {mean * elapsed.value * sensor_.unit};
    last_move_ = at;
  }
  known_ += elapsed;
  power_.reset();
  if (elapsed > Seconds{0}) power_ = Watts{energy.value / elapsed.value};
  widen_range(energy, elapsed);
  last_ = at;
  last_count_ = count;
  trouble_.clear();
}

// A counter that does not move reports nothing, and has reported nothing since it moved.
void SensorAccount::stand_still(BootClock::time_point at, Seconds elapsed) {
  const Seconds standstill = between(last_move_, at);
  if (!frozen_) {
    known_ = std::max(known_ - (standstill - elapsed), Seconds{0});
    lost_ += standstill - elapsed;
    ++losses_;
    window_ = {};
    window_energy_ = {};
  }
  lost_ += elapsed;
  frozen_ = true;
  last_ = at;
  power_.reset();
  trouble_ = fmt::format("has not moved for {:.0f} s", standstill.value);
}

void SensorAccount::take(BootClock::time_point at, long size, std::string_view text) {
  if (has_vanished(size)) return lose(at, words_for(size));
  if (size < 0) return fail(at, words_for(size));
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, failure] = std::from_chars(text.data(), end, count);
  const bool ends_there = behind == end || *behind == ' ' || *behind == '\n';
  if (failure != std::errc{} || !ends_there) return fail(at, "does not begin with a whole number");
  add(at, count);
}

void SensorAccount::add(BootClock::time_point at, std::uint64_t count) {
  const Seconds elapsed = last_ ? between(*last_, at) : Seconds{0};
  if (std::string why = why_impossible(count, elapsed); !why.empty()) return lose(at, why);
  const bool moves = !valid_ || count != last_count_ || sensor_.quantity == Quantity::kPower;
  // Nobody knows what came before the first value, or before the first one after trouble.
  if (!valid_ || (frozen_ && moves)) {
    lost_ += elapsed;
    return begin_from(at, count);
  }
  if (elapsed >= longest_gap()) {
    lose(at, fmt::format("was not read for {:.0f} s", elapsed.value));
    return begin_from(at, count);
  }
  if (!moves && (frozen_ || between(last_move_, at) >= longest_standstill()))
    return stand_still(at, elapsed);
  add_step(at, count, elapsed);
}

SensorTotals SensorAccount::totals() const {
  const double counts =
      sensor_.quantity == Quantity::kEnergy ? static_cast<double>(counted_) : integrated_;
  return {Joules{counts * sensor_.unit}, known_, lost_, losses_, least_, most_, trouble_};
}

}  // namespace huddle::power
