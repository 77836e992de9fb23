#pragma once

#include <string>
#include <string_view>

#include "profiles/formats/policy/policy.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {

/// The error about a policy, which it calls huddle.toml; empty if there is none.
inline std::string policy_refusal(std::string_view text) {
  return error_of<FormatError>([&] { parse_policy(text, "huddle.toml"); });
}

}  // namespace huddle
