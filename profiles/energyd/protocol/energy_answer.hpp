#pragma once

// Requests to huddle-energyd and its answers: packets of text on a Unix socket (SOCK_SEQPACKET).
// Described in docs/formats/energyd.md.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::energyd {

/// Where the daemon listens.
inline constexpr const char* kEnergySocket = "/run/huddle-energyd/socket";

/// A packet of a client's is never longer.
inline constexpr std::size_t kMostEnergyRequestBytes = 128;
/// Nor one of the daemon's.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{128} << 10U;

/// A client's request.
struct EnergyRequest {
  enum class About : std::uint8_t {
    kJob,   ///< the steps of one job
    kOwn,   ///< the steps of the asking user
    kNode,  ///< the sensors
  };
  About about = About::kOwn;
  /// With kJob.
  std::uint32_t job = 0;

  friend bool operator==(const EnergyRequest&, const EnergyRequest&) = default;
};

/// Lines.
std::string text_of(const EnergyRequest& request);
/// Nothing if it is no such text.
std::optional<EnergyRequest> parse_energy_request(std::string_view text);

/// A step, and what it took.
struct AnsweredStep {
  power::StepId id;
  std::uint32_t user = 0;
  bool running = false;
  /// Shares by the names of the sensors, of which none counts what another one does.
  std::vector<std::pair<std::string, power::EnergyShare>> shares;

  [[nodiscard]] power::EnergyShare total() const;
  friend bool operator==(const AnsweredStep&, const AnsweredStep&) = default;
};

/// A sensor, and what it reported.
struct AnsweredSensor {
  std::string name;
  /// As name_of(Covers) and name_of(Quantity).
  std::string covers;
  std::string measures;
  /// True if it is one of those that add up to the node, which jobs' energy is taken from.
  bool in_sum = false;
  Joules energy;
  Seconds known;
  Seconds lost;
  std::optional<Watts> power;
  /// With `in_sum`: what belongs to no job, and the power without a job.
  Joules unattributed;
  std::optional<Watts> idle_power;
  /// Empty if all is well.
  std::string trouble;

  friend bool operator==(const AnsweredSensor&, const AnsweredSensor&) = default;
};

/// The reason why the daemon can't know what jobs take.
struct DaemonTrouble {
  std::string what;
  /// A remedy that the site has.
  std::string advice;

  friend bool operator==(const DaemonTrouble&, const DaemonTrouble&) = default;
};

struct EnergyAnswer {
  /// Why there is no answer; empty if there is one.
  std::string refusal;
  std::optional<DaemonTrouble> trouble;
  /// When it was true, since the machine was started.
  Seconds as_of;
  /// Lateness within which 99 of 100 readings of a sensor began; with `sensors`.
  Seconds lateness;
  std::vector<AnsweredStep> steps;
  std::vector<AnsweredSensor> sensors;

  friend bool operator==(const EnergyAnswer&, const EnergyAnswer&) = default;
};

/// Lines of fields with tabs between them, of at most so many bytes: the last steps are left out
/// where there are too many.
std::string text_of(const EnergyAnswer& answer, std::size_t most_bytes = kMostAnswerBytes);
/// Reads that form. Throws FormatError.
EnergyAnswer parse_energy_answer(std::string_view text);

/// Asks the huddle-energyd of this node, with this process's rights. `patience`: in all. Throws
/// SystemError if nobody listens or answers in time, and FormatError if the answer is none. An
/// answer may be a refusal; the end of the connection is one. Raises no signal.
EnergyAnswer ask_energyd(const EnergyRequest& request,
                         const std::filesystem::path& socket = kEnergySocket,
                         std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace huddle::energyd
