#include "spank_plugin/submission/trusted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
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

}  // namespace huddle
