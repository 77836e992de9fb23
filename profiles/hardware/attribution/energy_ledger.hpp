#pragma once

// Attribution of the energy that a node's sensors counted to the jobs that used it.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::power {

/// A step of a job of Slurm's on this node.
struct StepId {
  std::uint32_t job = 0;
  /// "0", "batch", "interactive" or "extern".
  std::string step;

  friend auto operator<=>(const StepId&, const StepId&) = default;
};

/// A step that runs on this node.
struct StepPlace {
  /// The number of its user.
  std::uint32_t user = 0;
  /// PUs that its job has on this node, all steps together; empty if that is unknown, which counts
  /// as all.
  PuSet pus;

  friend bool operator==(const StepPlace&, const StepPlace&) = default;
};

/// A sensor whose energy is given to jobs.
struct LedgerSensor {
  /// As of Sensor.
  std::string name;
  /// PUs whose work it counts.
  PuSet pus;
};

/// A sensor's totals up to now, as in SensorTotals.
struct SensorReading {
  Joules energy;
  Seconds known;
  Seconds lost;
};

/// Energy that a step took, as one sensor counted it.
struct EnergyShare {
  /// While the job had all that the sensor counts for itself.
  Joules measured;
  /// While it shared that with other jobs: in proportion to CPU time.
  Joules attributed;
  /// The part of both that would have been drawn without any work.
  Joules idle;
  /// True if `idle` is complete: the sensor's idle power was known all the time.
  bool idle_known = true;
  /// Time that the two cover, and time in which nobody knows.
  Seconds known;
  Seconds lost;

  [[nodiscard]] Joules energy() const { return measured + attributed; }
  EnergyShare& operator+=(const EnergyShare& other);
  friend bool operator==(const EnergyShare&, const EnergyShare&) = default;
};

/// A step and what it took up to now, or up to its end.
struct StepAccount {
  StepPlace place;
  /// In the order of the sensors.
  std::vector<EnergyShare> shares;

  /// Sums up all sensors. The times are those of the sensor that was known for the shortest time.
  [[nodiscard]] EnergyShare total() const;
};

/// Energy of a sensor that is known apart from jobs.
struct SensorLedger {
  /// All that it counted.
  Joules node;
  /// The part that belongs to no job.
  Joules unattributed;
  /// The least power over five seconds and more without a job; nothing before the first of those.
  std::optional<Watts> idle_power;

  friend bool operator==(const SensorLedger&, const SensorLedger&) = default;
};

/// CPU time that a step has used so far on the PUs of each sensor.
using StepWork = std::map<StepId, std::vector<Seconds>>;

/// Gives each joule to exactly one step, or to none.
///
/// Where one job alone has PUs of a sensor, all of what that counts is the job's: measured. Where
/// several jobs do, idle energy is theirs by PUs, and the rest by the CPU time that each used:
/// attributed. Before the idle power is known, all of it is by CPU time. Within a job, a step that
/// runs beside its batch script has all; several have it by CPU time. So the sum over all steps and
/// what is unattributed is what the sensors counted.
///
/// Call advance() before each begin() and end(), so that the time before counts for the steps that
/// ran in it. Not thread safe.
class EnergyLedger {
 public:
  explicit EnergyLedger(std::vector<LedgerSensor> sensors);

  /// `worked`: what it used so far, as in StepWork; empty: unknown, so that its work counts from
  /// the next call of advance() on. `missed`: how long it has run unseen, which is lost. A step
  /// that is there already stays as it is.
  void begin(const StepId& step, StepPlace place, std::vector<Seconds> worked,
             Seconds missed = Seconds{0});
  /// Returns what it took; nothing if there is no such step.
  std::optional<StepAccount> end(const StepId& step);

  /// Gives away what was counted since the last call. `readings` are in the order of the sensors;
  /// the first ones are where counting begins. A step that `work` does not name has not worked.
  void advance(std::span<const SensorReading> readings, const StepWork& work);

  /// The same where steps began or ended since the last call, nobody knows when: what was counted
  /// belongs to no step, and is lost for those that this one knows.
  void skip(std::span<const SensorReading> readings);

  [[nodiscard]] const std::vector<LedgerSensor>& sensors() const { return sensors_; }
  [[nodiscard]] const std::vector<SensorLedger>& ledgers() const { return ledgers_; }
  [[nodiscard]] const std::map<StepId, StepAccount>& steps() const { return steps_; }
  /// True if CPU time decides at all: two jobs, or two steps of one, are on the node.
  [[nodiscard]] bool needs_work() const;

  /// All of it, to go on from in another process.
  struct Kept {
    std::vector<std::string> sensors;
    std::vector<SensorReading> readings;
    std::vector<SensorLedger> ledgers;
    std::map<StepId, StepAccount> steps;
    StepWork work;
  };
  [[nodiscard]] Kept kept() const;
  /// Goes on from there; false, and nothing changes, if it is about other sensors. Precondition:
  /// this one has seen no step and no reading.
  bool go_on(const Kept& kept);

 private:
  void give(std::size_t sensor, const SensorReading& used, const StepWork& used_work);
  void learn_idle(std::size_t sensor, const SensorReading& used);
  [[nodiscard]] StepWork work_since(const StepWork& work) const;

  std::vector<LedgerSensor> sensors_;
  std::vector<SensorLedger> ledgers_;
  std::vector<SensorReading> last_;
  StepWork last_work_;
  // Readings since the node has been without jobs.
  std::vector<SensorReading> quiet_;
  std::map<StepId, StepAccount> steps_;
};

}  // namespace huddle::power
