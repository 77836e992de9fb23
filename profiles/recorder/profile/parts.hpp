#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/profile/piece.hpp"

namespace huddle::recorder {

/// What the ranks of a run leave in files beside the profile while the run goes on, so that it is
/// kept if they are killed: a folder .<profile's name>.parts-<run>, in it two files for each rank,
/// written in turn, of which one is whole at any moment. Any rank can make a profile of them,
/// marked as cut short. Files are only made once there is something to keep, and no metadata
/// changes after that: a parallel file system stays calm. Used by one thread at a time.
class Parts {
 public:
  /// Of the run `run`, begun at `started`, whose profile will be `profile`.
  Parts(std::filesystem::path profile, std::uint64_t run, std::uint32_t rank,
        std::chrono::system_clock::time_point started);

  /// Writes this rank's part. False if another rank has concluded the run: then nothing is written
  /// any more. Throws SystemError.
  bool write(const Piece& piece);

  /// Writes the profile of all parts, in place of an older file of that name. `description` is all
  /// but the records and tables. Waits for others of this node that do the same. Does nothing if
  /// the run is concluded. Throws Error.
  void make_profile(const Profile& description, Encoding encoding) const;

  /// The same for the last time: the run ends here, whatever the other ranks still do. Of several
  /// that say so the first one's profile stays. Removes all parts.
  void conclude(const Profile& description, Encoding encoding) const;

  /// Removes this rank's files.
  void remove() noexcept;
  /// Removes the folder and all ranks' files in it: once there is a complete profile.
  void remove_all() const noexcept;

  /// Removes what dead runs left in `folder`: parts that nobody has written to since `before`.
  static void remove_stale(const std::filesystem::path& folder,
                           std::filesystem::file_time_type before) noexcept;

 private:
  void make_profile(const Profile& description, Encoding encoding, bool last) const;
  void write_profile(const Profile& description, Encoding encoding,
                     const std::vector<std::uint32_t>& ranks) const;
  [[nodiscard]] bool concluded_before_first_part() const;
  [[nodiscard]] std::filesystem::path file_of(std::uint32_t rank, bool second) const;
  [[nodiscard]] std::vector<std::uint32_t> ranks() const;
  static void remove_parts(const std::filesystem::path& folder);
  [[nodiscard]] Piece read(std::uint32_t rank) const;

  std::filesystem::path profile_;
  std::filesystem::path folder_;
  std::uint32_t rank_;
  std::chrono::system_clock::time_point started_;
  std::uint64_t written_ = 0;
};

}  // namespace huddle::recorder
