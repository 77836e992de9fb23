#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/keeper/step_keeper.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::keeper {

inline constexpr std::uint32_t kLeastKhz = 1'200'000;
inline constexpr std::uint32_t kTopKhz = 2'400'000;

// A sysfs of plain files, of which a step has the first `clocks` policies, of `shared` PUs each,
// and another step the last one.
struct NodeOfFiles {
  explicit NodeOfFiles(std::uint32_t clocks = 2, std::uint32_t shared = 1,
                       std::vector<std::uint32_t> steps = {}) {
    for (std::uint32_t i = 0; i <= clocks; ++i) {
      store::put_file(file(i, "scaling_max_freq"), fmt::format("{}\n", 3'000'000));
      store::put_file(file(i, "scaling_min_freq"), "1000000\n");
      store::put_file(file(i, "scaling_cur_freq"), fmt::format("{}\n", 1'000'000 + i));
      store::put_file(file(i, "scaling_governor"), "schedutil\n");
      if (i == clocks) break;
      EnvelopeClock clock{i, {}, {kLeastKhz, kTopKhz}, steps};
      for (std::uint32_t pu = i * shared; pu < (i + 1) * shared; ++pu) clock.pus.add(pu);
      envelope.push_back(clock);
    }
  }

  [[nodiscard]] std::filesystem::path file(std::uint32_t policy, const std::string& name) const {
    const auto folder = scratch.path() / fmt::format("devices/system/cpu/cpufreq/policy{}", policy);
    std::filesystem::create_directories(folder);
    return folder / name;
  }
  // The number in the file, as Linux would read it.
  [[nodiscard]] std::uint32_t most(std::uint32_t policy) const {
    const std::string text = store::get_file(file(policy, "scaling_max_freq"));
    return frequency::parse_khz(std::string_view(text).substr(0, text.find('\n'))).value_or(0);
  }
  // All files but the upper limits of the step.
  [[nodiscard]] std::map<std::string, std::string> other_files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
      if (entry.is_regular_file()) files[entry.path().string()] = store::get_file(entry.path());
    for (const EnvelopeClock& clock : envelope)
      files.erase(file(clock.policy, "scaling_max_freq").string());
    return files;
  }

  store::TemporaryDirectory scratch;
  std::vector<EnvelopeClock> envelope;
};

inline bool happens(const std::function<bool()>& what,
                    std::chrono::milliseconds patience = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!what()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

inline files::OwnedDescriptor listening_at(const std::filesystem::path& path) {
  files::OwnedDescriptor listening(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::bind(listening.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening.number(), 64) != 0)
    throw SystemError("listen at", name, errno);
  return listening;
}

// A connection that says nothing by itself.
inline files::OwnedDescriptor bare_connection(const std::filesystem::path& path) {
  files::OwnedDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw SystemError("ask", name, errno);
  return socket;
}

// A keeper of a node of files, in a thread, which ends with the object.
class KeptNode {
 public:
  explicit KeptNode(NodeOfFiles& node, std::function<void(KeeperSettings&)> change = nullptr)
      : envelope_(node.envelope, node.scratch.path()),
        socket_(node.scratch.path() / "keeper"),
        listening_(listening_at(socket_)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
    control_ = files::OwnedDescriptor(ends[0]);
    held_ = files::OwnedDescriptor(ends[1]);
    KeeperSettings settings;
    settings.user = ::geteuid();
    settings.is_member = [](pid_t) { return true; };
    if (change) change(settings);
    thread_ = std::thread([this, settings] {
      result_ = keep_clocks(envelope_, settings, listening_.number(), control_.number());
    });
  }
  ~KeptNode() { end(); }
  KeptNode(const KeptNode&) = delete;
  KeptNode& operator=(const KeptNode&) = delete;

  // Ends it as slurmstepd does, and returns what it returned.
  int end() {
    held_.close();
    if (thread_.joinable()) thread_.join();
    return result_;
  }
  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
  KeeperClient rank(const std::string& pus) const {
    return KeeperClient::connect(socket_, PuSet::parse(pus), std::chrono::seconds(5));
  }

 private:
  ClockEnvelope envelope_;
  std::filesystem::path socket_;
  files::OwnedDescriptor listening_;
  files::OwnedDescriptor control_;
  files::OwnedDescriptor held_;
  std::thread thread_;
  int result_ = -1;
};

}  // namespace huddle::keeper
