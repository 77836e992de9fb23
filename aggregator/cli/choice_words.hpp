#pragma once

#include <map>
#include <string>

#include "aggregator/choice/recommendation.hpp"

namespace huddle {

/// The words of options that several commands have.
inline const std::map<std::string, Objective> kObjectives = {
    {"energy", Objective::kEnergy}, {"edp", Objective::kEdp}, {"time", Objective::kTime}};
inline const std::map<std::string, Risk> kRisks = {{"point", Risk::kPoint},
                                                   {"interval", Risk::kInterval}};

}  // namespace huddle
