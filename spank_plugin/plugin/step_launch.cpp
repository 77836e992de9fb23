#include "spank_plugin/plugin/step_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/job_environment.hpp"
#include "spank_plugin/plugin/decided_variables.hpp"
#include "spank_plugin/plugin/node_names.hpp"
#include "spank_plugin/plugin/say.hpp"
#include "spank_plugin/plugin/slurm_options.hpp"
#include "spank_plugin/plugin/step_frequency.hpp"

namespace huddle {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): srun reads its options in one thread

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string placed_by_user(const SlurmOptions& options) {
  for (const char* name : {"distribution", "nodelist", "cpu-bind", "relative", "overcommit"})
    if (options.is_set(name)) return name;
  return {};
}

// Slurm says how many the job has where the user says nothing, so only fewer are the user's wish.
// (More, as the job was submitted with, the job does not have.)
bool wants_fewer_nodes(const SlurmOptions& options, const Plan& plan) {
  const std::string text = options.get("nodes");
  std::string_view most = text;
  if (const auto dash = most.find('-'); dash != std::string_view::npos)
    most.remove_prefix(dash + 1);
  std::uint32_t nodes = 0;
  const auto [end, failure] = std::from_chars(most.data(), most.data() + most.size(), nodes);
  return failure == std::errc{} && end == most.data() + most.size() && nodes != 0 &&
         nodes < plan.chosen.nodes;
}

// A step of a measured job whose ranks the user binds or places is measured, but not moved.
void keep_what_user_places() {
  if (variable(kMoveRanksVariable) != "1") return;
  const auto options = SlurmOptions::of_this_process();
  const bool placed = !options || !placed_by_user(*options).empty() || options->is_set("overlap");
  if (placed && !starts_a_launcher()) ::setenv(kMoveRanksVariable, "0", 1);
}

void follow(const Plan& plan, const std::string& plan_file, const SlurmOptions& options) {
  const std::vector<std::string> nodes = expand_node_names(variable("SLURM_JOB_NODELIST"));
  if (const auto refused = options.set_all({{"nodes", std::to_string(plan.chosen.nodes)},
                                            {"distribution", "arbitrary"},
                                            {"nodelist", slurm_node_list(plan, nodes)}}))
    throw Error(fmt::format("Slurm does not take --{} from a plugin", *refused));
  if (::setenv(kStepPlanVariable, plan_file.c_str(), 1) != 0)
    throw SystemError("set", kStepPlanVariable, errno);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

bool starts_a_launcher() {
  constexpr std::array<std::string_view, 4> kDaemons = {"orted", "prted", "hydra_pmi_proxy",
                                                        "hydra_bstrap_proxy"};
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) {
    const std::string name = std::filesystem::path(word).filename();
    if (std::find(kDaemons.begin(), kDaemons.end(), name) != kDaemons.end()) return true;
  }
  return false;
}

void lay_out_step(const OptionValue& option) {
  if (option.is_off()) return forget_what_was_decided();
  ::unsetenv(kStepPlanVariable);  // that of a step which this one is started from;
                                  // NOLINT(concurrency-mt-unsafe)
  keep_what_user_places();
  const std::string plan_file = variable(kPlanVariable);
  if (plan_file.empty() || starts_a_launcher()) return;
  if (!variable("SLURM_HET_SIZE").empty()) return;  // the plan is for one part, srun may be for any
  const auto options = SlurmOptions::of_this_process();
  if (!options) throw Error("this Slurm does not show its options to plugins");
  const Plan plan = load_plan(plan_file);
  if (options->get("ntasks") != std::to_string(plan.ranks)) return;
  std::string own = placed_by_user(*options);
  if (own.empty() && wants_fewer_nodes(*options, plan)) own = "nodes";
  if (!own.empty())
    return say("this step's ranks go where --{} says, not where the plan says", own);
  follow(plan, plan_file, *options);
  set_step_frequency(plan);
}

}  // namespace huddle
