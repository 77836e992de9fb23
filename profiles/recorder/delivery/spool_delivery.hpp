#pragma once

// Delivery of a measured step's files from its node's spool to the store, beside the ranks.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "profiles/recorder/delivery/file_carrier.hpp"
#include "profiles/recorder/profile/parts_folder.hpp"
#include "profiles/store/store.hpp"

namespace huddle::recorder {

/// Brings the files that ranks of one node leave in a spool to the same folders of a store: each
/// profile, which then leaves the spool; and the parts of a run that goes on, to those of other
/// nodes' ranks, of which it makes a profile where there is an order to (Parts). Where the user's
/// part of the store is missing or somebody else's, files stay in the spool. Works with the rights
/// of its process, the user's. Any file may hang it for as long as the store does; where there is
/// none it does not touch the store. A file that is over the limits stays in the spool, too, and a
/// line about the first of each folder goes to where the step's record finds it
/// (Store::kSaidPrefix). What it keeps in mind is bounded, whatever users make in the spool. One
/// thread's.
class SpoolDelivery {
 public:
  /// `user` is who the files belong to, `step` the step's name, as in "17.0".
  SpoolDelivery(std::filesystem::path spool, std::filesystem::path store, std::string user,
                std::string step, CarrierLimits limits = {});

  /// Brings what is there now. What fails is tried again by the next call.
  void deliver() noexcept;

  /// The folders of the spool in which files appear, the first 1024.
  [[nodiscard]] std::set<std::filesystem::path> folders() const;

 private:
  /// The state of a folder of parts: what was brought of it.
  struct Brought {
    explicit Brought(PartsFolder folder) : to(std::move(folder)) {}
    PartsFolder to;
    /// Times at which the files had been changed last, by name.
    std::map<std::string, std::filesystem::file_time_type> files;
    std::filesystem::file_time_type ordered{};
    /// Nothing is brought any more: the run's end was.
    bool over = false;
  };

  void deliver_folder(const std::filesystem::path& from, const std::filesystem::path& to);
  void deliver_entry(const std::filesystem::path& from, const std::filesystem::path& to);
  void deliver_file(const std::filesystem::path& from, const std::filesystem::path& to);
  void deliver_profile(const std::filesystem::path& from, const std::filesystem::path& to);
  void deliver_parts(const PartsFolder& from, const PartsFolder& to,
                     const std::filesystem::path& profile);
  bool bring_new_parts(const PartsFolder& from, Brought& brought);
  static void forget_removed_parts(const PartsFolder& from, Brought& brought);
  void follow_order(const PartsFolder& from, const std::filesystem::path& profile,
                    bool parts_changed, Brought& brought);
  void pace_merge(const PartsFolder& parts) const;
  void say_left_out(const std::filesystem::path& to, const std::string& why);

  std::filesystem::path spool_;
  store::Store store_;
  std::string user_;
  std::string step_;
  FileCarrier carrier_;
  /// Where a line has been left.
  std::set<std::filesystem::path> said_;
  std::map<std::filesystem::path, Brought> brought_;
};

}  // namespace huddle::recorder
