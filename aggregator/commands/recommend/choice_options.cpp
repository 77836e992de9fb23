#include "aggregator/commands/recommend/choice_options.hpp"

#include <fmt/format.h>

#include <optional>

#include "aggregator/commands/common/option_values.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Throws UsageError.
std::optional<FrequencyRange> frequencies_from(const std::string& text) {
  const std::optional<FrequencyWish> wish = parse_frequency_wish(text);
  if (!wish)
    throw UsageError(fmt::format(
        "--frequency {}: expected keep, auto, a frequency such as 1.8GHz, or a range such "
        "as 1.2GHz-2.4GHz",
        shortened(text)));
  if (wish->kind == FrequencyWish::Kind::kKeep) return std::nullopt;
  return wish->range;
}

}  // namespace

void ChoiceOptions::add_to(cli::App& command) {
  command.add_option("--slowdown", slowdown, "the largest slowdown to accept")
      ->value("SHARE")
      ->capture_default_str();
  command
      .add_option("--objective", objective,
                  "what is to be least within the bound: energy (without power figures in the "
                  "machine document fewest nodes, then packages, then dies), edp (energy x time) "
                  "or time")
      ->check(cli::IsMember({"edp", "energy", "time"}))
      ->capture_default_str();
  command
      .add_option("--computation", computation,
                  "how computation is predicted: paper (regression on IPC), shared (contention "
                  "for caches and memory), prior (the same as it usually is, where nothing was "
                  "learnt), simple (like the nearest sample) or auto (with a model the one of the "
                  "first two that erred less in training, else prior)")
      ->check(cli::IsMember({"auto", "paper", "shared", "prior", "simple"}))
      ->capture_default_str();
  command
      .add_option("--frequency", frequency,
                  "the frequency of the cores: keep (as it is), auto (for each pattern the best of "
                  "those in the machine document, which must say what cores draw at each unless "
                  "the objective is time), or of a range such as 1.2GHz-2.4GHz. In the plan, ranks "
                  "that wait for others may get a lower one")
      ->capture_default_str();
}

ChoiceCriteria ChoiceOptions::criteria() const {
  ChoiceCriteria criteria;
  criteria.slowdown = share_from("--slowdown", slowdown);
  criteria.objective = *objective_of(objective);
  criteria.frequencies = frequencies_from(frequency);
  criteria.computation = computation_method_of(computation);  // nothing of auto
  return criteria;
}

}  // namespace huddle
