#include "profiles/hardware/power/energy_meter.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>

#include "profiles/files/kernel_file.hpp"

namespace huddle::power {
namespace {

// Meters move in steps: what came in one step may have been used in the second before.
constexpr double kLongestStepSeconds = 1;
// No part of a node that has power uses none for so long.
constexpr double kLongestStandstillSeconds = 2;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void EnergyMeter::give_up(Trouble trouble, double figure) noexcept {
  if (trouble_ != Trouble::kNone) return;  // the first reason is the true one
  trouble_ = trouble;
  figure_ = figure;
}

bool EnergyMeter::read(std::uint64_t& count) noexcept {
  std::array<char, 64> text{};
  const long size = read_kernel_file(description_.file.c_str(), text.data(), text.size());
  if (size < 0) {
    give_up(Trouble::kUnreadable, static_cast<double>(-size));
    return false;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + size, count);
  const bool ends_there = end == text.data() + size || *end == ' ' || *end == '\n';
  if (failure != std::errc{} || !ends_there) {
    give_up(Trouble::kNotANumber, 0);
    return false;
  }
  if (description_.range != 0 && count > description_.range) {
    give_up(Trouble::kBeyondRange, static_cast<double>(count));
    return false;
  }
  return true;
}

void EnergyMeter::begin(Clock::time_point now) noexcept {
  counted_ = 0;
  trouble_ = Trouble::kNone;
  begin_ = last_poll_ = now;
  static_cast<void>(read(last_count_));
}

void EnergyMeter::poll(Clock::time_point now) noexcept {
  std::uint64_t count = 0;
  if (trouble_ != Trouble::kNone || !read(count)) return;
  const double elapsed = seconds_between(last_poll_, now);
  if (const auto interval = poll_interval(); interval && elapsed > interval->value)
    return give_up(Trouble::kPolledTooLate, elapsed);
  if (count < last_count_ && description_.range == 0) return give_up(Trouble::kBackwards, 0);
  const std::uint64_t step =
      count >= last_count_ ? count - last_count_ : description_.range - last_count_ + count;
  const double watts =
      static_cast<double>(step) * description_.unit.value / (elapsed + kLongestStepSeconds);
  if (watts > description_.most_watts) return give_up(Trouble::kImplausible, watts);
  counted_ += step;
  last_count_ = count;
  last_poll_ = now;
}

bool EnergyMeter::stands_still() const {
  return counted_ == 0 && seconds_between(begin_, last_poll_) > kLongestStandstillSeconds;
}

std::optional<Joules> EnergyMeter::energy() const {
  if (trouble_ != Trouble::kNone || stands_still()) return std::nullopt;
  return description_.unit * static_cast<double>(counted_);
}

std::optional<Seconds> EnergyMeter::poll_interval() const {
  if (description_.range == 0) return std::nullopt;
  return Seconds{static_cast<double>(description_.range) * description_.unit.value /
                 kSustainedWatts};
}

std::string EnergyMeter::reason() const {
  const std::string& file = description_.file;
  switch (trouble_) {
    case Trouble::kNone:
      if (!stands_still()) return {};
      return fmt::format("{} did not move for {:.0f} s", file, seconds_between(begin_, last_poll_));
    case Trouble::kUnreadable:
      if (const int error = static_cast<int>(figure_); error != EACCES && error != EPERM)
        return fmt::format("can't read {}: {}", file, std::generic_category().message(error));
      return fmt::format("only root may read {}: it could reveal what others compute", file);
    case Trouble::kNotANumber:
      return fmt::format("{} does not begin with a number", file);
    case Trouble::kBeyondRange:
      return fmt::format("{} shows {:.0f}, more than its own range of {}", file, figure_,
                         description_.range);
    case Trouble::kBackwards:
      return fmt::format("{} went backwards", file);
    case Trouble::kImplausible:
      return fmt::format("{} jumped: {:.0f} W on average can't be", file, figure_);
    case Trouble::kPolledTooLate:
      return fmt::format(
          "{} was not read for {:.0f} s: by then it may have passed its highest count unseen", file,
          figure_);
  }
  return {};
}

}  // namespace huddle::power
