#include "profiles/recorder/delivery/spool_delivery.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/recorder/profile/parts.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Files of a user's folder; a node's ranks leave far fewer, and of all nodes' ranks there are two
// parts.
constexpr std::size_t kMostEntries = 16384;
// The number of the spool's folders, and of those whose parts are brought.
constexpr std::size_t kMostFolders = 1024;
// Bytes of the parts of all nodes' ranks, of which a profile is made.
constexpr std::uint64_t kMostMergedBytes = std::uint64_t{1} << 30U;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const std::string& name : files::names_in(folder, kMostEntries))
    entries.push_back(folder / name);
  return entries;
}

std::vector<fs::path> folders_of(const fs::path& folder) {
  std::vector<fs::path> folders = entries_of(folder);
  std::erase_if(folders, [](const fs::path& path) {
    std::error_code failure;
    return fs::symlink_status(path, failure).type() != fs::file_type::directory;
  });
  if (folders.size() > kMostFolders) folders.resize(kMostFolders);
  return folders;
}

fs::file_time_type changed(const fs::path& file) {
  std::error_code absent;
  const auto time = fs::last_write_time(file, absent);
  return absent ? fs::file_time_type{} : time;
}

bool is_there(const fs::path& file) {
  std::error_code absent;
  return fs::exists(file, absent);
}

// Rank 0 has made it, but somebody may have removed it since. `part`, above it, is the user's own.
void make_folder(const fs::path& part, const fs::path& folder) {
  struct stat status {};
  if (::lstat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid())
    throw Error(part.string() + " is not a directory of this user");
  std::error_code failure;  // then no file can be made in it, which is reported
  fs::create_directories(folder, failure);
}

}  // namespace

SpoolDelivery::SpoolDelivery(fs::path spool, fs::path store, std::string user, std::string step,
                             CarrierLimits limits)
    : spool_(std::move(spool)),
      store_(std::move(store)),
      user_(std::move(user)),
      step_(std::move(step)),
      carrier_(std::move(limits)) {}

std::set<fs::path> SpoolDelivery::folders() const {
  std::vector<fs::path> found = {spool_};
  constexpr int kLevels = 4;  // user, label, ranks, parts
  std::size_t level = 0;
  for (int i = 0; i < kLevels; ++i)
    for (const std::size_t end = found.size(); level < end; ++level)
      for (fs::path& folder : folders_of(found[level]))
        if (found.size() < kMostFolders) found.push_back(std::move(folder));
  return {found.begin(), found.end()};
}

void SpoolDelivery::deliver() noexcept {
  try {
    for (const fs::path& folder : folders()) {
      const fs::path label = folder.parent_path();
      if (label.parent_path().parent_path() != spool_ || entries_of(folder).empty()) continue;
      const fs::path part = store_.part_of(user_);
      const fs::path to = part / label.filename() / folder.filename();
      make_folder(part, to);
      deliver_folder(folder, to);
    }
    for (auto& [from, brought] : brought_)
      if (!is_there(from)) forget_removed_parts(PartsFolder(from), brought);
  } catch (...) {  // once more, the next time
  }
}

void SpoolDelivery::deliver_folder(const fs::path& from, const fs::path& to) {
  for (const fs::path& entry : entries_of(from)) {
    try {
      deliver_entry(entry, to);
    } catch (const TooLarge& error) {
      say_left_out(to, error.what());
    } catch (const std::exception&) {  // another file may be luckier, and this one the next time
    }
  }
}

void SpoolDelivery::deliver_entry(const fs::path& from, const fs::path& to) {
  const std::string name = from.filename().string();
  if (store::Store::is_profile_of_any_run(name))
    deliver_profile(from, to / name);
  else if (name.starts_with(store::Store::kSaidPrefix))
    deliver_file(from, to / name);
  else if (const auto profile = PartsFolder::profile_of(name))
    deliver_parts(PartsFolder(from), PartsFolder(to / name), to / *profile);
}

