#include "spank_plugin/submission/carried_variables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/submission/decided_variables.hpp"

namespace huddle::submission {

bool hides_environment(const SlurmClient& slurm) {
  if (!slurm.shows_options() || !slurm.is_set("export")) return false;
  const std::string names = slurm.get("export");
  for (std::string_view rest = names; !rest.empty();)
    if (take_until(rest, ',') == "ALL") return false;
  return true;
}

void carry_decision(SlurmClient& slurm) {
  slurm.unset_variable(kCarrierVariable);
  if (!has_decision(slurm) || !hides_environment(slurm)) return;
  std::string text;
  for (const char* name : kDecidedVariables)
    if (const auto value = slurm.variable(name))
      text += fmt::format("{} {} {}", name, value->size(), *value);
  slurm.set_variable(kCarrierVariable, text);
}

std::vector<std::pair<std::string, std::string>> carried_variables(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> variables;
  while (!text.empty()) {
    const std::string_view name = take_until(text, ' ');
    const auto size = number_in<std::size_t>(take_until(text, ' '));
    const auto known = std::find_if(kDecidedVariables.begin(), kDecidedVariables.end(),
                                    [&](const char* each) { return name == each; });
    if (!size || *size > text.size() || known == kDecidedVariables.end()) break;
    variables.emplace_back(name, text.substr(0, *size));
    text.remove_prefix(*size);
  }
  return variables;
}

}  // namespace huddle::submission
