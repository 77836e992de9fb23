#include "spank_plugin/submission/slurm_client.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

void set_options(SlurmClient& slurm,
                 const std::vector<std::pair<std::string, std::string>>& values) {
  struct Former {
    const char* name;
    bool was_set;
    std::string value;
  };
  std::vector<Former> touched;
  for (const auto& [name, value] : values) {
    touched.push_back({name.c_str(), slurm.is_set(name.c_str()), slurm.get(name.c_str())});
    if (slurm.set(name.c_str(), value.empty() ? nullptr : value.c_str())) continue;
    for (const Former& former : touched) {
      if (former.was_set)
        slurm.set(former.name, former.value.c_str());
      else
        slurm.reset(former.name);
    }
    throw Error(fmt::format("Slurm does not take --{} from a plugin", name));
  }
}

std::optional<std::uint32_t> most_nodes_in(std::string_view range) {
  if (const auto dash = range.find('-'); dash != std::string_view::npos)
    range.remove_prefix(dash + 1);
  std::uint32_t nodes = 0;
  const auto [end, failure] = std::from_chars(range.data(), range.data() + range.size(), nodes);
  if (failure != std::errc{} || end != range.data() + range.size()) return std::nullopt;
  return nodes;
}

}  // namespace huddle
