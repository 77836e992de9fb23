#include "aggregator/commands/setup/setup_parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

bool is_own(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == ::geteuid();
}

}  // namespace

std::string why_no_store(const std::filesystem::path& directory) {
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0) return {};
  if (S_ISLNK(status.st_mode))
    return fmt::format("{} is a link: name the directory that it leads to", directory.string());
  if (!S_ISDIR(status.st_mode))
    return fmt::format("{} is no directory: name another one", directory.string());
  if (!is_own(status))
    return fmt::format(
        "{} belongs to user {}, who could replace what is in it: let root own it, or "
        "name another one",
        directory.string(), status.st_uid);
  return {};
}

void make_store_directory(const std::filesystem::path& directory) {
  const auto fails = [&] { return SystemError("make the directory", directory.string(), errno); };
  const std::string name = directory.filename().string();
  const files::OwnedDescriptor parent(
      ::open(directory.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid() || ::mkdirat(parent.number(), name.c_str(), 0700) != 0) throw fails();
  const files::OwnedDescriptor made(
      ::openat(parent.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!made.valid() || ::fstat(made.number(), &status) != 0) throw fails();
  // Who may write to the parent may have moved another directory here: as it was made, or not at
  // all.
  constexpr nlink_t kMostLinksOfEmpty = 2;
  if (status.st_uid != ::geteuid() || (status.st_mode & 0777U) != 0700 ||
      status.st_nlink > kMostLinksOfEmpty)
    throw Error(
        fmt::format("{} was replaced while it was made, or its file system takes this user for "
                    "another one: make it by hand (mode 1777), where nobody else writes to {}",
                    directory.string(), directory.parent_path().string()));
  if (::fchmod(made.number(), 01777) != 0) throw fails();
}

}  // namespace huddle::cli
