#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::power {

using Clock = std::chrono::steady_clock;

/// Where a meter's count is, and what it means.
struct MeterDescription {
  /// Unique on the node.
  std::string name;
  /// A file whose text begins with the count.
  std::string file;
  /// Energy that one count stands for.
  Joules unit;
  /// The highest count, after which it begins again at 0; 0 if it never does.
  std::uint64_t range = 0;
  /// More than this, in W, no such part of a node takes on average.
  double most_watts = 0;
};

/// One energy meter: adds up what it counts from begin() on. Polling is cheap (it opens, reads and
/// closes one file of /sys), throws nothing, allocates nothing and leaves errno as it was. For one
/// thread at a time.
class EnergyMeter {
 public:
  /// The most that a part of a node is taken to draw for long: it determines how soon a count may
  /// wrap.
  static constexpr double kSustainedWatts = 1000;

  explicit EnergyMeter(MeterDescription description) : description_(std::move(description)) {}

  [[nodiscard]] const std::string& name() const { return description_.name; }

  /// Counting begins here.
  void begin(Clock::time_point now) noexcept;
  /// Adds what was counted since the last call. `now` must not be before that.
  void poll(Clock::time_point now) noexcept;

  /// Since begin(), up to the last poll(); nothing if the meter can't be trusted.
  [[nodiscard]] std::optional<Joules> energy() const;
  /// Why energy() is nothing; empty otherwise.
  [[nodiscard]] std::string reason() const;
  /// It must be polled more often than this, or its count might begin anew unseen; nothing if it
  /// need not be polled.
  [[nodiscard]] std::optional<Seconds> poll_interval() const;

 private:
  enum class Trouble : std::uint8_t {
    kNone,
    kUnreadable,
    kNotANumber,
    kBeyondRange,
    kBackwards,
    kImplausible,
    kPolledTooLate,
  };
  [[nodiscard]] bool read(std::uint64_t& count) noexcept;
  void give_up(Trouble trouble, double figure) noexcept;
  [[nodiscard]] bool stands_still() const;

  MeterDescription description_;
  Clock::time_point begin_;
  Clock::time_point last_poll_;
  std::uint64_t last_count_ = 0;
  std::uint64_t counted_ = 0;
  Trouble trouble_ = Trouble::kNone;
  // The figure that belongs to the trouble: an errno value, watts or seconds.
  double figure_ = 0;
};

}  // namespace huddle::power
