#pragma once

// All sensors of a node, each read at its own pace (Padoin et al., EnergyLB: the monitoring of the
// energy daemon).

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/hardware/monitoring/sensor_account.hpp"
#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {

/// The file of a sensor, read again and again. The place where a test hands in files of its own.
class SensorFile {
 public:
  virtual ~SensorFile() = default;
  SensorFile(const SensorFile&) = delete;
  SensorFile& operator=(const SensorFile&) = delete;

  /// Its text from the beginning on: how many bytes, or a negative errno value. May take as long as
  /// the driver does. For one thread at a time.
  virtual long read(char* buffer, std::size_t size) noexcept = 0;

 protected:
  SensorFile() = default;
};

/// Keeps its descriptor, since opening takes longer than reading; opens anew after a failure, or
/// if another file is at the path now.
std::unique_ptr<SensorFile> kept_file(std::string path);

struct MonitorOptions {
  /// From value to value, 0.02 s or more. A sensor whose count may begin anew sooner is read three
  /// times as often as that.
  Seconds period{1};
  /// Where a sensor that vanished is looked for again, since drivers may come back under another
  /// number.
  std::filesystem::path sysfs = "/sys";
  /// Accounts that an earlier monitor left, by the names of sensors.
  std::map<std::string, KeptAccount> go_on_from;
  /// Opens the file of a sensor; by default kept_file().
  std::function<std::unique_ptr<SensorFile>(const Sensor&)> open;
};

/// A sensor, and what it told so far.
struct SensorState {
  Sensor sensor;
  SensorTotals totals;
  /// Recent power, over the last period that is known; nothing if it is not known now.
  std::optional<Watts> power;
  /// For a later monitor.
  KeptAccount kept;
};

/// Reads sensors until it is destroyed. Each has a thread of its own, so that one whose driver
/// blocks, fails or is slow does not hold up the others; one that has blocked for 2 s is named.
/// Sensors that are the same as another one are left out. Safe from any thread.
class SensorMonitor {
 public:
  /// Reads each sensor once, as soon as it can, and then every period. Throws std::system_error if
  /// no thread can be started.
  explicit SensorMonitor(const std::vector<Sensor>& sensors, const MonitorOptions& options = {});
  /// A read that blocks is left alone, and forgotten when it ends.
  ~SensorMonitor();
  SensorMonitor(const SensorMonitor&) = delete;
  SensorMonitor& operator=(const SensorMonitor&) = delete;

  /// Has every sensor read once more, and waits until that is done, half a second at most; for one
  /// whose last read takes longer than a tenth of that already it does not wait.
  void read_now() const;
  /// In the order of the sensors.
  [[nodiscard]] std::vector<SensorState> states() const;
  /// Returns the lateness within which 99 of 100 reads began, of the last thousand of each sensor
  /// that does not block.
  [[nodiscard]] Seconds lateness() const;

 private:
  struct Watched;
  void stop() const;
  std::vector<std::shared_ptr<Watched>> watched_;
};

}  // namespace huddle::power
