#include "profiles/formats/policy/allowed_trials.hpp"

#include <algorithm>

namespace huddle {

bool allows_trials(const Policy& policy) {
  const auto tries = [](const auto& scopes) {
    return std::any_of(scopes.begin(), scopes.end(),
                       [](const auto& scope) { return scope.second.explore == Explore::kTrial; });
  };
  return policy.explore == Explore::kTrial || tries(policy.partitions) || tries(policy.accounts) ||
         tries(policy.groups);
}

}  // namespace huddle
