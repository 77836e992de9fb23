#include "profiles/files/open_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::files {

OpenFile::OpenFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

struct stat OpenFile::status() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw SystemError("read", name_, errno);
  return status;
}

std::string OpenFile::read(std::size_t size) const {
  std::string content(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(descriptor_, content.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError("read", name_, errno);
    if (got == 0) break;  // cut while we read
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

void OpenFile::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw SystemError("write", name_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace huddle::files
