#include "spank_plugin/frequency/cpufreq_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "profiles/files/folder_names.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::frequency {
namespace {

std::string path_of(std::uint32_t policy, const char* file) {
  return fmt::format("policy{}/{}", policy, file);
}

// While a CPU is switched on or off the kernel answers EBUSY at once (cpus_read_trylock in
// cpufreq's store).
constexpr int kTries = 3;
constexpr std::chrono::microseconds kPause{300};

int write_once(int directory, const std::string& path, std::string_view value) {
  const int file =
      ::openat(directory, path.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t written = ::write(file, value.data(), value.size());
  int failure = written < 0 ? errno : 0;
  if (written >= 0 && static_cast<std::size_t>(written) != value.size()) failure = EIO;
  if (::close(file) != 0 && failure == 0) failure = errno;
  return failure;
}

}  // namespace

SysfsCpufreq::SysfsCpufreq(const std::filesystem::path& sysfs)
    : directory_(sysfs / "devices/system/cpu/cpufreq"),
      opened_(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

std::vector<std::uint32_t> SysfsCpufreq::policies() const {
  constexpr std::string_view kPrefix = "policy";
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : files::names_in(directory_)) {
    if (!name.starts_with(kPrefix)) continue;
    if (const auto number = number_in<std::uint32_t>(std::string_view(name).substr(kPrefix.size())))
      numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::optional<std::string> SysfsCpufreq::read(std::uint32_t policy, const char* file) const {
  const files::OwnedDescriptor open_file(::openat(opened_.number(), path_of(policy, file).c_str(),
                                                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!open_file.valid()) return std::nullopt;
  std::array<char, 4096> text{};  // what a file of sysfs holds at most
  ssize_t size = 0;
  do {
    size = ::read(open_file.number(), text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  const std::string_view all(text.data(), static_cast<std::size_t>(size));
  return std::string(all.substr(0, all.find('\n')));
}

int SysfsCpufreq::write(std::uint32_t policy, const char* file, std::string_view value) {
  const std::string path = path_of(policy, file);
  int failure = 0;
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    failure = write_once(opened_.number(), path, value);
    if (failure != EBUSY && failure != EINTR) break;
  }
  return failure;
}

}  // namespace huddle::frequency
