#pragma once

#include <cstdint>
#include <string>

namespace huddle::planning {

/// Something that keeps a job as its user submitted it, or its ranks in order; nothing by default.
/// The words for it are words_of()'s.
struct Obstacle {
  enum class Kind : std::uint8_t {
    kNone,
    // Steps of the measured job.
    kAlsoRuns,           ///< another step: `name`, `tasks`
    kAlsoRunsUnordered,  ///< the same, and nodes can't be kept whole
    kInOrder,            ///< the same, and so ranks can't be grouped
    kStartedByMpirun,
    kStepPlaced,       ///< `name`, `by` the option
    kRanksUnknown,     ///< of the step `name`
    kStepSpread,       ///< a step of `tasks` shared nodes with ranks that would be on several
    kStepCrowded,      ///< a step of `tasks` would find no room where it belongs
    kUnmeasuredSteps,  ///< `name`, `seconds`
    // Samples.
    kOtherNodes,      ///< `count` nodes in the measured run
    kProgramsApart,   ///< programs of the job ran on different numbers of nodes
    kManyPrograms,    ///< more than `count`
    kNoProfileLeft,   ///< by `count` runs, of `tasks` ranks; `name`: an example, or empty
    kNothingToLearn,  ///< from `count` runs, for the reason `name`
    kOtherScripts,    ///< the last measured runs were of scripts that did not come again
    kContention,      ///< unknown; `name`: a phrase that says what would show it
    kNameProfile,     ///< what would show it, as the three that follow
    kAllowSamples,
    kSubmitBatch,
    kNoSecondRun,
    // A second measured run.
    kSecondLeftNothing,
    kSecondTimeShort,  ///< `seconds`, `limit`
    kSecondOfArray,    ///< of `count` members
    kSecondSlow,       ///< `percent`, `limit`
    kInSecondRun,      ///< the words `name` are about that one
    // On fewer nodes.
    kNearestMiss,    ///< `count` nodes would take `name`, beyond the bound of `percent`
    kNoGain,         ///< `count` nodes would take `name`, and `by` is to be least
    kFewestNodes,    ///< its ranks fill `count`
    kLeastNodes,     ///< `count` must be used
    kOtherPrograms,  ///< would break the bound of `percent`
    kNoRoom,         ///< on `count` nodes, for the reason `name`
    // Gains.
    kTimeShort,     ///< `seconds`, `limit`
    kNoGrouping,    ///< saves `percent` of bytes between `name`
    kOneDie,        ///< for ranks to share, on the one node
    kRanksUnbound,  ///< or not as many on each die
    kTimeIsLeast,   ///< for teams: fewer cores save no time
    kClocksFollowLoads,
  };
  Kind kind = Kind::kNone;
  std::string name = {};
  std::string by = {};
  std::uint64_t count = 0;
  std::uint32_t tasks = 0;
  double seconds = 0;
  double limit = 0;
  double percent = 0;

  explicit operator bool() const { return kind != Kind::kNone; }
};

/// A phrase for the job's user; empty of none.
std::string words_of(const Obstacle& obstacle);

}  // namespace huddle::planning
