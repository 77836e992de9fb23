#include "profiles/store/retention.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;
using TimePoint = std::chrono::system_clock::time_point;

enum class Kind : std::uint8_t { kProfile, kSample, kOther };

struct Entry {
  fs::path path;
  Kind kind = Kind::kOther;
  TimePoint written;
};

TimePoint modified(const struct stat& status) {
  const auto since = std::chrono::seconds(status.st_mtim.tv_sec) +
                     std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(since));
}

// Nothing if it is not there any more.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw SystemError("read", path.string(), errno);
}

// What of ours a name is; nothing if it is not ours. Hidden ones are unfinished: temporary files,
// parts of profiles of runs that still go on or were killed, and locks.
std::optional<Kind> kind_of(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  if (name.starts_with("sample-")) return Kind::kSample;
  for (const std::string_view prefix : {"plan-", "outcome-", "making-"})
    if (name.starts_with(prefix)) return Kind::kOther;
  if (name.starts_with("profile-")) return Kind::kProfile;
  return std::nullopt;
}

// Of a folder of parts: they are written again and again, and the folder does not show it.
TimePoint newest_within(const fs::path& folder, TimePoint of_folder) {
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure))
    if (const auto status = status_of(it->path()))
      of_folder = std::max(of_folder, modified(*status));
  return of_folder;
}

std::vector<Entry> aged_entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    const std::string name = it->path().filename().string();
    const std::optional<Kind> kind = kind_of(name);
    const auto status = kind ? status_of(it->path()) : std::nullopt;
    if (!status || status->st_uid != ::geteuid()) continue;
    Entry entry{it->path(), *kind, modified(*status)};
    // Only whole profiles are profiles; a folder is none either.
    if (name.starts_with('.') || S_ISDIR(status->st_mode)) entry.kind = Kind::kOther;
    if (S_ISDIR(status->st_mode)) entry.written = newest_within(entry.path, entry.written);
    entries.push_back(std::move(entry));
  }
  if (failure && failure != std::errc::no_such_file_or_directory)
    throw SystemError("read", folder.string(), failure.value());
  return entries;
}

bool is_complete(const fs::path& profile) {
  try {
    return load_profile(profile).complete;
  } catch (const Error&) {
    return false;
  }
}

// The profile that stays: found without reading any if there is but one.
fs::path newest_complete(const Store& store, const StoreKey& key) {
  const std::vector<fs::path> profiles = store.profiles(key);
  if (profiles.size() == 1) return profiles[0];
  const auto found = std::find_if(profiles.begin(), profiles.end(), is_complete);
  return found != profiles.end() ? *found : fs::path();
}

}  // namespace

std::size_t remove_older_than(std::chrono::hours age, const Store& store, const StoreKey& key,
                              TimePoint now) {
  const fs::path folder = store.folder(key);
  const auto of_folder = status_of(folder);
  if (!of_folder || !S_ISDIR(of_folder->st_mode) || of_folder->st_uid != ::geteuid()) return 0;
  const std::vector<Entry> entries = aged_entries_of(folder);
  const auto old = [&](const Entry& entry) { return entry.written < now - age; };
  const bool any_profile = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.kind == Kind::kProfile && old(entry);
  });
  const fs::path kept = any_profile ? newest_complete(store, key) : fs::path();
  const auto goes = [&](const Entry& entry) { return old(entry) && entry.path != kept; };
  TimePoint oldest_profile = now;
  for (const Entry& entry : entries)
    if (entry.kind == Kind::kProfile && !goes(entry))
      oldest_profile = std::min(oldest_profile, entry.written);
  std::size_t removed = 0;
  for (const Entry& entry : entries) {
    if (!goes(entry)) continue;
    if (entry.kind == Kind::kSample && entry.written >= oldest_profile) continue;
    std::error_code failure;
    if (fs::remove_all(entry.path, failure) > 0 && !failure) ++removed;
    if (failure && failure != std::errc::no_such_file_or_directory)
      throw SystemError("remove", entry.path.string(), failure.value());
  }
  return removed;
}

void keep_in_use(const fs::path& file) {
  const std::array<timespec, 2> now{{{0, UTIME_OMIT}, {0, UTIME_NOW}}};
  static_cast<void>(::utimensat(AT_FDCWD, file.c_str(), now.data(), AT_SYMLINK_NOFOLLOW));
}

}  // namespace huddle