void SpoolDelivery::say_left_out(const fs::path& to, const std::string& why) {
  if (said_.size() >= kMostFolders || !said_.insert(to).second) return;
  try {
    files::AtomicFile file(
        to / fmt::format("{}{}-courier{}", store::Store::kSaidPrefix, step_, ::getpid()));
    file.write(fmt::format("not measured: {}\n", why));
    file.commit_soon();
  } catch (const std::exception&) {
    said_.erase(to);  // the next time
  }
}

void SpoolDelivery::deliver_file(const fs::path& from, const fs::path& to) {
  carrier_.carry(from, to);
  ::unlink(from.c_str());
}

void SpoolDelivery::deliver_profile(const fs::path& from, const fs::path& to) {
  deliver_file(from, to);
  for (const fs::path& folder : folders_of(to.parent_path()))
    if (PartsFolder::profile_of(folder.filename().string()) == to.filename().string())
      PartsFolder(folder).remove();
}

void SpoolDelivery::deliver_parts(const PartsFolder& from, const PartsFolder& to,
                                  const fs::path& profile) {
  if (brought_.size() >= kMostFolders && !brought_.contains(from.path())) return;
  Brought& brought = brought_.try_emplace(from.path(), to).first->second;
  // Without a folder there, a profile of that name says that another rank has ended the run.
  const bool ended = !to.exists() && (!brought.files.empty() || is_there(profile));
  if (ended) {
    brought.over = true;
    ::unlink(from.order_file().c_str());
  }
  if (brought.over) return;
  const bool changed = bring_new_parts(from, brought);
  follow_order(from, profile, changed, brought);
  forget_removed_parts(from, brought);
}

// Returns true if there were any.
bool SpoolDelivery::bring_new_parts(const PartsFolder& from, Brought& brought) {
  bool any = false;
  for (const fs::path& file : entries_of(from.path())) {
    const std::string name = file.filename().string();
    if (!PartsFolder::is_part(name)) continue;
    const auto time = changed(file);
    if (const auto known = brought.files.find(name);
        known != brought.files.end() && known->second == time)
      continue;
    brought.to.make();
    carrier_.overwrite(file, brought.to.path() / name);
    brought.files[name] = time;
    any = true;
  }
  return any;
}

// A rank that ends removes its files, maybe while they are brought.
void SpoolDelivery::forget_removed_parts(const PartsFolder& from, Brought& brought) {
  bool any = false;
  for (const auto& [name, time] : brought.files) {
    if (is_there(from.path() / name)) continue;
    any = true;
    ::unlink((brought.to.path() / name).c_str());
  }
  if (any) ::rmdir(brought.to.path().c_str());  // the last node's succeeds
}

void SpoolDelivery::follow_order(const PartsFolder& from, const fs::path& profile,
                                 bool parts_changed, Brought& brought) {
  const auto time = changed(from.order_file());
  const auto order = from.order();
  if (!order || (time == brought.ordered && !parts_changed)) return;
  if (brought.ordered == fs::file_time_type{})
    Parts::remove_stale(profile.parent_path(), fs::file_time_type::clock::now() - 1h);
  pace_merge(brought.to);
  brought.to.merge(profile, *order);
  brought.ordered = time;
  if (order->state != RunState::kEnded) return;
  brought.over = true;
  from.remove();
}

// Reading them all is work as well.
void SpoolDelivery::pace_merge(const PartsFolder& parts) const {
  std::uint64_t bytes = 0;
  const std::vector<fs::path> files = entries_of(parts.path());
  for (const fs::path& file : files) {
    std::error_code absent;
    const std::uint64_t size = fs::file_size(file, absent);
    if (!absent) bytes += size;
  }
  if (files.size() >= kMostEntries || bytes > kMostMergedBytes)
    throw TooLarge(fmt::format("{} has {} files of {} bytes, and a profile is made of {} with {}",
                               parts.path().filename().string(), files.size(), bytes,
                               kMostEntries - 1, kMostMergedBytes));
  carrier_.pace(bytes);
}

}  // namespace huddle::recorder
