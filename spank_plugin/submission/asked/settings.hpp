#pragma once

#include <filesystem>
#include <string>

#include "profiles/formats/policy/policy.hpp"

namespace huddle::submission {

/// Where the policy is if plugstack.conf does not say: a site without it runs on the defaults.
inline constexpr const char* kDefaultPolicyFile = "/etc/slurm/huddle.toml";

/// The plugin's arguments in plugstack.conf: `policy=FILE`. Throws UsageError for any other.
class Settings {
 public:
  Settings(int count, char** arguments);

  /// As with `policy=FILE`; as with no argument where `policy_file` is empty.
  explicit Settings(const std::filesystem::path& policy_file);

  /// The file that plugstack.conf names; empty if it names none.
  [[nodiscard]] std::filesystem::path named_policy_file() const {
    return given_ ? policy_file_ : std::filesystem::path();
  }

  /// The file that the policy is read from.
  [[nodiscard]] const std::filesystem::path& policy_file() const { return policy_file_; }
  /// Why Huddle does nothing at present, for people: a stop file is there (site_switch.hpp), or the
  /// policy says so. Empty where Huddle is on.
  [[nodiscard]] std::string why_switched_off(const Policy& policy) const;

  /// The site's policy, from a file that this process may believe (trusted_file.hpp): it names
  /// programs that every submitter starts. A default file that does not exist means the defaults;
  /// throws SystemError if a file that plugstack.conf names can't be read, UntrustedFile, and
  /// FormatError if one is wrong.
  [[nodiscard]] Policy trusted_policy() const;

 private:
  template <class Load>
  Policy loaded(Load load) const;

  std::filesystem::path policy_file_ = kDefaultPolicyFile;
  bool given_ = false;
};

}  // namespace huddle::submission
