#pragma once

// Assembly of the ranks' pieces into one profile: at the end of a run, and meanwhile in files that
// survive a killed run.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/recorder/profile/parts_folder.hpp"

namespace huddle::recorder {

/// Files that a rank of a run leaves beside the profile while the run goes on, so that what they
/// hold is kept if the ranks are killed (PartsFolder). Any rank can make a profile of them, marked
/// as cut short. Files are only made once there is something to keep, and no metadata changes after
/// that: a parallel file system stays calm. Used by one thread at a time.
class Parts {
 public:
  /// kStore: the parts of all ranks are in one folder. kSpool: those of this node alone are, and
  /// another process brings them to the others (delivery/).
  enum class Place : bool { kStore, kSpool };

  /// The part of rank `rank` of the run `run`, begun at `started`, whose profile will be `profile`.
  Parts(std::filesystem::path profile, std::uint64_t run, std::uint32_t rank,
        std::chrono::system_clock::time_point started, Place place = Place::kStore);

  /// Writes this rank's part. False if another rank has ended the run: then nothing is written any
  /// more. Throws SystemError.
  bool write(const Piece& piece);

  /// Writes the profile of all parts, as PartsFolder::merge() does; `description` is all but the
  /// records and tables. In a spool, leaves the order to do so. Throws Error.
  void make_profile(const Profile& description, Encoding encoding, RunState state) const;

  /// Removes this rank's files.
  void remove() noexcept;
  /// Removes the folder and all ranks' files in it: once there is a complete profile.
  void remove_all() const noexcept;

  /// Removes what dead runs left in `folder`: parts that nobody has written to since `before`.
  static void remove_stale(const std::filesystem::path& folder,
                           std::filesystem::file_time_type before) noexcept;

 private:
  [[nodiscard]] bool ended_before_first_part() const;

  std::filesystem::path profile_;
  PartsFolder folder_;
  std::uint32_t rank_;
  std::chrono::system_clock::time_point started_;
  Place place_;
  std::uint64_t written_ = 0;
};

/// A thread of the recorder's own in the program's process, which repeats one action. It takes no
/// signals, so that the program's handlers run where they would without it.
class Snapshots {
 public:
  using Duration = std::chrono::milliseconds;

  /// Calls action(), which must not throw, after `first` and then every `period`. Throws
  /// std::system_error if no thread can be had.
  Snapshots(std::function<void()> action, Duration first, Duration period);
  /// Waits for an action that is under way.
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

 private:
  void run(Duration first, Duration period);

  std::function<void()> action_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace huddle::recorder
