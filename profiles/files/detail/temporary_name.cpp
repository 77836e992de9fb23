#include "profiles/files/detail/temporary_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>

namespace huddle::files {

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  // The leading dot keeps it out of every listing of the store.
  return path.parent_path() / fmt::format(".{}.{}.{}.{}.{}.tmp", path.filename().string(),
                                          host.data(), getpid(), now, counter++);
}

}  // namespace huddle::files
