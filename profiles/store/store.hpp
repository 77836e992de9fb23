#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/policy/policy.hpp"

namespace huddle::store {

/// The key that profiles and plans are kept by.
struct StoreKey {
  std::string user;
  std::string label;
  std::uint32_t ranks = 0;
};

/// Whose folders are in a store.
struct StoredUsers {
  /// Ascending.
  std::vector<std::string> names;
  /// Links and folders that are not of the user whose name they have, ascending by name.
  std::vector<std::filesystem::path> passed_over;
};

/// A directory of profiles and plans: <root>/<user>/<label>/<ranks>/. Labels are written so that
/// any job name is one folder's name. In a site's directory anybody may make a folder of any name:
/// where <root>/<user> is somebody else's, or no folder, the user's part is <root>/<user>~<uid>.
/// Files appear whole (AtomicFile) and are never changed, so any number of jobs may end and submit
/// at once on a shared file system. Holds no state but the root: safe from any thread.
class Store {
 public:
  explicit Store(std::filesystem::path root);

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  /// The folder of all that is stored of a user: <root>/<user>, or <root>/<user>~<uid> if the
  /// former is not the user's, or if the latter is and the former is missing. All processes find
  /// the same one. It need not exist.
  [[nodiscard]] std::filesystem::path part_of(const std::string& user) const;

  /// Users of this machine whose part_of() is there, a directory of their own; none if there is no
  /// root. Throws SystemError if the root can't be listed.
  [[nodiscard]] StoredUsers users() const;

  /// For people, where <root>/<user> is not the user's: that it is not, and what to do. Else empty.
  [[nodiscard]] std::string why_part_is_elsewhere(const std::string& user) const;

  /// Where the key's files are; the folder need not exist.
  [[nodiscard]] std::filesystem::path folder(const StoreKey& key) const;

  /// True if the key's folder exists. Throws Error if the user's part is a link or belongs to
  /// somebody else, SystemError.
  [[nodiscard]] bool has_folder(const StoreKey& key) const;

  /// Makes the key's folder; a new part of a user is readable by that user only. The root is made
  /// only if `make_root`: a site's directory that is missing is the administrator's to make. Throws
  /// Error if the root is missing or the user's part belongs to somebody else, SystemError if it
  /// can't be made.
  std::filesystem::path make_folder(const StoreKey& key, bool make_root = false) const;

  /// In a user's part, what a user allows to be done to the sizes of programs' teams
  /// (team_sizes.hpp). No folder of a label has such a name.
  static constexpr std::string_view kTeamSizesFolder = "~team-sizes";
  /// Where that folder is, whether or not it is there. Throws Error if the user's part is a link or
  /// belongs to somebody else, SystemError.
  [[nodiscard]] std::filesystem::path team_sizes_folder(const std::string& user) const;
  /// Makes that folder, as make_folder() does, and returns it. Throws the same.
  std::filesystem::path make_team_sizes_folder(const std::string& user,
                                               bool make_root = false) const;

  /// Lets others read the user's part, and pass through the root if it is the user's own: adds
  /// rights, and never takes any away. Nothing happens if that part is missing. Throws Error if it
  /// belongs to somebody else or is a link, SystemError.
  void let_read(const std::string& user, Readers readers) const;

  /// The profiles of the key, newest first. Empty if there are none. Throws Error if the user's
  /// part is a link or belongs to somebody else, SystemError.
  [[nodiscard]] std::vector<std::filesystem::path> profiles(const StoreKey& key) const;

  /// The profiles of runs that followed a plan, newest first. They are kept apart from the others:
  /// a plan is made from them only once it was slower than its bound allows. Throws the same.
  [[nodiscard]] std::vector<std::filesystem::path> packed_profiles(const StoreKey& key) const;

  /// The labels that a user has folders of, ascending; of one that is longer than a folder's name
  /// may be, that name. Empty if there are none. Throws Error if the user's part is a link or
  /// belongs to somebody else, SystemError.
  [[nodiscard]] std::vector<std::string> labels(const std::string& user) const;

  /// The numbers of ranks for which the label has a folder, ascending. Throws the same.
  [[nodiscard]] std::vector<std::uint32_t> numbers_of_ranks(const std::string& user,
                                                            const std::string& label) const;

  /// The records of what became of a user's jobs, oldest first; of all labels, or of one. Empty if
  /// there are none. Throws SystemError.
  [[nodiscard]] std::vector<std::filesystem::path> outcomes(
      std::string_view user, const std::optional<std::string>& label = {}) const;

  /// True if that is the name of a profile in a key's folder; false for one that profile_name()
  /// gave to a packed run.
  [[nodiscard]] static bool is_profile(std::string_view name);

  /// True if profile_name() gave that name to the profile of any run.
  [[nodiscard]] static bool is_profile_of_any_run(std::string_view name);

  /// The name of a record of what became of a job, by the same rules as profile_name().
  static std::string outcome_name(std::string_view identity,
                                  std::chrono::system_clock::time_point when);

  /// Prefixes of the names of profiles: those of runs that followed a plan, those of runs whose
  /// clocks followed their loads, which say nothing about other runs, and all others.
  static constexpr std::string_view kProfilePrefix = "profile-";
  static constexpr std::string_view kPackedProfilePrefix = "packed-";
  static constexpr std::string_view kBalancedProfilePrefix = "balanced-";

  /// Begins the names of files that hold what the recorder had to say of a step and did
  /// not print, a line each; "said-17.0-pid5".
  static constexpr std::string_view kSaidPrefix = "said-";

  /// A profile file's name, `prefix` being one of them: sorts by time and is unique by job, step
  /// and writer, all of which `identity` names. Writers that pass the same `when` get the same
  /// name.
  static std::string profile_name(
      std::string_view identity, std::string_view extension,
      std::chrono::system_clock::time_point when = std::chrono::system_clock::now(),
      std::string_view prefix = kProfilePrefix);

 private:
  [[nodiscard]] std::filesystem::path make_part(const std::string& user, bool make_root) const;

  std::filesystem::path root_;
};

/// `directory` with "~/" in front replaced by `home`.
std::filesystem::path expand_home(std::string_view directory, std::string_view home);

/// The name of the user who runs this process; the number if it has no name.
std::string current_user();

/// The names of this process's groups, the primary one first, the others by name. Not safe beside
/// other threads that look up groups.
std::vector<std::string> current_groups();

/// The home directory of the user who runs this process, from the user database; "/" if there is
/// none.
std::string current_home();

}  // namespace huddle::store
