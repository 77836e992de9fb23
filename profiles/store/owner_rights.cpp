#include "profiles/store/owner_rights.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "profiles/vocabulary/error.hpp"

namespace huddle::store {
namespace {

std::vector<gid_t> groups_of_process() {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return groups;
}

bool take(uid_t user, gid_t group, const std::vector<gid_t>& groups) {
  return ::setgroups(groups.size(), groups.data()) == 0 && ::setegid(group) == 0 &&
         ::seteuid(user) == 0;
}

}  // namespace

OwnerRights::OwnerRights(const std::filesystem::path& folder) {
  struct stat status {};
  if (::geteuid() != 0 || ::lstat(folder.c_str(), &status) != 0 || status.st_uid == 0) return;
  group_ = ::getegid();
  groups_ = groups_of_process();
  const passwd* owner = ::getpwuid(status.st_uid);
  const gid_t group = owner != nullptr ? owner->pw_gid : status.st_gid;
  taken_ = take(status.st_uid, group, {group});
  if (taken_) return;
  const int error = errno;
  static_cast<void>(::seteuid(0) == 0 && take(0, group_, groups_));
  throw SystemError("read as its owner", folder.string(), error);
}

// A process that could not get its own rights back would go on with others than it believes.
OwnerRights::~OwnerRights() {
  if (!taken_) return;
  if (::seteuid(0) != 0 || !take(0, group_, groups_)) std::abort();
}

}  // namespace huddle::store
