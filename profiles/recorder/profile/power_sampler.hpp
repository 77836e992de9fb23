#pragma once

// Power of a node over time, while a traced program runs.

#include <filesystem>
#include <memory>
#include <vector>

#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/profile/job_energy.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recorder {

/// Reads the power of this node until it is destroyed: in a job what the job takes, once a second,
/// as huddle-energyd knows it, since other jobs may share the node; else its sensors, if this user
/// may read all of those that add up to the most of the node that is known. In threads of its own
/// that take no signals. One process of a node should do so. Safe from any thread.
class PowerSampler {
 public:
  struct Options {
    /// Below which /sys and /proc are looked at, for trials.
    std::filesystem::path root = "/";
    /// Between two values of a sensor; the daemon is asked once a second.
    Seconds period{0.1};
    Job job = {};
    /// Asks the daemon; by default that of this node.
    JobEnergy::Ask ask = {};
  };

  /// Nothing, without an error, if there is nothing to be read. Takes a first sample; that may last
  /// half a second, so no other rank should be on its way meanwhile.
  static std::unique_ptr<PowerSampler> begin(const Options& options) noexcept;

  virtual ~PowerSampler() = default;
  PowerSampler(const PowerSampler&) = delete;
  PowerSampler& operator=(const PowerSampler&) = delete;

  /// Takes a last sample now, and no more after it. Waits for the daemon, a second at most, since
  /// that gives no finer answers; for sensors half a second at most.
  virtual void end() noexcept = 0;
  /// Up to now; times are ticks.
  [[nodiscard]] virtual std::vector<RecordedPower> recorded() const = 0;

 protected:
  PowerSampler() = default;
};

/// Adds a sample; the first one of a sensor says when it begins. Beyond a million samples two
/// become one each, so that a long run's stay few.
void add_sample(RecordedPower& power, std::uint64_t ticks, double watts);

}  // namespace huddle::recorder
