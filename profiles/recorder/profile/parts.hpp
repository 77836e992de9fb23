#pragma once

// How the ranks' pieces become one profile: at the end of a run, and meanwhile in files that
// survive a killed run.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle::recorder {

/// One rank's part of a profile, on its way to the rank that writes the file.
struct Piece {
  /// encode_rank_record(); empty if the rank has lost counts.
  std::string record;
  /// encode_shared_tables().
  std::string shared;

  /// As one text, and back. The second throws FormatError naming `origin` if the text is none.
  [[nodiscard]] std::string packed() const;
  static Piece unpacked(std::string_view text, std::string_view origin);
};

/// Merges the shared tables of all pieces. Adding one takes time in proportion to its own size.
class CollectedTables {
 public:
  void add(std::string_view encoded);
  /// In the order that a profile has them.
  [[nodiscard]] SharedTables take();

 private:
  SharedTables tables_;
  std::vector<Communicator> communicators_;
};

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

  /// Writes this rank's part. False if another rank has ended the run: then nothing is written any
  /// more. Throws SystemError.
  bool write(const Piece& piece);

  /// kEnded: the run ends here, whatever the other ranks still do.
  enum class RunState : bool { kGoesOn, kEnded };
  /// Writes the profile of all parts, in place of an older file of that name; `description` is all
  /// but the records and tables. Waits for other processes of this node that do the same. When the
  /// run has ended, removes the parts: of several ranks that end it, the first one's profile stays,
  /// and for the others this does nothing. Throws Error.
  void make_profile(const Profile& description, Encoding encoding, RunState state) const;

  /// Removes this rank's files.
  void remove() noexcept;
  /// Removes the folder and all ranks' files in it: once there is a complete profile.
  void remove_all() const noexcept;

  /// Removes what dead runs left in `folder`: parts that nobody has written to since `before`.
  static void remove_stale(const std::filesystem::path& folder,
                           std::filesystem::file_time_type before) noexcept;

 private:
  void write_profile(const Profile& description, Encoding encoding,
                     const std::vector<std::uint32_t>& ranks) const;
  [[nodiscard]] bool ended_before_first_part() const;
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
