#include "aggregator/commands/common/choice_options.hpp"

#include <limits>
#include <map>

#include "aggregator/commands/common/frequency_option.hpp"
#include "aggregator/commands/common/shares.hpp"

namespace huddle {
namespace {

const std::map<std::string, Objective> kObjectives = {
    {"energy", Objective::kEnergy}, {"edp", Objective::kEdp}, {"time", Objective::kTime}};
const std::map<std::string, Risk> kRisks = {{"point", Risk::kPoint}, {"interval", Risk::kInterval}};

}  // namespace

void ChoiceOptions::add_to(CLI::App& command) {
  command.add_option("--slowdown", slowdown, "the largest slowdown to accept")
      ->capture_default_str();
  command
      .add_option("--risk", risk,
                  "what of a predicted time must be within the bound: point (the most likely one) "
                  "or interval (all of it, where a model gives one)")
      ->check(CLI::IsMember(kRisks))
      ->capture_default_str();
  command
      .add_option("--objective", objective,
                  "what is to be least within the bound: energy (without power figures in the "
                  "machine document fewest nodes, then packages, then dies), edp (energy x time) "
                  "or time")
      ->check(CLI::IsMember(kObjectives))
      ->capture_default_str();
  command
      .add_option("--least-nodes", least_nodes,
                  "the fewest nodes that may be used, where a site asks for so many")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command
      .add_option("--frequency", frequency,
                  "the frequency of the cores: keep (as it is), auto (for each pattern the best of "
                  "those in the machine document, which must say what cores draw at each unless "
                  "the objective is time), or of a range such as 1.2GHz-2.4GHz. In the plan, ranks "
                  "that wait for others may get a lower one")
      ->capture_default_str();
}

double ChoiceOptions::most_slowdown() const {
  return share_from("--slowdown", slowdown);
}

Risk ChoiceOptions::chosen_risk() const {
  return kRisks.at(risk);
}

Objective ChoiceOptions::chosen_objective() const {
  return kObjectives.at(objective);
}

std::optional<FrequencyRange> ChoiceOptions::frequencies() const {
  return frequencies_from(frequency);
}

}  // namespace huddle
