#include "aggregator/hybrid/team_program.hpp"

namespace huddle {

TeamChoice reference_choice(const TeamProgram& program) {
  TeamChoice choice(program.ranks.size());
  for (std::size_t r = 0; r < program.ranks.size(); ++r)
    for (const TeamGroupOfRank& group : program.ranks[r].groups) {
      choice[r].emplace_back();
      for (const TeamRegion& region : group.regions) choice[r].back().push_back(region.reference);
    }
  return choice;
}

}  // namespace huddle
