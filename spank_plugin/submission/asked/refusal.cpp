#include "spank_plugin/submission/asked/refusal.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace huddle::submission {

std::string text_of(const Refusal& refusal) {
  constexpr std::array<std::string_view, 21> kWords = {
      "it has several parts (a heterogeneous job)",
      "its steps would not see what was decided (--export-file)",
      "you place ranks yourself ({})",
      "you bind ranks yourself ({})",
      "you ask for shared nodes ({})",
      "you ask for several ranks a core ({})",
      "you ask for ranks that are spread ({})",
      "you choose how nodes are filled ({})",
      "its meaning would change with fewer nodes ({})",
      "it uses one node only",
      "it uses one node only, and mpirun places its ranks",
      "none of its steps has all of its ranks (srun -n {})",
      "it has no name for its profile (--job-name, or label= in --energy-aggregate)",
      "you keep your nodes (nodes=keep)",
      "its nodes are kept for what they have ({})",
      "its script can't be looked at (nodes=fewer: it may have fewer nodes)",
      "your script lists its nodes (scontrol show hostnames); nodes=fewer if that is safe",
      "your script places ranks itself ({}); nodes=fewer if that is safe",
      "your script uses its nodes ({}); nodes=fewer if that is safe",
      "the site does not allow it ({} in huddle.toml)",
      "the recorder {} can't be read",
  };
  static_assert(kWords.size() == static_cast<std::size_t>(Reason::kNoRecorder) + 1);
  return fmt::format(fmt::runtime(kWords.at(static_cast<std::size_t>(refusal.reason))),
                     refusal.shown_by);
}

}  // namespace huddle::submission
