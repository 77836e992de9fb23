#include "profiles/hardware/monitoring/sensor_monitor.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {
namespace {

class KeptFile final : public SensorFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  ~KeptFile() override { close(); }

  long read(char* buffer, std::size_t size) noexcept override {
    if (descriptor_ >= 0 && is_gone()) close();
    if (descriptor_ < 0)
      descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) return -errno;
    const ssize_t got = ::pread(descriptor_, buffer, size, 0);
    if (got >= 0) return got;
    const int failure = errno;
    close();
    return -failure;
  }

 private:
  [[nodiscard]] bool is_gone() const noexcept {
    struct stat status {};
    return ::fstat(descriptor_, &status) != 0 || status.st_nlink == 0;
  }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  std::string path_;
  int descriptor_ = -1;
};

using Steady = std::chrono::steady_clock;

constexpr Seconds kLeastPeriod{0.02};
constexpr std::chrono::seconds kBlocks{2};
constexpr std::chrono::seconds kSearchAgain{2};
constexpr std::size_t kLatenesses = 1000;

std::chrono::nanoseconds nanoseconds(Seconds seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds.value * 1e9));
}

// Boot time goes on while the machine sleeps, the other clock does not.
std::chrono::nanoseconds slept_so_far() {
  return BootClock::now().time_since_epoch() - Steady::now().time_since_epoch();
}

}  // namespace

std::unique_ptr<SensorFile> kept_file(std::string path) {
  return std::make_unique<KeptFile>(std::move(path));
}

// One sensor and its thread, which may outlive the monitor while a driver blocks it.
struct SensorMonitor::Watched {
  Watched(const Sensor& watched, const MonitorOptions& with)
      : sensor(watched), options(with), account(watched) {
    if (const auto kept = with.go_on_from.find(sensor.name); kept != with.go_on_from.end())
      account = SensorAccount(sensor, kept->second);
    options.go_on_from.clear();
    if (!options.open) options.open = [](const Sensor& one) { return kept_file(one.file); };
    const Seconds period = std::max(options.period, kLeastPeriod);
    pace =
        nanoseconds(std::max(std::min(period, account.longest_gap() * (1.0 / 3)), Seconds{0.01}));
  }

  void run();
  void read_once();
  void take(long size, std::string_view text, BootClock::time_point at);
  void search_again();
  void remember_lateness(Seconds late);

  Sensor sensor;
  MonitorOptions options;
  std::chrono::nanoseconds pace{};
  // Used by the thread alone.
  std::unique_ptr<SensorFile> file;
  std::chrono::nanoseconds slept{};
  Steady::time_point searched;
  // Shared by the thread and its monitor.
  mutable std::mutex mutex;
  std::condition_variable woken;
  bool stop = false;
  bool done = false;
  bool at_once = false;
  std::uint64_t reads = 0;
  SensorAccount account;
  std::vector<double> latenesses;
  std::size_t next_lateness = 0;
  std::optional<Steady::time_point> reading_since;
};

void SensorMonitor::Watched::search_again() {
  if (Steady::now() - searched < kSearchAgain) return;
  searched = Steady::now();
  for (const Sensor& found : find_sensors(options.sysfs))
    if (found.name == sensor.name && found.interface == sensor.interface) {
      const std::lock_guard lock(mutex);
      sensor.file = found.file;
    }
  file = options.open(sensor);
}

void SensorMonitor::Watched::take(long size, std::string_view text, BootClock::time_point at) {
  const std::lock_guard lock(mutex);
  reading_since.reset();
  ++reads;
  woken.notify_all();
  const std::chrono::nanoseconds asleep = slept_so_far();
  if (slept.count() != 0 && asleep - slept > std::chrono::milliseconds(500))
    account.lose(at, "the machine slept");
  slept = asleep;
  account.take(at, size, text);
}

void SensorMonitor::Watched::read_once() {
  {
    const std::lock_guard lock(mutex);
    reading_since = Steady::now();
  }
  std::array<char, 64> text{};
  const BootClock::time_point begin = BootClock::now();
  const long size = file->read(text.data(), text.size());
  const BootClock::time_point end = BootClock::now();
  // A value is as old as the middle of the read, unless that took long.
  const bool was_quick = end - begin < std::chrono::milliseconds(10);
  take(size, {text.data(), static_cast<std::size_t>(std::max(size, 0L))},
       was_quick ? begin + (end - begin) / 2 : end);
  if (has_vanished(size)) search_again();
}

