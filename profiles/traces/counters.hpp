#pragma once

// Counters that tools record in traces: of processors (PAPI), of the operating system, or their
// own.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle {

/// A counter, as the trace describes it.
struct TraceCounter {
  enum class Mode : std::uint8_t {
    kSinceStart,  ///< values count from the start of the measurement: they never fall
    kSinceLast,   ///< values are amounts since the value before
    kLevel,       ///< values hold from their time on, or around it: not known more exactly
    kLevelBefore  ///< values are of the time since the one before
  };
  std::string name;
  std::string unit;
  Mode mode = Mode::kSinceStart;
  /// Counters of one set are read together, at the same times.
  std::uint32_t set = 0;
  [[nodiscard]] bool is_level() const { return mode == Mode::kLevel || mode == Mode::kLevelBefore; }
  /// Whether its set is read at each begin and end of a region.
  bool at_each_region = false;
};

/// What a counter showed, in its unit.
struct CounterValue {
  std::uint32_t counter = 0;
  /// Whole values are differences of such without loss; see amount_between().
  std::uint64_t bits = 0;
  enum class Type : std::uint8_t { kUnsigned, kSigned, kDouble };
  Type type = Type::kUnsigned;
  double scale = 1;  ///< units of a 1

  [[nodiscard]] double value() const;
};

/// `later` less `earlier`, in their unit.
double amount_between(const CounterValue& earlier, const CounterValue& later);

/// Receives the events of a location, and between them what its counters showed.
class CounterVisitor {
 public:
  virtual ~CounterVisitor() = default;
  virtual void event(const Event& event) = 0;
  /// All values are of one set. At the time of an event that follows they hold before it.
  virtual void counted(std::uint64_t time, std::span<const CounterValue> values) = 0;
};

/// A trace whose counters are read. Not thread-safe.
class CounterTrace {
 public:
  virtual ~CounterTrace() = default;
  [[nodiscard]] virtual const TraceDefinitions& definitions() const = 0;
  /// Those that locations recorded of themselves; empty if there are none.
  [[nodiscard]] virtual const std::vector<TraceCounter>& counters() const = 0;
  /// How many others there are: of nodes, processes or groups. Which call path they belong to is
  /// not known. The power that Huddle's recorder leaves (Trace::power()) is not among them.
  [[nodiscard]] virtual std::uint32_t counters_of_others() const = 0;
  /// Visits all of a location's events. Throws FormatError where the trace is damaged; what was
  /// visited before is valid.
  virtual void visit(std::uint32_t location, CounterVisitor& visitor) = 0;
};

/// As open_otf2().
std::unique_ptr<CounterTrace> open_otf2_counters(const std::filesystem::path& path);

}  // namespace huddle
