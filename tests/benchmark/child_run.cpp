#include "tests/benchmark/child_run.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <span>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Report {
  bool complete = false;
  double wall_seconds = 0;
  double processor_seconds = 0;
  double peak_mib = 0;
  std::array<char, 256> failure{};
};

// Memory that parent and child share: a report, and the result behind it.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t numbers)
      : numbers_(numbers), bytes_(sizeof(Report) + numbers * sizeof(std::uint32_t)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw SystemError("can't map", "shared memory", errno);
    new (memory_) Report;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { munmap(memory_, bytes_); }

  [[nodiscard]] Report& report() const { return *static_cast<Report*>(memory_); }
  [[nodiscard]] std::span<std::uint32_t> numbers() const {
    return {static_cast<std::uint32_t*>(static_cast<void*>(&report() + 1)), numbers_};
  }

 private:
  std::size_t numbers_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

void work_and_report(const std::function<std::vector<std::uint32_t>()>& work,
                     const SharedMemory& memory) {
  Report& report = memory.report();
  reset_peak();
  const double processor_begin = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> result = work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  report.wall_seconds = wall.count();
  report.processor_seconds = processor_seconds() - processor_begin;
  report.peak_mib = peak_mib();
  if (result.size() != memory.numbers().size())
    throw Error(fmt::format("{} numbers came out, not {}", result.size(), memory.numbers().size()));
  std::copy(result.begin(), result.end(), memory.numbers().begin());
  report.complete = true;
}

[[noreturn]] void be_child(const std::function<std::vector<std::uint32_t>()>& work,
                           const SharedMemory& memory, unsigned limit_seconds) {
  alarm(limit_seconds);
  try {
    work_and_report(work, memory);
  } catch (const std::exception& error) {
    std::strncpy(memory.report().failure.data(), error.what(), memory.report().failure.size() - 1);
  }
  _exit(0);  // what the parent registered for its own end is not the child's business
}

// Nobody else sends this signal.
bool timed_out(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

std::string failure_of(const Report& report, int status, unsigned limit_seconds) {
  if (report.failure.front() != '\0') return report.failure.data();
  if (timed_out(status)) return fmt::format("> {} s", limit_seconds);
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  if (!report.complete) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return {};
}

}  // namespace

ChildRun run_in_child(const std::function<std::vector<std::uint32_t>()>& work, std::size_t size,
                      unsigned limit_seconds) {
  const SharedMemory memory(size);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw SystemError("can't start", "a child process", errno);
  if (child == 0) be_child(work, memory, limit_seconds);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw SystemError("can't wait for", "a child process", errno);
  const Report& report = memory.report();
  ChildRun run{{},
               report.wall_seconds,
               report.processor_seconds,
               report.peak_mib,
               failure_of(report, status, limit_seconds),
               timed_out(status)};
  if (run.failure.empty()) run.result.assign(memory.numbers().begin(), memory.numbers().end());
  return run;
}

}  // namespace huddle
