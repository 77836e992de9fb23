#include "spank_plugin/launch/job_age.hpp"

#include <fmt/format.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace huddle {
namespace {

struct Process {
  std::string name;
  pid_t parent = 0;
  /// In ticks since the system began.
  unsigned long long start = 0;
};

std::optional<Process> process_of(pid_t number) {
  std::ifstream file(fmt::format("/proc/{}/stat", number));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // "1234 (any name) S 1 ...": the name may hold spaces and brackets.
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  Process process;
  process.name = text.substr(begin + 1, end - begin - 1);
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  fields >> skipped >> process.parent;
  constexpr int kBetween = 17;  // the start is the 22nd field, the parent is the 4th
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  fields >> process.start;
  if (!fields) return std::nullopt;
  return process;
}

}  // namespace

std::optional<Seconds> age_of_batch_script() {
  std::optional<Process> process = process_of(::getpid());
  constexpr int kDeepest = 100;
  for (int depth = 0; process && depth < kDeepest; ++depth) {
    const std::optional<Process> parent = process_of(process->parent);
    if (parent && parent->name == "slurmstepd") {
      timespec now{};
      const long ticks = ::sysconf(_SC_CLK_TCK);
      if (ticks <= 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
      const double age = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
                         static_cast<double>(process->start) / static_cast<double>(ticks);
      return Seconds{std::max(age, 0.0)};
    }
    process = parent;
  }
  return std::nullopt;
}

}  // namespace huddle
