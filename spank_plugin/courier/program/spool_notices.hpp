#pragma once

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>
#include <utility>

namespace huddle {

/// The kernel's notices of what appears in a spool. Where there are none its descriptor is below 0.
/// Owned by one thread.
class SpoolNotices {
 public:
  SpoolNotices() : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}
  ~SpoolNotices() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  SpoolNotices(const SpoolNotices&) = delete;
  SpoolNotices& operator=(const SpoolNotices&) = delete;

  /// These from now on. False if they are watched already.
  bool watch(std::set<std::filesystem::path> folders) {
    if (folders == watched_) return false;
    for (const std::filesystem::path& folder : folders)
      ::inotify_add_watch(descriptor_, folder.c_str(),
                          IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR);
    watched_ = std::move(folders);
    return true;
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void drain() const {
    std::array<char, 4096> notices{};
    while (descriptor_ >= 0 && ::read(descriptor_, notices.data(), notices.size()) > 0) {
    }
  }

 private:
  int descriptor_;
  std::set<std::filesystem::path> watched_;
};

}  // namespace huddle
