#pragma once

#include <string>

namespace huddle {

/// What a user wants of the consents that teams may have fewer threads: one of these.
struct ConsentOptions {
  /// Programs, by their paths.
  std::string consent;
  std::string withdraw;
  bool list = false;
  /// The root of the store that they are in.
  std::string store;

  [[nodiscard]] bool any() const { return list || !consent.empty() || !withdraw.empty(); }
};

/// Gives, takes back or lists consents. Returns what there is to say of it: for people, or JSON.
/// Throws Error, UsageError.
std::string change_consents(const ConsentOptions& options, bool json);

}  // namespace huddle
