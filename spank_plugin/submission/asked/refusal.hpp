#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace huddle::submission {

/// Reasons for which something is not done with a job, or not with a step of it.
enum class Reason : std::uint8_t {
  // It is not packed, or not measured.
  kSeveralParts,
  kHiddenEnvironment,
  kOwnPlacement,
  kOwnBinding,
  kSharedNodes,
  kSeveralRanksACore,
  kSpreadRanks,
  kFilledNodes,
  kAmountOnEachNode,
  kOneNode,
  kMpirunOnOneNode,
  kSmallSteps,
  kNoName,
  // It keeps its nodes.
  kKeptByUser,
  kKeptForDevices,
  kHiddenScript,
  kScriptListsNodes,
  kScriptPlacesRanks,
  kScriptUsesNodes,
  // Nothing acts on it while it runs.
  kNotAllowed,
  kNoRecorder,
};

/// A reason, and the option, word, variable, key or file that shows it, where it has one.
struct Refusal {
  Reason reason = Reason::kSeveralParts;
  std::string shown_by = {};

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// The outcome of a question whether something may be done: nothing if it may.
using Verdict = std::optional<Refusal>;

/// A phrase for the user.
std::string text_of(const Refusal& refusal);

}  // namespace huddle::submission
