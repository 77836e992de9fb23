#pragma once

// The member "teams" of a plan document.

#include <nlohmann/json.hpp>
#include <vector>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/team_programs.hpp"
#include "profiles/throttling/region_cores.hpp"

namespace huddle {

/// Throws FormatError; ranks are below `ranks`.
std::vector<TeamsOfRanks> read_teams(const Field& field, std::uint32_t ranks);

/// An array; empty for none.
nlohmann::ordered_json json_of(const std::vector<TeamsOfRanks>& teams);

/// The members "teams_programs" and "teams_sized" of a plan or a decision. Throws FormatError.
TeamPrograms read_team_programs(const Field& root);
/// Writes them, if they are known.
void write_team_programs(const TeamPrograms& programs, nlohmann::ordered_json& document);

}  // namespace huddle
