#include "profiles/hardware/observation/core_activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "profiles/files/kernel_text.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::power {
namespace {

// The kernel's own work is as little, and a busy core is no busier.
constexpr double kIdle = 0.05;
constexpr double kBusy = 0.95;
constexpr double kClocksApart = 0.1;
constexpr std::size_t kMostClocks = 8;
constexpr double kClockStepMhz = 50;
constexpr double kKhzOfMhz = 1000;

// Bytes to read of /proc/stat: enough for the lines of 2,000 PUs, which come first.
constexpr std::size_t kMostStatBytes = std::size_t{256} << 10U;

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

Occupation occupation_of(const std::vector<const hardware::PhysicalCore*>& cores) {
  std::set<std::uint32_t> packages;
  std::set<std::uint32_t> dies;
  for (const hardware::PhysicalCore* const core : cores) {
    packages.insert(core->package);
    dies.insert(core->die);
  }
  return {static_cast<std::uint32_t>(packages.size()), static_cast<std::uint32_t>(dies.size()),
          static_cast<std::uint32_t>(cores.size()), 0};
}

}  // namespace

CoreActivity::CoreActivity(std::filesystem::path root)
    : root_(std::move(root)), cores_(hardware::physical_cores(root_ / "sys")) {
  std::vector<const hardware::PhysicalCore*> all;
  for (const hardware::PhysicalCore& core : cores_) all.push_back(&core);
  whole_ = occupation_of(all);
}

// Lines "cpu17 user nice system idle iowait irq softirq steal ...", in ticks.
std::vector<CoreActivity::BusyTime> CoreActivity::busy_times() {
  constexpr std::size_t kIdleColumn = 3;
  constexpr std::size_t kWaitsForDisk = 4;
  constexpr std::size_t kColumns = 8;  // guests' time is in the users', too
  std::vector<BusyTime> times;
  stat_.resize(kMostStatBytes);
  const long size =
      files::read_kernel_file((root_ / "proc/stat").c_str(), stat_.data(), stat_.size());
  std::string_view rest(stat_.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  rest = rest.substr(0, rest.find("\nintr"));
  while (!rest.empty()) {
    std::string_view line = take_until(rest, '\n');
    std::string_view name = take_word(line);
    if (!name.starts_with("cpu") || name.size() == 3) continue;
    name.remove_prefix(3);
    const std::uint64_t pu = files::whole_number(name);
    if (pu >= PuSet::kLimit) continue;
    if (pu >= times.size()) times.resize(pu + 1);
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::uint64_t ticks = files::whole_number(take_word(line));
      times[pu].all += ticks;
      if (column != kIdleColumn && column != kWaitsForDisk) times[pu].busy += ticks;
    }
  }
  return times;
}

std::optional<std::uint32_t> CoreActivity::clock_of(
    const std::vector<const hardware::PhysicalCore*>& busy) const {
  double least = 0;
  double most = 0;
  double sum = 0;
  double known = 0;
  const std::size_t step = std::max<std::size_t>(busy.size() / kMostClocks, 1);
  for (std::size_t i = 0; i < busy.size(); i += step) {
    const std::uint64_t khz = files::whole_number(files::first_line_of(
        root_ / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq",
                            busy[i]->pus.members().front())));
    if (khz == 0) continue;
    const double mhz = static_cast<double>(khz) / kKhzOfMhz;
    least = known == 0 ? mhz : std::min(least, mhz);
    most = std::max(most, mhz);
    sum += mhz;
    ++known;
  }
  if (known == 0) return 0;
  if (most - least > kClocksApart * most) return std::nullopt;
  return static_cast<std::uint32_t>(std::round(sum / known / kClockStepMhz) * kClockStepMhz);
}

std::optional<Occupation> CoreActivity::look() {
  const std::vector<BusyTime> before = std::exchange(last_, busy_times());
  std::vector<const hardware::PhysicalCore*> busy;
  for (const hardware::PhysicalCore& core : cores_) {
    double share = 0;
    for (const std::uint32_t pu : core.pus.members()) {
      if (pu >= before.size() || pu >= last_.size()) return std::nullopt;
      // A PU that sleeps may count no ticks at all.
      const std::uint64_t all = last_[pu].all - before[pu].all;
      const std::uint64_t worked = last_[pu].busy - before[pu].busy;
      if (last_[pu].all < before[pu].all || worked > all) return std::nullopt;
      if (all > 0) share = std::max(share, static_cast<double>(worked) / static_cast<double>(all));
    }
    if (share > kIdle && share < kBusy) return std::nullopt;
    if (share >= kBusy) busy.push_back(&core);
  }
  if (cores_.empty()) return std::nullopt;
  Occupation occupation = occupation_of(busy);
  const auto clock = clock_of(busy);
  if (!clock) return std::nullopt;
  occupation.mhz = *clock;
  return occupation;
}

}  // namespace huddle::power
