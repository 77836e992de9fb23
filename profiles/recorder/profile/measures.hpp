#pragma once

// Hardware counters, energy meters and memory of a rank, read at the ends of phases and of the run.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/monitoring/energy_meters.hpp"
#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/profile/job_energy.hpp"
#include "profiles/recorder/profile/phases.hpp"
#include "profiles/vocabulary/environment.hpp"

namespace huddle::recorder {

/// Measures that a rank takes beside MPI: the counters of its process and, if it is the first on
/// its node, the energy of its job as huddle-energyd knows it, or else the node's energy meters;
/// from its construction on. All members are safe from any thread.
class Measures {
 public:
  struct Options {
    std::vector<std::string> events;
    bool reads_node_energy = false;
    /// The job whose energy huddle-energyd is asked for first, with `reads_node_energy`.
    Job job = {};
    /// Why the default events are counted instead of those that were asked for; empty if they are
    /// not.
    std::string trouble;
  };
  /// HUDDLE_EVENTS lists the events; the default is counters::default_events(), "none" is none.
  static Options options_from(const Environment& environment);

  explicit Measures(const Options& options);
  Measures(const Measures&) = delete;
  Measures& operator=(const Measures&) = delete;

  /// For the thread whose phases are the rank's; null if nothing is counted. As old as this.
  [[nodiscard]] PhaseCounters* phase_counters() {
    return phase_counters_ ? &*phase_counters_ : nullptr;
  }

  /// The counters, for those who read them by themselves; null if nothing is counted. As old as
  /// this.
  [[nodiscard]] const counters::CounterSet* counter_set() const {
    return phase_counters_ ? &counters_ : nullptr;
  }

  /// Must be called once in some minutes: meters overflow.
  void poll();

  /// In the order of the events; NaN for what has no value.
  [[nodiscard]] std::vector<double> counts(const counters::Tally& tally) const;
  /// Puts events, their totals up to now and the node's energy into the record.
  void complete(RankRecord& record);
  /// Returns the events that could not be counted, or not be read.
  [[nodiscard]] std::vector<AbsentEvent> absent() const;
  [[nodiscard]] const std::string& hardware_absent_reason() const {
    return counters_.hardware_absent_reason();
  }

 private:
  counters::CounterSet counters_;
  counters::Reading begin_;
  std::optional<PhaseCounters> phase_counters_;
  std::string trouble_;
  mutable std::mutex mutex_;  // of the meters
  // One of them, or none.
  std::optional<JobEnergy> job_energy_;
  std::string no_job_energy_;
  std::optional<power::EnergyMeters> meters_;
};

}  // namespace huddle::recorder
