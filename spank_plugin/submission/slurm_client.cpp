#include "spank_plugin/submission/slurm_client.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/submission/asked/slurm_texts.hpp"

namespace huddle::submission {

namespace {

bool make_change(SlurmClient& slurm, const OptionChange& change) {
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
    std::optional<std::string> former;
    if (slurm.is_set(name)) former = slurm.get(name);
    back.insert(back.begin(), {change.name, std::move(former)});
    if (make_change(slurm, change)) continue;
    for (const OptionChange& each : back) static_cast<void>(make_change(slurm, each));
    throw Error(fmt::format("Slurm does not take --{} from a plugin", name));
  }
  return back;
}

std::optional<NodeRange> parse_node_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto least = number_in<std::uint32_t>(text.substr(0, dash));
  const auto most =
      dash == std::string_view::npos ? least : number_in<std::uint32_t>(text.substr(dash + 1));
  if (!least || !most) return std::nullopt;
  return NodeRange{*least, *most};
}

std::optional<std::string> told(const SlurmClient& slurm, StepWord word) {
  const auto document = slurm.variable(kStepVariable);
  return document ? step_word(*document, word) : std::nullopt;
}

void tell(SlurmClient& slurm, StepWord word, const std::string& value) {
  slurm.set_variable(kStepVariable,
                     with_step_word(slurm.variable(kStepVariable).value_or(""), word, value));
}

void untell(SlurmClient& slurm, StepWord word) {
  const auto document = slurm.variable(kStepVariable);
  if (!document) return;
  const std::string rest = with_step_word(*document, word, std::nullopt);
  if (rest.empty())
    slurm.unset_variable(kStepVariable);
  else
    slurm.set_variable(kStepVariable, rest);
}

}  // namespace huddle::submission
