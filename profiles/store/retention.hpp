#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::store {

/// Limits of a user's part of the store.
struct Retention {
  /// Age beyond which a file that was not written (or used, see keep_in_use()) is removed; 0: none
  /// is for its age. Shared file systems' clocks may be off by seconds, so this should be days.
  std::chrono::hours age{0};
  /// The most files and bytes of all labels together; 0: any number.
  std::uint64_t most_files = 0;
  Bytes most_bytes{};

  [[nodiscard]] bool keeps_everything() const {
    return age.count() == 0 && most_files == 0 && most_bytes == Bytes{};
  }
};

/// The part of a user's files that one process looks at before it leaves the rest to the next one.
struct SliceLimits {
  std::size_t entries = 2000;
  std::chrono::milliseconds time{500};
};

/// The work that a slice, or a whole sweep, did.
struct SweepResult {
  std::size_t looked_at = 0;  ///< files, folders, and what folders hold
  std::size_t removed = 0;    ///< files, and folders with what they held
  bool finished = false;      ///< nothing is left to do for the next hour
};

/// A sweep looks at the whole part of a user, all labels, and removes what the rules say; it may
/// begin once an hour, one process does it at a time, and it goes on where the last slice stopped,
/// by the file `.sweep` in the user's part. What stays however old it is: each key's newest
/// complete profile, since the next plan rests on it; the layouts of measured runs that are younger
/// than a profile that stays, since they say that such a run was tried; and whatever has no name of
/// ours or belongs to somebody else. Where the part holds more than it may, the oldest profiles,
/// traces, plans and records of all labels go first until the rest fits, as if `age` were shorter
/// for once; beyond the above, plans that are younger than their key's newest complete profile,
/// unfinished files, and what was written within the last hour stay then, also if it is too much.
/// Unfinished files that nobody has written to for a week go by any rules: whoever wrote them was
/// killed. A file that another process removes at the same time is no failure.

/// True if a slice has anything to do: costs a look at one file. False on any failure.
bool sweep_is_due(const Store& store, const std::string& user,
                  std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// Does the next slice if one is due; nothing if none is, if another process is at it, or if the
/// part is not this process's user's. Throws Error, SystemError.
std::optional<SweepResult> sweep_slice(
    const Store& store, const std::string& user, const Retention& retention,
    const SliceLimits& limits = {},
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// A whole sweep at once, also if none is due; nothing as for sweep_slice(). Throws Error,
/// SystemError.
std::optional<SweepResult> sweep_now(
    const Store& store, const std::string& user, const Retention& retention,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// Makes a stored file as young as if it had been written now: a plan that jobs still take is not
/// old. Only of files of this user; any failure is ignored.
void keep_in_use(const std::filesystem::path& file);

}  // namespace huddle::store
