#pragma once

// The energy of this job on this node, as the node's huddle-energyd knows it: root alone may read
// most meters.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/process/run_request.hpp"

namespace huddle::recorder {

/// Energy that the job took from the construction on. For one thread at a time.
class JobEnergy {
 public:
  /// Asks the daemon; throws Error if there is none.
  using Ask = std::function<energyd::EnergyAnswer()>;
  /// Asks about the job that this process belongs to, at the daemon's usual place; for 0.3 s at
  /// most.
  static Ask of(const Job& job);

  /// Nothing, without an error, if this is no job, or no daemon knows it.
  static std::optional<JobEnergy> begin(const Job& job, const Ask& ask);

  struct Result {
    std::vector<EnergyReading> readings;
    /// Why there are none; empty if there are.
    std::string why_not;
  };
  /// Up to now.
  [[nodiscard]] Result result() const;

  /// Energy that a step has taken since its begin, at the time of the answer.
  struct Sum {
    Seconds as_of;
    std::map<std::string, power::EnergyShare> by_sensor;
  };
  /// Adds up the step's energy. Processes that the job's script starts have no step of their own on
  /// the script's node, and take what the job takes.
  static Sum sum_of(const energyd::EnergyAnswer& answer, const std::string& step);

 private:
  JobEnergy(std::string step, Ask ask, Sum begin, Seconds now);

  std::string step_;
  Ask ask_;
  Sum begin_;
  Seconds begun_;
};

}  // namespace huddle::recorder
