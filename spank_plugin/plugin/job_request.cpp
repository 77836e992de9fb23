#include "spank_plugin/plugin/job_request.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/batch_script.hpp"

namespace huddle {
namespace {

constexpr std::string_view kHiddenEnvironment =
    "its steps would not see what was decided (--export without ALL)";

struct Obstacle {
  const char* option;
  std::string_view reason;
};

constexpr std::string_view kOwnPlacement = "you place ranks yourself";
constexpr std::string_view kOwnBinding = "you bind ranks yourself";
constexpr std::string_view kPerNode = "its meaning would change with fewer nodes";

// With one of these a plan could contradict what the user asked for.
constexpr std::array kObstacles = {
    Obstacle{"distribution", kOwnPlacement},
    Obstacle{"nodelist", kOwnPlacement},
    Obstacle{"nodefile", kOwnPlacement},
    Obstacle{"cpu-bind", kOwnBinding},
    Obstacle{"mem-bind", kOwnBinding},
    Obstacle{"ntasks-per-core", kOwnPlacement},
    Obstacle{"ntasks-per-socket", kOwnPlacement},
    Obstacle{"sockets-per-node", kOwnPlacement},
    Obstacle{"cores-per-socket", kOwnPlacement},
    Obstacle{"threads-per-core", kOwnPlacement},
    Obstacle{"core-spec", kOwnPlacement},
    Obstacle{"relative", kOwnPlacement},
    Obstacle{"oversubscribe", "you ask for shared nodes"},
    Obstacle{"overcommit", "you ask for several ranks a core"},
    Obstacle{"mem", kPerNode},
    Obstacle{"mincpus", kPerNode},
    Obstacle{"tmp", kPerNode},
    Obstacle{"gres", kPerNode},
    Obstacle{"gpus", kPerNode},
    Obstacle{"gpus-per-node", kPerNode},
    Obstacle{"gpus-per-socket", kPerNode},
    Obstacle{"gpus-per-task", kPerNode},
};

std::uint32_t read_count(std::string_view text, std::string_view option) {
  std::uint32_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{} || end != text.data() + text.size())
    throw Error(
        fmt::format("Slurm says --{} is \"{}\", which is not understood", option, shortened(text)));
  return count;
}

// "8", or the upper end of "4-8".
std::uint32_t most_nodes(std::string_view range) {
  if (const auto dash = range.find('-'); dash != std::string_view::npos)
    range.remove_prefix(dash + 1);
  return read_count(range, "nodes");
}

// "--export=ALL" and "--export=ALL,NAME=VALUE" hand on what we set; any other list does not.
bool hides_environment(const SlurmOptions& options) {
  if (!options.is_set("export")) return false;
  std::string names = options.get("export") + ',';
  for (std::size_t end = 0; (end = names.find(',')) != std::string::npos; names.erase(0, end + 1))
    if (names.substr(0, end) == "ALL") return false;
  return true;
}

bool heterogeneous() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return submits_several_parts(words);
}

// The other obstacles say nothing about where ranks are, nor about who else is there.
bool is_placed(const SlurmOptions& options) {
  for (const char* name : {"oversubscribe", "overcommit"})
    if (options.is_set(name)) return true;
  for (const auto& [option, reason] : kObstacles)
    if ((reason == kOwnPlacement || reason == kOwnBinding) && options.is_set(option)) return true;
  return false;
}

std::string find_obstacle(const SlurmOptions& options) {
  if (hides_environment(options)) return std::string(kHiddenEnvironment);
  if (heterogeneous()) return "it has several parts (a heterogeneous job)";
  for (const auto& [option, reason] : kObstacles)
    if (options.is_set(option)) return fmt::format("{} (--{})", reason, option);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  if (std::getenv("SLURM_HOSTFILE") != nullptr)
    return fmt::format("{} (SLURM_HOSTFILE)", kOwnPlacement);
  return {};
}

}  // namespace

JobRequest read_request(const SlurmOptions& options) {
  JobRequest request;
  request.label = options.get("job-name");
  request.only_tested = options.is_set("test-only");
  request.sets_frequency = options.is_set("cpu-freq");
  if (options.is_set("cpus-per-task"))
    request.cores_per_rank =
        std::max(read_count(options.get("cpus-per-task"), "cpus-per-task"), 1U);
  if (options.is_set("nodes")) request.nodes = most_nodes(options.get("nodes"));
  if (options.is_set("ntasks")) {
    request.ranks = read_count(options.get("ntasks"), "ntasks");
  } else {
    const std::uint32_t on_each =
        options.is_set("ntasks-per-node")
            ? read_count(options.get("ntasks-per-node"), "ntasks-per-node")
            : 1;
    request.ranks = std::max(request.nodes, 1U) * on_each;
  }
  request.why_not_packed = find_obstacle(options);
  if (hides_environment(options)) request.why_not_measured = kHiddenEnvironment;
  request.placed_by_user = is_placed(options);
  if (request.why_not_packed.empty() && (request.nodes == 1 || request.ranks == 1))
    request.why_not_packed = "it uses one node only";
  return request;
}

}  // namespace huddle
