#include "aggregator/operations/launch/calibration_launch.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "aggregator/render/output.hpp"
#include "aggregator/operations/launch/watched_child.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

// One rank on every core of every node, node by node.
Plan plan_for(const NodeTopology& node, std::size_t nodes) {
  Plan plan;
  plan.chosen.nodes = static_cast<std::uint32_t>(nodes);
  for (std::uint32_t index = 0; index < plan.chosen.nodes; ++index)
    for (const NodeTopology::Core& core : node.cores) plan.placement.push_back({{index}, core.pus});
  plan.ranks = static_cast<std::uint32_t>(plan.placement.size());
  return plan;
}

std::string new_folder() {
  std::string pattern = (fs::temp_directory_path() / "huddle-calibration-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw SystemError("create", pattern, errno);
  return pattern;
}

std::string placement_file(LauncherKind kind, const Plan& plan,
                           const std::vector<std::string>& hosts) {
  switch (kind) {
    case LauncherKind::kMpich:
      return mpich_host_file(plan, hosts);
    case LauncherKind::kSlurm:
      return slurm_host_file(plan, hosts);
    case LauncherKind::kOpenMpi:
      break;
  }
  return openmpi_rankfile(plan, hosts);
}

}  // namespace

LauncherKind kind_of_launcher(const std::vector<std::string>& launcher) {
  const std::string name = fs::path(launcher.front()).filename().string();
  if (name == "srun") return LauncherKind::kSlurm;
  if (name.find("mpich") != std::string::npos || name.find("hydra") != std::string::npos)
    return LauncherKind::kMpich;
  const std::string version = output_of({launcher.front(), "--version"});
  return version.find("HYDRA") != std::string::npos ? LauncherKind::kMpich : LauncherKind::kOpenMpi;
}

std::vector<std::string> hosts_of_allocation() {
  const char* const list = std::getenv("SLURM_JOB_NODELIST");  // NOLINT(concurrency-mt-unsafe)
  if (list == nullptr || *list == '\0') return {};
  std::istringstream names(output_of({"scontrol", "show", "hostnames", list}));
  std::vector<std::string> hosts;
  for (std::string name; names >> name;) hosts.push_back(name);
  if (hosts.empty())
    throw Error(fmt::format("scontrol does not say what nodes {} are: name them by --hosts",
                            shortened(list)));
  return hosts;
}

CalibrationLaunch::CalibrationLaunch(std::vector<std::string> launcher,
                                     std::vector<std::string> hosts, const NodeTopology& node)
    : launcher_(std::move(launcher)), kind_(kind_of_launcher(launcher_)) {
  if (hosts.empty()) hosts = {"localhost"};
  const Plan plan = plan_for(node, hosts.size());
  ranks_ = plan.ranks;
  for (const NodeTopology::Core& core : node.cores)
    pus_ += fmt::format("{}{}", pus_.empty() ? "" : ",", core.first_pu);
  folder_ = new_folder();
  file_ = folder_ + "/placement";
  put_out(placement_file(kind_, plan, hosts), file_);
}

CalibrationLaunch::~CalibrationLaunch() {
  std::error_code left_behind;
  fs::remove_all(folder_, left_behind);
}

std::vector<std::string> CalibrationLaunch::command(const std::vector<std::string>& program) const {
  std::vector<std::string> words = launcher_;
  const std::string ranks = fmt::format("{}", ranks_);
  switch (kind_) {
    case LauncherKind::kOpenMpi:
      words.insert(words.end(),
                   {"-np", ranks, "--mca", "rmaps_rank_file_physical", "1", "--rankfile", file_});
      break;
    case LauncherKind::kMpich:
      words.insert(words.end(), {"-n", ranks, "-f", file_, "-bind-to", "user:" + pus_});
      break;
    case LauncherKind::kSlurm:
      ::setenv("SLURM_HOSTFILE", file_.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
      words.insert(words.end(), {"-n", ranks, "--distribution=arbitrary", "--exact",
                                 "--cpu-bind=map_cpu:" + pus_});
      break;
  }
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace huddle
