#include "spank_plugin/submission/slurm_client.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/submission/slurm_texts.hpp"

namespace huddle {

namespace {

constexpr const char* kCpusPerTask = "cpus-per-task";

// Slurm takes more CPUs than a task had before for a step's, and complains of them to the user.
void forget_fewer_cpus(SlurmClient& slurm, const OptionChange& change) {
  if (change.name != kCpusPerTask || !change.value) return;
  const auto wanted = parse_count(*change.value);
  const auto had = parse_count(slurm.get(kCpusPerTask));
  if (wanted && had && *wanted > *had) slurm.reset(kCpusPerTask);
}

// What is to be put back. Either of the two options that say how many CPUs a task has may hold what
// the other one says, and then does not count as set.
std::optional<std::string> value_of(const SlurmClient& slurm, const std::string& name) {
  const bool of_task =
      name == kTresPerTask ||
      (name == kCpusPerTask && parse_tres_per_task(slurm.get(kTresPerTask)).cpus.has_value());
  if (!slurm.is_set(name.c_str()) && !of_task) return std::nullopt;
  std::string value = slurm.get(name.c_str());
  if (value.empty() && !slurm.is_set(name.c_str())) return std::nullopt;
  return value;
}

bool make_change(SlurmClient& slurm, const OptionChange& change) {
  forget_fewer_cpus(slurm, change);
  if (change.value)
    return slurm.set(change.name.c_str(), change.value->empty() ? nullptr : change.value->c_str());
  slurm.reset(change.name.c_str());
  return true;
}

}  // namespace

std::vector<OptionChange> change_options(SlurmClient& slurm,
                                         const std::vector<OptionChange>& changes) {
  std::vector<OptionChange> back;
  for (const OptionChange& change : changes) {
    const char* name = change.name.c_str();
    std::optional<std::string> former = value_of(slurm, change.name);
    back.insert(back.begin(), {change.name, std::move(former)});
    if (make_change(slurm, change)) continue;
    for (const OptionChange& each : back) static_cast<void>(make_change(slurm, each));
    throw Error(fmt::format("Slurm does not take --{} from a plugin", name));
  }
  return back;
}

std::optional<NodeRange> parse_node_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto least = parse_count(text.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : parse_count(text.substr(dash + 1));
  if (!least || !most) return std::nullopt;
  return NodeRange{*least, *most};
}

}  // namespace huddle
