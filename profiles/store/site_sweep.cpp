#include "profiles/store/site_sweep.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "profiles/store/owner_rights.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;
using TimePoint = std::chrono::system_clock::time_point;

// Where users can't be looked up nobody has left.
bool has_no_user(uid_t owner) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, std::size_t{64} << 10U> text{};
  return ::getpwuid_r(owner, &entry, text.data(), text.size(), &found) == 0 && found == nullptr;
}

bool is_of_a_departed_user(const fs::path& part) {
  struct stat status {};
  return ::lstat(part.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid != 0 &&
         has_no_user(status.st_uid);
}

TimePoint last_written(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) throw SystemError("look at", file.string(), errno);
  return std::chrono::system_clock::from_time_t(status.st_mtime);
}

bool was_written_since(const fs::path& part, TimePoint then) {
  if (last_written(part) >= then) return true;
  const fs::recursive_directory_iterator all(part);
  return std::any_of(begin(all), end(all),
                     [&](const auto& entry) { return last_written(entry.path()) >= then; });
}

void sweep_departed(const fs::path& part, TimePoint then, SiteSweep& sweep) {
  try {
    bool is_gone = false;
    {
      const OwnerRights as_owner(part);
      if (was_written_since(part, then)) return;
      for (const auto& entry : fs::directory_iterator(part)) fs::remove_all(entry.path());
      is_gone = ::rmdir(part.c_str()) == 0;
    }
    // The owner can't where the root of the store is not writable to all.
    if (!is_gone && ::rmdir(part.c_str()) != 0) throw SystemError("remove", part.string(), errno);
    sweep.departed.push_back(part);
  } catch (const fs::filesystem_error& error) {
    sweep.failures.emplace_back(error.what());
  } catch (const Error& error) {
    sweep.failures.emplace_back(error.what());
  }
}

void sweep_user(const Store& store, const std::string& user, const Retention& retention,
                TimePoint now, SiteSweep& sweep) {
  try {
    const OwnerRights as_owner(store.part_of(user));
    ++sweep.users;
    if (const auto result = sweep_now(store, user, retention, now))
      sweep.removed += result->removed;
  } catch (const Error& error) {
    sweep.failures.push_back(fmt::format("{}: {}", user, error.what()));
  }
}

}  // namespace

SiteSweep sweep_site(const Store& store, const Retention& retention, TimePoint now) {
  SiteSweep sweep;
  const StoredUsers users = store.users();
  for (const std::string& user : users.names) sweep_user(store, user, retention, now, sweep);
  if (retention.age.count() == 0) return sweep;
  for (const fs::path& part : users.passed_over)
    if (is_of_a_departed_user(part)) sweep_departed(part, now - retention.age, sweep);
  return sweep;
}

}  // namespace huddle::store
