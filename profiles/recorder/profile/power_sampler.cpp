#include "profiles/recorder/profile/power_sampler.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/hardware/monitoring/sensor_account.hpp"
#include "profiles/hardware/monitoring/sensor_monitor.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/recorder/profile/parts.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr std::size_t kMostSamples = 1'000'000;
constexpr double kNanoseconds = 1e9;  // of a second

void halve(RecordedPower& power) {
  std::size_t kept = 1;
  for (std::size_t i = 2; i < power.ticks.size(); i += 2) {
    const auto first = static_cast<double>(power.ticks[i - 1] - power.ticks[i - 2]);
    const auto second = static_cast<double>(power.ticks[i] - power.ticks[i - 1]);
    const double all = first + second;
    power.watts[kept] =
        all > 0 ? (power.watts[i - 1] * first + power.watts[i] * second) / all : power.watts[i];
    power.ticks[kept++] = power.ticks[i];
  }
  if (power.ticks.size() % 2 == 0) {
    power.watts[kept] = power.watts.back();
    power.ticks[kept++] = power.ticks.back();
  }
  power.ticks.resize(kept);
  power.watts.resize(kept);
}

// One sensor's samples, which its thread may still add to when nobody asks for them any more.
struct Series {
  explicit Series(const power::Sensor& sensor) : account(sensor) { power.sensor = sensor.name; }

  // Takes the text that a read at that moment returned. After a gap nothing more is taken: a sample
  // says what was drawn since the one before.
  void take(long size, const char* text, power::BootClock::time_point at, std::uint64_t ticks) {
    const std::lock_guard lock(mutex);
    if (ended) return;
    std::uint64_t count = 0;
    if (size <= 0 || std::from_chars(text, text + size, count).ec != std::errc{}) {
      ended = true;
      return;
    }
    account.add(at, count);
    const power::SensorTotals totals = account.totals();
    const double elapsed = std::chrono::duration<double>(at - last).count();
    if (totals.lost > Seconds{0} || !totals.trouble.empty())
      ended = true;
    else if (power.ticks.empty())
      add_sample(power, ticks, 0);
    else if (elapsed > 0)
      add_sample(power, ticks, (totals.energy - energy).value / elapsed);
    energy = totals.energy;
    last = at;
  }

  std::mutex mutex;
  power::SensorAccount account;
  RecordedPower power;
  bool ended = false;
  // As of the last value.
  Joules energy;
  power::BootClock::time_point last;
};

// A sensor's file that tells the series what it reads.
class SampledFile : public power::SensorFile {
 public:
  SampledFile(std::string path, std::shared_ptr<Series> series)
      : file_(power::kept_file(std::move(path))), series_(std::move(series)) {}

  long read(char* buffer, std::size_t size) noexcept override {
    const std::uint64_t begin = TickClock::now();
    const power::BootClock::time_point begun = power::BootClock::now();
    const long got = file_->read(buffer, size);
    const power::BootClock::time_point ended = power::BootClock::now();
    const std::uint64_t end = TickClock::now();
    try {  // both in the middle of the read
      series_->take(got, buffer, begun + (ended - begun) / 2, begin + (end - begin) / 2);
    } catch (const std::bad_alloc&) {  // the samples end here
    }
    return got;
  }

 private:
  std::unique_ptr<power::SensorFile> file_;
  std::shared_ptr<Series> series_;
};

class NodeSampler : public PowerSampler {
 public:
  NodeSampler(const std::vector<power::Sensor>& sensors, const Options& options) {
    std::map<std::string, std::shared_ptr<Series>> by_name;
    for (const power::Sensor& sensor : sensors)
      by_name[sensor.name] = series_.emplace_back(std::make_shared<Series>(sensor));
    power::MonitorOptions watching;
    watching.period = options.period;
    watching.sysfs = options.root / "sys";
    watching.open = [by_name](const power::Sensor& sensor) -> std::unique_ptr<power::SensorFile> {
      return std::make_unique<SampledFile>(sensor.file, by_name.at(sensor.name));
    };
    const NoSignals none;
    monitor_ = std::make_unique<power::SensorMonitor>(sensors, watching);
    monitor_->read_now();
  }

  void end() noexcept override {
    if (!monitor_) return;
    try {
      monitor_->read_now();
    } catch (const std::exception&) {  // the last sample is an older one
    }
    for (const auto& one : series_) {
      const std::lock_guard lock(one->mutex);
      one->ended = true;
    }
    monitor_.reset();
  }

  [[nodiscard]] std::vector<RecordedPower> recorded() const override {
    std::vector<RecordedPower> all;
    for (const auto& one : series_) {
      const std::lock_guard lock(one->mutex);
      all.push_back(one->power);
    }
    return all;
  }

 private:
  std::vector<std::shared_ptr<Series>> series_;
  std::unique_ptr<power::SensorMonitor> monitor_;
};

