#include "profiles/recorder/delivery/spool_delivery.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/recorder/profile/parts.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A spool is in the node's memory; no rank leaves more there.
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30U;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure))
    entries.push_back(it->path());
  return entries;
}

std::vector<fs::path> folders_of(const fs::path& folder) {
  std::vector<fs::path> folders = entries_of(folder);
  std::erase_if(folders, [](const fs::path& path) {
    std::error_code failure;
    return fs::symlink_status(path, failure).type() != fs::file_type::directory;
  });
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

SpoolDelivery::SpoolDelivery(fs::path spool, fs::path store, std::string user)
    : spool_(std::move(spool)), store_(std::move(store)), user_(std::move(user)) {}

std::set<fs::path> SpoolDelivery::folders() const {
  std::set<fs::path> found = {spool_};
  for (const fs::path& user : folders_of(spool_)) {
    found.insert(user);
    for (const fs::path& label : folders_of(user)) {
      found.insert(label);
      for (const fs::path& ranks : folders_of(label)) {
        found.insert(ranks);
        for (const fs::path& parts : folders_of(ranks)) found.insert(parts);
      }
    }
  }
  return found;
}

void SpoolDelivery::deliver() noexcept {
  try {
    const fs::path part = store_.part_of(user_);
    for (const fs::path& user : folders_of(spool_))
      for (const fs::path& label : folders_of(user))
        for (const fs::path& ranks : folders_of(label)) {
          const fs::path to = part / label.filename() / ranks.filename();
          make_folder(part, to);
          deliver_folder(ranks, to);
        }
    for (auto& [from, brought] : brought_)
      if (!is_there(from)) forget_removed_parts(PartsFolder(from), brought);
  } catch (...) {  // once more, the next time
  }
}

void SpoolDelivery::deliver_folder(const fs::path& from, const fs::path& to) {
  for (const fs::path& entry : entries_of(from)) {
    const std::string name = entry.filename().string();
    try {
      if (Store::is_profile_of_any_run(name))
        deliver_profile(entry, to / name);
      else if (name.starts_with(Store::kSaidPrefix))
        deliver_file(entry, to / name);
      else if (const auto profile = PartsFolder::profile_of(name))
        deliver_parts(PartsFolder(entry), PartsFolder(to / name), to / *profile);
    } catch (const std::exception&) {  // another file may be luckier, and this one the next time
    }
  }
}

void SpoolDelivery::deliver_file(const fs::path& from, const fs::path& to) {
  AtomicFile file(to);
  file.write(read_file(from, kLargestFile));
  file.commit();
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

// Whether there were any.
bool SpoolDelivery::bring_new_parts(const PartsFolder& from, Brought& brought) {
  bool any = false;
  for (const fs::path& file : entries_of(from.path())) {
    const std::string name = file.filename().string();
    if (!PartsFolder::is_part(name)) continue;
    const auto time = changed(file);
    if (const auto known = brought.files.find(name);
        known != brought.files.end() && known->second == time)
      continue;
    const std::string text = read_file(file, kLargestFile);
    brought.to.make();
    PartsFolder::write(brought.to.path() / name, text);
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
  brought.to.merge(profile, *order);
  brought.ordered = time;
  if (order->state != RunState::kEnded) return;
  brought.over = true;
  from.remove();
}

}  // namespace huddle::recorder
