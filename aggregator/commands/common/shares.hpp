#pragma once

#include <fmt/format.h>

#include <string>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// The share that an option was given as "5%" or "0.05". Throws UsageError.
inline double share_from(const std::string& option, const std::string& text) {
  const auto share = parse_share(text);
  if (!share)
    throw UsageError(fmt::format("{} {}: expected a share from 0 to 1 such as 5% or 0.05", option,
                                 shortened(text)));
  return *share;
}

}  // namespace huddle
