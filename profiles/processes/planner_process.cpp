#include "profiles/processes/planner_process.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

std::vector<std::string> environment_of_planner() {
  constexpr std::array kPassed = {"HOME", "USER", "SLURM_CONF", "XDG_RUNTIME_DIR", "TMPDIR", "TZ"};
  // Slurm's other commands are where this one is. The system's folders may have those of another
  // Slurm, whom this one's controller does not answer.
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  std::vector<std::string> environment = {
      fmt::format("PATH={}{}/usr/local/bin:/usr/bin:/bin", own.string(), own.empty() ? "" : ":"),
      "LC_ALL=C.UTF-8"};
  for (const char* name : kPassed)
    // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one
    // thread
    if (const char* value = std::getenv(name))
      environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

}  // namespace

std::string output_of_planner(const std::string& program, const std::vector<std::string>& arguments,
                              std::string_view request, std::chrono::milliseconds time_limit) {
  constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
  std::vector<std::string> command = {program, "plan"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ChildResult result =
      run_child(command, time_limit, request, kMostOutput, environment_of_planner());
  if (result.timed_out)
    throw Error(fmt::format("{} plan took longer than {} s", program,
                            std::chrono::duration<double>(time_limit).count()));
  if (result.status != 0) {
    std::string_view line = std::string_view(result.errors).substr(0, result.errors.find('\n'));
    constexpr std::string_view kPrefix = "huddle: ";  // ours comes in front anyway
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    throw Error(fmt::format("{} plan failed with status {}: {}", program, result.status,
                            shortened(line, 200)));
  }
  return result.output;
}

}  // namespace huddle::processes
