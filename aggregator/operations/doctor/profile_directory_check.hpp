#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

/// Where a file of this user in the directory of profiles can be put to try it: the directory
/// itself, or the home if it is there that the directory is made at its first use. It need not
/// exist.
std::filesystem::path place_for_probes(const Policy& policy);

/// Tries if this user (as root, nobody in a site's directory) can write to the directory of
/// profiles, and whether `probe`, a file that was put into it on another machine, shows here
/// (empty: none was). `node` makes the name of the file that is written, and removed again, unique.
Finding check_profile_directory(const Policy& policy, const std::string& probe,
                                const std::string& node);

/// Names the folders in a site's directory of profiles that are not the users' whose names they
/// have, of its first 10,000: those users' profiles are kept in another folder (Store). Nothing if
/// there are none, or if each user has a directory of one's own.
std::optional<Finding> check_owners_of_folders(const Policy& policy);

/// A file in the directory of profiles for other machines to see; removed with the object. Its
/// name is empty if it could not be made.
class Probe {
 public:
  explicit Probe(const Policy& policy);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  [[nodiscard]] std::string name() const { return file_.filename().string(); }

 private:
  std::filesystem::path file_;
};

}  // namespace huddle::doctor
