#include "spank_plugin/keeper/keeper_socket.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/unix_socket.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/detached/run_directory.hpp"

namespace huddle::keeper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "keeper-";
constexpr int kWaitingRanks = 128;

const struct sockaddr* generic(const struct sockaddr_un& address) {
  return reinterpret_cast<const struct sockaddr*>(&address);  // NOLINT: as the C library wants it
}

// A keeper that is busy counts as one that listens.
bool listens(const fs::path& path) {
  const struct sockaddr_un address = files::socket_address(path);
  const files::OwnedDescriptor socket = files::new_packet_socket();
  return ::connect(socket.number(), generic(address), sizeof(address)) == 0 || errno == EAGAIN;
}

void remove_those_of_the_dead(const fs::path& run) {
  for (const std::string& name : files::names_in(run)) {
    struct stat status {};
    const fs::path path = run / name;
    if (name.starts_with(kPrefix) && ::lstat(path.c_str(), &status) == 0 &&
        S_ISSOCK(status.st_mode) && !listens(path))
      ::unlink(path.c_str());
  }
}

}  // namespace

fs::path new_keeper_socket(const fs::path& run) {
  std::array<std::uint64_t, 2> chance{};
  if (::getrandom(chance.data(), sizeof(chance), 0) != static_cast<ssize_t>(sizeof(chance)))
    throw SystemError("get a name of chance for", "a keeper's socket", errno);
  return run / fmt::format("{}{:016x}{:016x}", kPrefix, chance[0], chance[1]);
}

files::OwnedDescriptor listen_for_ranks(const fs::path& path, uid_t user) {
  detached::make_run_directory(path.parent_path());
  remove_those_of_the_dead(path.parent_path());
  // Under the name that ranks and other keepers look for there is never one that does not listen.
  const fs::path fresh = path.parent_path() / ("new." + path.filename().string());
  const struct sockaddr_un address = files::socket_address(fresh);
  files::OwnedDescriptor socket = files::new_packet_socket();
  ::unlink(fresh.c_str());
  if (::bind(socket.number(), generic(address), sizeof(address)) != 0 ||
      ::chmod(fresh.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      ::chown(fresh.c_str(), user, static_cast<gid_t>(-1)) != 0 ||
      ::listen(socket.number(), kWaitingRanks) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0) {
    const int failure = errno;
    ::unlink(fresh.c_str());
    throw SystemError("listen at", path.string(), failure);
  }
  return socket;
}

void remove_keeper_socket(const fs::path& path) noexcept {
  ::unlink(path.c_str());
}

}  // namespace huddle::keeper