void SensorMonitor::Watched::remember_lateness(Seconds late) {
  if (latenesses.size() < kLatenesses)
    latenesses.push_back(late.value);
  else
    latenesses[next_lateness] = late.value;
  next_lateness = (next_lateness + 1) % kLatenesses;
}

void SensorMonitor::Watched::run() {
  file = options.open(sensor);
  Steady::time_point due = Steady::now();
  for (;;) {
    read_once();
    due += pace;
    std::unique_lock lock(mutex);
    // Reads that were missed while a driver blocked are not made up for.
    if (due < Steady::now()) due = Steady::now() + pace;
    const bool woke = woken.wait_until(lock, due, [this] { return stop || at_once; });
    if (stop) break;
    at_once = false;
    if (woke) {
      due = Steady::now();
      continue;
    }
    remember_lateness({std::chrono::duration<double>(Steady::now() - due).count()});
  }
  const std::lock_guard lock(mutex);
  done = true;
  woken.notify_all();
}

SensorMonitor::SensorMonitor(const std::vector<Sensor>& sensors, const MonitorOptions& options) {
  for (const Sensor& sensor : sensors)
    if (sensor.same_as.empty()) watched_.push_back(std::make_shared<Watched>(sensor, options));
  try {
    for (const std::shared_ptr<Watched>& one : watched_)
      std::thread([one] { one->run(); }).detach();
  } catch (...) {
    stop();
    throw;
  }
}

void SensorMonitor::stop() const {
  for (const std::shared_ptr<Watched>& one : watched_) {
    const std::lock_guard lock(one->mutex);
    one->stop = true;
    one->woken.notify_all();
  }
}

SensorMonitor::~SensorMonitor() {
  constexpr std::chrono::milliseconds kPatience{200};
  stop();
  for (const std::shared_ptr<Watched>& one : watched_) {
    std::unique_lock lock(one->mutex);
    one->woken.wait_for(lock, kPatience, [&] { return one->done; });
  }
}

void SensorMonitor::read_now() const {
  constexpr std::chrono::milliseconds kPatience{500};
  const Steady::time_point now = Steady::now();
  std::vector<std::uint64_t> reads;
  for (const std::shared_ptr<Watched>& one : watched_) {
    const std::lock_guard lock(one->mutex);
    // One that is under way may have begun before this.
    const bool blocks = one->reading_since && now - *one->reading_since > kPatience / 10;
    reads.push_back(blocks ? 0 : one->reads + (one->reading_since ? 2 : 1));
    one->at_once = true;
    one->woken.notify_all();
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    std::unique_lock lock(watched_[i]->mutex);
    watched_[i]->woken.wait_until(lock, now + kPatience,
                                  [&] { return watched_[i]->reads >= reads[i]; });
  }
}

std::vector<SensorState> SensorMonitor::states() const {
  std::vector<SensorState> states;
  for (const std::shared_ptr<Watched>& one : watched_) {
    const std::lock_guard lock(one->mutex);
    SensorState& state = states.emplace_back(
        SensorState{one->sensor, one->account.totals(), one->account.power(), one->account.kept()});
    if (!one->reading_since) continue;
    const auto reading = Steady::now() - *one->reading_since;
    if (reading < kBlocks) continue;
    state.power.reset();
    state.totals.trouble = fmt::format("has been blocked for {:.0f} s",
                                       std::chrono::duration<double>(reading).count());
  }
  return states;
}

Seconds SensorMonitor::lateness() const {
  std::vector<double> all;
  for (const std::shared_ptr<Watched>& one : watched_) {
    const std::lock_guard lock(one->mutex);
    const bool blocks = one->reading_since && Steady::now() - *one->reading_since >= kBlocks;
    if (!blocks) all.insert(all.end(), one->latenesses.begin(), one->latenesses.end());
  }
  if (all.empty()) return {};
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 99 / 100);
  std::nth_element(all.begin(), at, all.end());
  return {*at};
}

}  // namespace huddle::power
