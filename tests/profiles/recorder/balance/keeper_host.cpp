// A keeper of clocks without Slurm: serves this user's processes at a socket until its standard
// input ends, within 1.2 to 2.4 GHz.
//
//     keeper_host SYSFS SOCKET
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"
#include "spank_plugin/keeper/clock_envelope.hpp"
#include "spank_plugin/keeper/step_keeper.hpp"

int main(int count, char** arguments) try {
  using namespace huddle;
  if (count != 3) return 2;
  const frequency::SysfsCpufreq files(arguments[1]);
  std::vector<keeper::EnvelopeClock> clocks;
  for (const auto& [number, pus] : frequency::pus_by_policy(files)) {
    const auto policy =
        frequency::read_policy(files, number, pus, frequency::driver_of(files, number));
    if (!policy) continue;
    std::vector<std::uint32_t> steps = policy->steps_khz;
    clocks.push_back({number, pus, {1'200'000, 2'400'000}, steps});
  }
  const keeper::ClockEnvelope envelope(clocks, arguments[1]);
  const int listening = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, arguments[2], sizeof address.sun_path - 1);
  if (::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening, 128) != 0) {
    std::perror(arguments[2]);
    return 1;
  }
  keeper::KeeperSettings settings;
  settings.user = ::getuid();
  settings.is_member = [](pid_t) { return true; };
  return keeper::keep_clocks(envelope, settings, listening, STDIN_FILENO);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
