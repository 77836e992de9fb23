#include "profiles/files/atomic_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "profiles/files/detail/temporary_name.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::files {

void AtomicFolder::check_free(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status))
    throw Error(fmt::format("can't make the folder {}: there is something else of that name",
                            path.string()));
  if (!std::filesystem::is_empty(path, error) || error)
    throw Error(
        fmt::format("can't make the folder {}: it exists and is not empty; remove it, or "
                    "name another one",
                    path.string()));
}

AtomicFolder::AtomicFolder(std::filesystem::path path)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  check_free(path_);
  if (::mkdir(temporary_.c_str(), 0755) != 0) {
    const int reason = errno;
    temporary_.clear();
    throw SystemError("create", path_.string(), reason);
  }
}

AtomicFolder::~AtomicFolder() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

// An empty folder of that name is replaced, as rename(2) does.
void AtomicFolder::commit() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw SystemError("rename into place", path_.string(), errno);
  temporary_.clear();
}

}  // namespace huddle::files
