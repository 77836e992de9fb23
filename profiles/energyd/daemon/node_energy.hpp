#pragma once

// The energy of this node and of the steps on it: what huddle-energyd answers from.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profiles/energyd/daemon/ended_steps.hpp"
#include "profiles/energyd/daemon/power_observer.hpp"
#include "profiles/energyd/daemon/saved_energy.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/energyd/steps/step_notice.hpp"
#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/hardware/attribution/job_cgroups.hpp"
#include "profiles/hardware/attribution/step_cpu_time.hpp"
#include "profiles/hardware/monitoring/sensor_monitor.hpp"

namespace huddle::energyd {

struct NodeEnergyOptions {
  /// Below which /sys and /etc are looked at, for trials. /proc is that of this process.
  std::filesystem::path root = "/";
  /// From value to value of each sensor.
  Seconds period{1};
  /// Where the plugin announces steps.
  std::filesystem::path notices = kStepNotices;
  /// A directory for what a later daemon goes on from.
  std::filesystem::path kept = "/run/huddle-energyd";
  /// The file for what was observed of the node's power (PowerObserver); empty: it is not kept.
  std::filesystem::path observations = {};
};

/// Who asks.
struct EnergyReader {
  std::uint32_t user = 0;
  /// True if the site lets this user know the energy of the node as a whole.
  bool may_see_node = false;
};

/// Reads the sensors, knows which steps run, and gives each of them its part. Users other than root
/// get values that are at most as fine as one a second, and of their own steps only (PLATYPUS:
/// finer ones tell secrets of other processes). For one thread.
class NodeEnergy {
 public:
  /// Goes on from what is in `kept`. Throws std::system_error if no thread can be started.
  explicit NodeEnergy(NodeEnergyOptions options);
  NodeEnergy(const NodeEnergy&) = delete;
  NodeEnergy& operator=(const NodeEnergy&) = delete;

  /// Takes notice of steps that began or ended; the sensors are read for that moment.
  void observe_steps();
  /// Gives away what was counted up to now. Call it once a second or so.
  void advance();
  /// For a later daemon. Throws SystemError.
  void save() const;
  /// Saves the observations of the node's power, which survive a restart of the machine. Throws
  /// SystemError.
  void save_observations() const { observer_->save(); }

  /// True if the user has a step here, or had one lately.
  [[nodiscard]] bool serves(std::uint32_t user) const;
  /// Returns the answer that the client may get.
  EnergyAnswer answer(const EnergyRequest& request, const EnergyReader& reader);
  /// All sensors as of the last advance(), for the site.
  [[nodiscard]] std::vector<AnsweredSensor> sensors() const;
  /// Returns the number of steps that run.
  [[nodiscard]] std::size_t running() const { return ledger_.steps().size(); }

  /// Lines for the log since the last call: what begins to be in trouble, and what is well again.
  std::vector<std::string> news();

 private:
  /// The last answer to a user, and when it was true.
  struct Told {
    power::BootClock::time_point at;
    std::vector<AnsweredStep> steps;
  };
  [[nodiscard]] std::vector<power::SensorReading> readings();
  [[nodiscard]] power::StepWork work();
  struct Present {
    power::StepPlace place;
    power::StepProcesses processes;
    /// For how long it has run.
    Seconds age;
  };
  using PresentSteps = std::map<power::StepId, Present>;
  [[nodiscard]] PresentSteps present_steps();
  void tell_unnumbered_jobs();
  /// True if the steps that run are those that the ledger knows.
  [[nodiscard]] bool are_as_known(const PresentSteps& present) const;
  void go_on();
  power::StepCpuTime& cpu_time_of(const power::StepId& id, const Present& step);
  void end_step(const power::StepId& id);
  [[nodiscard]] bool runs_steps_of(std::uint32_t user) const;
  [[nodiscard]] std::vector<AnsweredStep> steps_of(std::uint32_t user, bool all) const;
  [[nodiscard]] AnsweredStep answered(const power::StepId& id, const power::StepAccount& account,
                                      bool running) const;
  const Told& told_to(std::uint32_t user);
  void add_newer_steps(std::uint32_t user, std::vector<AnsweredStep>& steps) const;
  void tell_sensors(EnergyAnswer& answer, std::uint32_t user);
  void read_sensors();

  NodeEnergyOptions options_;
  std::string boot_;
  std::vector<power::Sensor> sensors_;
  std::unique_ptr<power::SensorMonitor> monitor_;
  std::vector<power::SensorState> states_;  // as of the last advance()
  power::EnergyLedger ledger_;
  std::unique_ptr<PowerObserver> observer_;
  power::JobCgroups job_cgroups_;
  std::set<std::filesystem::path> told_unnumbered_;
  std::map<power::StepId, power::StepCpuTime> cpu_times_;
  EndedSteps ended_;
  std::map<std::uint32_t, Told> told_;
  // The same of the node, for those who may know it.
  std::vector<AnsweredSensor> told_sensors_;
  power::BootClock::time_point told_sensors_at_;
  // Sorting thousands of them takes longer than the rest of an answer.
  Seconds lateness_;
  power::BootClock::time_point lateness_at_;
  power::BootClock::time_point read_at_;
  Seconds reading_took_;
  std::map<std::string, std::string> troubles_;
  std::vector<std::string> news_;
};

}  // namespace huddle::energyd
