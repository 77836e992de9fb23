#pragma once

// What brings the files of a measured step from its node's spool to the store, beside the ranks.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "profiles/recorder/profile/parts_folder.hpp"
#include "profiles/store/store.hpp"

namespace huddle::recorder {

/// Brings the files that ranks of one node leave in a spool to the same folders of a store: each
/// profile, which then leaves the spool; and the parts of a run that goes on, to those of other
/// nodes' ranks, of which it makes a profile where there is an order to (Parts). Where the user's
/// part of the store is missing or somebody else's, files stay in the spool. Works with the rights
/// of its process, the user's. Any file may hang it for as long as the store does. One thread's.
class SpoolDelivery {
 public:
  /// `user` is who the files belong to.
  SpoolDelivery(std::filesystem::path spool, std::filesystem::path store, std::string user);

  /// Brings what is there now. What fails is tried again by the next call.
  void deliver() noexcept;

  /// The folders of the spool in which files appear.
  [[nodiscard]] std::set<std::filesystem::path> folders() const;

 private:
  /// What was brought of a folder of parts.
  struct Brought {
    explicit Brought(PartsFolder folder) : to(std::move(folder)) {}
    PartsFolder to;
    /// By file's name: when it had been changed last.
    std::map<std::string, std::filesystem::file_time_type> files;
    std::filesystem::file_time_type ordered{};
    /// Nothing is brought any more: the run's end was.
    bool over = false;
  };

  void deliver_folder(const std::filesystem::path& from, const std::filesystem::path& to);
  static void deliver_file(const std::filesystem::path& from, const std::filesystem::path& to);
  static void deliver_profile(const std::filesystem::path& from, const std::filesystem::path& to);
  void deliver_parts(const PartsFolder& from, const PartsFolder& to,
                     const std::filesystem::path& profile);
  static bool bring_new_parts(const PartsFolder& from, Brought& brought);
  static void forget_removed_parts(const PartsFolder& from, Brought& brought);
  static void follow_order(const PartsFolder& from, const std::filesystem::path& profile,
                           bool parts_changed, Brought& brought);

  std::filesystem::path spool_;
  Store store_;
  std::string user_;
  std::map<std::filesystem::path, Brought> brought_;
};

}  // namespace huddle::recorder
