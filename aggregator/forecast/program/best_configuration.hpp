#pragma once

// Which configuration (processes, threads, frequency, nodes) to run one problem size with: the
// candidates, the reference, and the choice among their forecasts.

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/machine_layout.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// What a choice depends on. The first six are the factors, by their numbers.
enum class ChoiceTerm : unsigned char {
  size,
  processes,
  threads,
  frequency,
  nodes,
  packages,
  candidates,  ///< processes, threads, frequency, nodes and packages together
  reference,
  objective,
  slowdown,
};

/// That no choice can be made as one of its terms is asked. The message fits behind that
/// term's name and a colon.
class ChoiceError : public UsageError {
 public:
  ChoiceError(ChoiceTerm term, const std::string& why) : UsageError(why), term_(term) {}
  [[nodiscard]] ChoiceTerm term() const { return term_; }

 private:
  ChoiceTerm term_;
};

/// Values of factors to consider; an empty list stands for those that were measured.
struct AskedFactors {
  std::vector<double> processes;
  std::vector<double> threads;
  std::vector<double> frequencies_ghz;
  std::vector<double> nodes = {};
  std::vector<double> packages = {};

  [[nodiscard]] bool any() const {
    return !processes.empty() || !threads.empty() || !frequencies_ghz.empty() || !nodes.empty() ||
           !packages.empty();
  }
};

/// Configurations at most, beyond which a question is a mistake.
inline constexpr std::size_t kMostCandidates = 100'000;

/// What to choose from for one problem size, ordered by processes, threads, frequency, nodes and
/// packages, none twice: the combinations of these that were measured with any size; if something
/// is asked, all combinations of what is asked and what was measured, but those with more nodes
/// than processes, or more packages than cores on a node. Throws ChoiceError
/// if a factor that never changed is asked to have another value, whose effect is unknown, or if
/// there are more than kMostCandidates.
std::vector<Configuration> candidate_configurations(const std::vector<Configuration>& measured,
                                                    double size, const AskedFactors& asked);

/// How many packages candidates use.
enum class PackagesUsed : unsigned char {
  unknown,  ///< rows don't say
  counted,  ///< as candidates say
  fewest,   ///< the fewest that hold them
};

/// Those that `machine` has place for, of candidates as ordered above, none twice. Throws
/// ChoiceError, with the reason, if none is left.
std::vector<Configuration> possible_on(const MachineLayout& machine,
                                       std::vector<Configuration> candidates, PackagesUsed used);

/// The size to choose for: the one that is asked (0: none is), else the only one that was measured.
/// Throws ChoiceError, with the sizes there are, if none is asked and there are several, or if
/// another one is asked than the only one.
double size_to_choose_for(const std::vector<Configuration>& measured, double asked);

/// The configuration of that size, processes and threads to compare with; `frequency_ghz` 0: the
/// highest that was measured. Of layouts, the one on most nodes, and most packages of them, that
/// was measured with these processes and threads; where none was, of all that have no more nodes
/// than processes. Throws ChoiceError as candidate_configurations().
Configuration reference_configuration(const std::vector<Configuration>& measured, double size,
                                      double processes, double threads, double frequency_ghz);

/// "1, 2, 4, 8, ... 48".
std::string values_text(const std::set<double>& values);

struct BestOptions {
  Objective objective = Objective::kEnergy;
  /// The largest slowdown over the reference, of 1; absent: any.
  std::optional<double> most_slowdown = 0.05;
  /// Whether the whole interval of a time must be within the bound, not just the likeliest time.
  bool certain = false;
  /// What slowdown is measured against; absent: the fastest candidate.
  std::optional<Configuration> reference = {};
  /// What was asked explicitly: candidates may be beyond what was measured in that.
  AskedFactors asked = {};
};

/// A configuration that was considered.
struct BestCandidate {
  ForecastAt forecast;
  /// Energy x time, in J s; from the ends of both intervals. Absent without energy or time.
  std::optional<Estimate> edp_js;
  /// Time over the reference's, minus 1; absent without times.
  std::optional<double> slowdown;
  /// Whether it may be chosen, and if not, why, for people.
  bool feasible = true;
  std::string why_not;
  /// Whether it is not the chosen one, but its interval of the objective overlaps the chosen one's:
  /// either may be better.
  bool alike = false;
};

struct BestConfiguration {
  Objective objective = Objective::kEnergy;
  std::optional<BestCandidate> reference;  ///< absent without times, unless it was given
  /// Best first; those that are not feasible behind the others. Equal ones as they were given.
  std::vector<BestCandidate> candidates;
  /// How many candidates are not among those, since they lie beyond what was measured and were not
  /// asked for.
  std::size_t left_out = 0;
  /// One sentence each, for people: what to trust less, and why.
  std::vector<std::string> remarks;

  /// Null if no candidate is feasible.
  [[nodiscard]] const BestCandidate* chosen() const;
};

/// The quantity that the objective minimises; absent if it is not known.
std::optional<Estimate> objective_of(const BestCandidate& candidate, Objective objective);

/// Chooses the best of `candidates`, all of one size, by the objective and within the bound of
/// slowdown; of equal ones the first. The reference is always within the bound. Throws ChoiceError
/// if the forecast does not know what the objective or the bound needs, or if there is no
/// candidate.
BestConfiguration best_configuration(
    const std::vector<Configuration>& candidates,
    const std::function<ForecastAt(const Configuration&)>& forecast, const BestOptions& options);

}  // namespace huddle
