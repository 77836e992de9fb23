#pragma once

#include <filesystem>
#include <string>

namespace huddle {

/// What the first huddle.toml of a site says, beside what is the same for all.
struct FirstPolicy {
  std::filesystem::path machine;
  /// Root of the profiles; empty: each user's home.
  std::string store;
  /// Where a model is or will be.
  std::filesystem::path model;
  bool has_model = false;
};

/// huddle.toml, with comments for who looks after it.
std::string policy_text(const FirstPolicy& policy);

}  // namespace huddle