// Asks the daemon once a second.
class JobSampler : public PowerSampler {
 public:
  JobSampler(const Options& options, JobEnergy::Ask ask)
      : step_(std::to_string(options.job.step)), ask_(std::move(ask)) {
    if (!look()) return;
    constexpr std::chrono::milliseconds kPause{1020};
    looks_ = std::make_unique<Snapshots>([this] { goes_on_ = goes_on_ && look(); }, kPause, kPause);
  }

  [[nodiscard]] bool has_begun() const { return looks_ != nullptr; }

  // Finer than that it answers nobody.
  void end() noexcept override {
    looks_.reset();
    constexpr Seconds kResolution{1.01};
    const Seconds left = last_.as_of + kResolution - since_boot();
    if (left > Seconds{0} && left <= kResolution)
      std::this_thread::sleep_for(std::chrono::duration<double>(left.value));
    look();
  }

  [[nodiscard]] std::vector<RecordedPower> recorded() const override {
    const std::lock_guard lock(mutex_);
    std::vector<RecordedPower> all;
    for (const auto& [sensor, power] : power_) {
      RecordedPower& by_ticks = all.emplace_back(power);
      for (std::uint64_t& time : by_ticks.ticks) time = ticks_of(time);
    }
    return all;
  }

 private:
  // False if there is nothing to be known any more.
  bool look() noexcept try {
    const energyd::EnergyAnswer answer = ask_();
    if (!answer.refusal.empty()) return false;
    const auto time = static_cast<std::uint64_t>(answer.as_of.value * kNanoseconds);
    const JobEnergy::Sum now = JobEnergy::sum_of(answer, step_);
    const Seconds elapsed = now.as_of - last_.as_of;
    const bool first = last_.as_of == Seconds{0};
    if (!first && !(elapsed > Seconds{0.1})) return true;
    for (const auto& [sensor, share] : now.by_sensor) {
      const auto known = last_.by_sensor.find(sensor);
      const power::EnergyShare before = known == last_.by_sensor.end() ? share : known->second;
      if (share.lost > before.lost || share.energy() < before.energy()) return false;
      const std::lock_guard lock(mutex_);
      RecordedPower& power = power_[sensor];
      power.sensor = sensor;
      // When one that appears later began within the last second is not known.
      const bool begins = power.ticks.empty();
      add_sample(power, time,
                 begins ? 0 : (share.energy() - before.energy()).value / elapsed.value);
    }
    last_ = now;
    return true;
  } catch (const std::exception&) {
    return false;
  }

  // Turns a time into ticks. The longer the run lasts, the better is it known how many ticks a
  // second has.
  [[nodiscard]] std::uint64_t ticks_of(std::uint64_t boot_ns) const {
    const double lasted = since_boot().value - begun_.value;
    const auto passed = static_cast<double>(TickClock::now() - begun_ticks_);
    const double rate = lasted > 0 ? passed / lasted : kNanoseconds;
    const double since = static_cast<double>(boot_ns) / kNanoseconds - begun_.value;
    const double ticks = static_cast<double>(begun_ticks_) + since * rate;
    return ticks > 0 ? static_cast<std::uint64_t>(ticks) : 0;
  }

  std::uint64_t begun_ticks_ = TickClock::now();
  Seconds begun_ = since_boot();
  std::string step_;
  JobEnergy::Ask ask_;
  JobEnergy::Sum last_;  // of the thread, and of others before it begins and after its end
  mutable std::mutex mutex_;
  std::map<std::string, RecordedPower> power_;  // times are nanoseconds since boot
  bool goes_on_ = true;                         // of the thread
  std::unique_ptr<Snapshots> looks_;            // the last member, so that its thread ends first
};

// Those that add up, if this user may read all of them.
std::vector<power::Sensor> readable_sum(const std::filesystem::path& root) {
  const hardware::PowerDiscovery found = hardware::discover_power(root);
  std::vector<power::Sensor> sensors;
  for (const std::string& name : found.sum)
    for (const hardware::FoundSensor& one : found.sensors)
      if (one.sensor.name == name && one.trouble.empty()) sensors.push_back(one.sensor);
  if (sensors.size() != found.sum.size()) sensors.clear();
  return sensors;
}

}  // namespace

void add_sample(RecordedPower& power, std::uint64_t ticks, double watts) {
  // Clocks of different cores may differ by nanoseconds.
  if (!power.ticks.empty()) ticks = std::max(ticks, power.ticks.back());
  power.ticks.push_back(ticks);
  power.watts.push_back(watts);
  if (power.ticks.size() == 2) power.watts.front() = watts;
  if (power.ticks.size() > kMostSamples) halve(power);
}

std::unique_ptr<PowerSampler> PowerSampler::begin(const Options& options) noexcept try {
  if (options.job.id != 0) {
    auto of_job = std::make_unique<JobSampler>(
        options, options.ask ? options.ask : JobEnergy::of(options.job));
    if (of_job->has_begun()) return of_job;
  }
  const std::vector<power::Sensor> sensors = readable_sum(options.root);
  if (sensors.empty()) return nullptr;
  return std::make_unique<NodeSampler>(sensors, options);
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace huddle::recorder
