#include "spank_plugin/keeper/clock_envelope.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

void check_clock(const EnvelopeClock& clock) {
  const frequency::ClockLimits& limits = clock.limits;
  if (clock.pus.empty())
    throw Error(fmt::format("the clock of policy {} is no PU's", clock.policy));
  if (limits.least_khz == 0 || limits.most_khz < limits.least_khz ||
      limits.most_khz > frequency::ClockLimits::kMostKhz)
    throw Error(
        fmt::format("policy {} can't be kept within {} kHz", clock.policy, text_of(limits)));
  if (std::adjacent_find(clock.steps_khz.begin(), clock.steps_khz.end(), std::greater_equal<>()) !=
      clock.steps_khz.end())
    throw Error(fmt::format("the steps of policy {} do not ascend", clock.policy));
}

void check_envelope(const std::vector<EnvelopeClock>& clocks) {
  if (clocks.empty()) throw Error("there is no clock that may be changed");
  std::set<std::uint32_t> policies;
  std::set<std::uint32_t> pus;
  for (const EnvelopeClock& clock : clocks) {
    check_clock(clock);
    if (!policies.insert(clock.policy).second)
      throw Error(fmt::format("policy {} comes twice", clock.policy));
    for (const std::uint32_t pu : clock.pus.members())
      if (!pus.insert(pu).second) throw Error(fmt::format("PU {} has two clocks", pu));
  }
}

files::OwnedDescriptor opened_control(const files::OwnedDescriptor& policy, const char* file,
                                      int how) {
  // A sysfs has no FIFOs; what waits for nobody does not wait for one that is put there either.
  files::OwnedDescriptor control(
      ::openat(policy.number(), file, how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (control.valid() && (::fstat(control.number(), &status) != 0 || !S_ISREG(status.st_mode))) {
    control.close();
    errno = EINVAL;
  }
  return control;
}

}  // namespace

ClockEnvelope::ClockEnvelope(std::vector<EnvelopeClock> clocks, const std::filesystem::path& sysfs)
    : clocks_(std::move(clocks)) {
  check_envelope(clocks_);
  const std::string folder = (sysfs / "devices/system/cpu/cpufreq").string();
  const files::OwnedDescriptor cpufreq(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!cpufreq.valid()) throw SystemError("open", folder, errno);
  for (const EnvelopeClock& clock : clocks_) {
    const std::string name = fmt::format("policy{}", clock.policy);
    const files::OwnedDescriptor policy(
        ::openat(cpufreq.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!policy.valid()) throw SystemError("open", folder + "/" + name, errno);
    Files files;
    files.most = opened_control(policy, "scaling_max_freq", O_WRONLY);
    if (!files.most.valid())
      throw SystemError("open", folder + "/" + name + "/scaling_max_freq", errno);
    files.current = opened_control(policy, "scaling_cur_freq", O_RDONLY);
    files_.push_back(std::move(files));
  }
}

int ClockEnvelope::write_most(std::size_t clock, std::uint32_t khz) const noexcept {
  const frequency::ClockLimits& limits = clocks_[clock].limits;
  if (khz < limits.least_khz || khz > limits.most_khz) return EINVAL;
  std::array<char, 16> text{};
  char* end = std::to_chars(text.data(), text.data() + text.size() - 1, khz).ptr;
  // The line's end makes a shorter number whole in a plain file too, which keeps what was behind.
  *end++ = '\n';
  const auto size = end - text.data();
  ssize_t written = 0;
  do {
    written = ::pwrite(files_[clock].most.number(), text.data(), static_cast<std::size_t>(size), 0);
  } while (written < 0 && errno == EINTR);
  if (written < 0) return errno;
  return written == size ? 0 : EIO;
}

std::uint32_t ClockEnvelope::current_khz(std::size_t clock) const noexcept {
  if (!files_[clock].current.valid()) return 0;
  std::array<char, 32> text{};
  const ssize_t size = ::pread(files_[clock].current.number(), text.data(), text.size(), 0);
  if (size <= 0) return 0;
  const std::string_view all(text.data(), static_cast<std::size_t>(size));
  return frequency::parse_khz(all.substr(0, all.find('\n'))).value_or(0);
}

}  // namespace huddle::keeper
