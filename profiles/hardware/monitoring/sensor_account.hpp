#pragma once

// Energy and power of one sensor from the values that were read of it, one after the other.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/hardware/power/sensor.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::power {

/// Goes on while a machine sleeps, and is set by nobody.
struct BootClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

/// True if that is what a file of /sys gives that is there no more, a negative errno value.
bool has_vanished(long failure);

/// Energy and power of a sensor, as far as they are known.
struct SensorTotals {
  /// In the time that `known` covers.
  Joules energy;
  Seconds known;
  /// Time in which nobody knows what it took: a count may have begun anew unseen, it was not read,
  /// or what it showed can't be.
  Seconds lost;
  /// Number of times that such a loss began.
  std::uint32_t losses = 0;
  /// Least and most power, each over a tenth of a second or more, and over five refreshes and as
  /// long as the sensor's unit needs for steps of 1 W; nothing before that.
  std::optional<Watts> least;
  std::optional<Watts> most;
  /// Why it is not known now; empty if it is.
  std::string trouble;

  /// Nothing before any time is known.
  [[nodiscard]] std::optional<Watts> mean() const {
    if (!(known > Seconds{0})) return std::nullopt;
    return Watts{energy.value / known.value};
  }
  /// The energy of all the time; nothing if any is lost.
  [[nodiscard]] std::optional<Joules> whole_energy() const {
    if (lost > Seconds{0} || !trouble.empty()) return std::nullopt;
    return energy;
  }
};

/// The knowledge of a SensorAccount, for one in another process to go on from.
struct KeptAccount {
  /// Unit of its sensor: the account of another sensor is of no use.
  double unit = 0;
  std::uint64_t range = 0;
  /// The last value, and when it was read; nothing if it is not one to go on from.
  std::optional<std::uint64_t> last_count;
  std::chrono::nanoseconds last;
  std::chrono::nanoseconds last_move;
  std::uint64_t counted = 0;
  double integrated = 0;
  Seconds known;
  Seconds lost;
  std::uint32_t losses = 0;
  std::optional<Watts> least;
  std::optional<Watts> most;
};

/// Adds up the values of one sensor. A count of energy is exact to its unit, however often it began
/// anew; power is integrated by trapezoids. Where a count may have passed its highest value unseen,
/// or power was not told for too long, the energy is lost, never guessed. Not thread safe.
class SensorAccount {
 public:
  explicit SensorAccount(const Sensor& sensor) : sensor_(sensor) {}
  /// Goes on from what another one of this sensor knew since the machine was started, as if
  /// nothing had been read in between. Begins at nothing if `kept` is of another sensor.
  SensorAccount(const Sensor& sensor, const KeptAccount& kept);

  /// Takes what a read of its file at that time gave: a text, or a negative errno value as `size`.
  void take(BootClock::time_point at, long size, std::string_view text);
  /// A value that was read at that time, not before the last one.
  void add(BootClock::time_point at, std::uint64_t count);
  /// It could not be read at that time. A counter that can be read again in time has lost nothing.
  /// `reason`: not empty.
  void fail(BootClock::time_point at, std::string reason);
  /// The same, and what it shows next does not go on from what it showed before: it vanished and
  /// came back, or the machine slept.
  void lose(BootClock::time_point at, std::string reason);

  [[nodiscard]] SensorTotals totals() const;
  [[nodiscard]] KeptAccount kept() const;
  /// Between the last two values; nothing if it is not known.
  [[nodiscard]] std::optional<Watts> power() const { return power_; }
  /// Longer than this apart, two values do not tell what was between them.
  [[nodiscard]] Seconds longest_gap() const;

 private:
  [[nodiscard]] std::string why_impossible(std::uint64_t count, Seconds elapsed) const;
  [[nodiscard]] std::uint64_t counted_since(std::uint64_t count) const;
  [[nodiscard]] Seconds shortest_window() const;
  [[nodiscard]] Seconds longest_standstill() const;
  void begin_from(BootClock::time_point at, std::uint64_t count);
  void add_step(BootClock::time_point at, std::uint64_t count, Seconds elapsed);
  void stand_still(BootClock::time_point at, Seconds elapsed);
  void widen_range(Joules energy, Seconds elapsed);

  Sensor sensor_;
  std::optional<BootClock::time_point> last_;
  /// True if the last value is one to go on from.
  bool valid_ = false;
  bool frozen_ = false;
  std::uint64_t last_count_ = 0;
  BootClock::time_point last_move_;
  // Energy in counts, or power in counts x s: exact for the one, a sum for the other.
  std::uint64_t counted_ = 0;
  double integrated_ = 0;
  Seconds known_;
  Seconds lost_;
  std::uint32_t losses_ = 0;
  bool losing_ = false;
  std::optional<Watts> power_;
  std::optional<Watts> least_;
  std::optional<Watts> most_;
  // Energy and length of the present window of least and most power.
  Joules window_energy_;
  Seconds window_;
  std::string trouble_;
};

}  // namespace huddle::power
