#include "profiles/files/trusted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <system_error>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::files {
namespace {

void check(const std::filesystem::path& path, const struct stat& status, std::uint64_t limit) {
  const uid_t reader = ::geteuid();
  const auto refuse = [&](const std::string& found) {
    throw UntrustedFile(
        fmt::format("{} {}: {} reads only regular files that root owns and nobody "
                    "else may write to",
                    path.string(), found, reader == 0 ? "root" : "Huddle"));
  };
  if (!S_ISREG(status.st_mode)) refuse("is no regular file");
  if (status.st_uid != 0 && status.st_uid != reader)
    refuse(fmt::format("belongs to user {}", status.st_uid));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    refuse(fmt::format("has mode {:o}", status.st_mode & 07777));
  if (static_cast<std::uint64_t>(status.st_size) > limit)
    throw Error(
        fmt::format("{} has {} bytes, expected at most {}", path.string(), status.st_size, limit));
}

// A sentence about what others could do to a part of a path; empty: nothing.
std::string why_changeable(const std::filesystem::path& part, const struct stat& status) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return fmt::format("{} belongs to user {}", part.string(), status.st_uid);
  const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (!S_ISLNK(status.st_mode) && !is_sticky && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("{} has mode {:o}", part.string(), status.st_mode & 07777);
  return {};
}

}  // namespace

std::string read_trusted_file(const std::filesystem::path& path, std::uint64_t limit) {
  const int links = ::geteuid() == 0 ? O_NOFOLLOW : 0;
  const OpenFile file(::open(path.c_str(), O_RDONLY | links | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
                      path.string());
  if (file.descriptor() < 0 && errno == ELOOP)
    throw UntrustedFile(fmt::format(
        "{} is a link, which root does not follow: name the file itself", path.string()));
  if (file.descriptor() < 0) throw SystemError("open", path.string(), errno);
  const struct stat status = file.status();
  check(path, status, limit);
  return file.read(static_cast<std::size_t>(status.st_size));
}

std::string why_untrusted(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;
  const fs::path whole = fs::absolute(path);
  std::deque<fs::path> left(whole.begin(), whole.end());
  fs::path reached;  // which no link is a part of
  for (int links = 0; !left.empty();) {
    const fs::path name = left.front();
    left.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      reached = reached.parent_path();
      continue;
    }
    const fs::path part = reached / name;  // which is "/" for a name of "/"
    struct stat status {};
    if (::lstat(part.c_str(), &status) != 0)
      return errno == ENOENT || errno == ENOTDIR
                 ? std::string()
                 : fmt::format("{}: {}", part.string(), std::generic_category().message(errno));
    if (std::string why = why_changeable(part, status); !why.empty()) return why;
    if (!S_ISLNK(status.st_mode)) {
      reached = part;
      continue;
    }
    if (++links > kMostLinks) return fmt::format("{} is a link of too many", part.string());
    const fs::path target = fs::read_symlink(part);
    left.insert(left.begin(), target.begin(), target.end());
  }
  return {};
}

}  // namespace huddle::files
