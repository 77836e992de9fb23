#include "profiles/energyd/daemon/power_observer.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

// The kernel counts busy time in hundredths of a second: shares are right to half a per cent.
constexpr Seconds kLeastTime{2};
constexpr double kLeastPeriods = 2.5;
// Beyond so many times as long the daemon, or the machine, was asleep.
constexpr double kMostTimes = 3;
constexpr double kLeastKnown = 0.8;
constexpr std::uint32_t kClocksApartMhz = 50;

bool is_same(const Occupation& one, const Occupation& other) {
  const auto apart = one.mhz > other.mhz ? one.mhz - other.mhz : other.mhz - one.mhz;
  return one.packages == other.packages && one.dies == other.dies && one.cores == other.cores &&
         apart <= kClocksApartMhz;
}

// Without a job, spans of ten minutes stand for jobs.
std::uint32_t group_of(std::optional<std::uint32_t> job, UtcTime now) {
  constexpr std::chrono::minutes kSpan{10};
  const auto number = job ? static_cast<std::uint64_t>(*job)
                          : static_cast<std::uint64_t>(now.time_since_epoch() / kSpan);
  return static_cast<std::uint32_t>(number % PowerObservations::kGroups);
}

}  // namespace

PowerObserver::PowerObserver(Options options, std::vector<std::string> sensors, bool of_whole_node)
    : options_(std::move(options)), activity_(options_.root) {
  observations_.node = processes::host_name();
  observations_.whole = activity_.whole();
  observations_.sensors = std::move(sensors);
  observations_.of_whole_node = of_whole_node;
  std::error_code failure;
  if (options_.file.empty() || !fs::exists(options_.file, failure)) return;
  try {
    PowerObservations kept = load_power_observations(options_.file);
    if (kept.node == observations_.node && kept.whole == observations_.whole &&
        kept.sensors == observations_.sensors && kept.of_whole_node == of_whole_node)
      observations_ = std::move(kept);
  } catch (const Error& error) {
    trouble_ = error.what();
  }
}

std::optional<Watts> PowerObserver::power_since(std::span<const power::SensorReading> readings,
                                                Seconds elapsed) const {
  if (readings.empty() || readings.size() != last_.size()) return std::nullopt;
  Watts sum;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Seconds known = readings[i].known - last_[i].known;
    const Joules energy = readings[i].energy - last_[i].energy;
    if (readings[i].lost > last_[i].lost || energy < Joules{0}) return std::nullopt;
    if (known < kLeastKnown * elapsed || !(known > Seconds{0})) return std::nullopt;
    sum += Watts{energy.value / known.value};
  }
  return sum;
}

void PowerObserver::look(std::span<const power::SensorReading> readings,
                         std::optional<std::uint32_t> job, power::BootClock::time_point now) {
  const Seconds enough = std::max(kLeastTime, kLeastPeriods * options_.period);
  const Seconds elapsed{std::chrono::duration<double>(now - last_at_).count()};
  if (!last_.empty() && elapsed < enough) return;
  const std::optional<Occupation> occupation = activity_.look();
  const std::optional<Watts> drawn = power_since(readings, elapsed);
  const bool steady = occupation && before_ && is_same(*occupation, *before_);
  if (steady && drawn && elapsed < kMostTimes * enough) {
    const UtcTime moment = utc_now();
    observations_.add({*occupation, group_of(job, moment)},
                      {elapsed, Joules{drawn->value * elapsed.value}}, moment);
  }
  before_ = occupation;
  last_.assign(readings.begin(), readings.end());
  last_at_ = now;
}

void PowerObserver::save() const {
  if (options_.file.empty() || !trouble_.empty() || observations_.sums.empty()) return;
  files::AtomicFile file(options_.file);
  file.write(to_json(observations_));
  file.commit_soon();
}

}  // namespace huddle::energyd
