// huddle_clocks: what of Huddle runs as root beside Slurm's own processes. slurmstepd starts
// `watch` and `keep`; `huddle clocks` starts the others, which print JSON.
//
//     huddle_clocks watch STEP                     the watcher of a step
//     huddle_clocks keep STEP                      the keeper of its clocks
//     huddle_clocks show [--policy FILE] [--sysfs DIRECTORY]
//     huddle_clocks restore [--all] [--policy FILE] [--sysfs DIRECTORY]

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/clocks/node_clocks.hpp"
#include "spank_plugin/clocks/step_watcher.hpp"
#include "spank_plugin/detached/run_directory.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/keeper/step_keeper.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

struct Request {
  std::string verb;
  std::string policy_file;
  std::string sysfs = "/sys";
  bool all = false;
};

Request read_arguments(const std::vector<std::string>& arguments) {
  const auto refuse = [] {
    throw huddle::UsageError(
        "expected show or restore, and --policy FILE, --sysfs DIRECTORY, --all; huddle clocks "
        "starts this program");
  };
  if (arguments.empty()) refuse();
  Request request;
  request.verb = arguments[0];
  if (request.verb != "show" && request.verb != "restore") refuse();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--all" && request.verb == "restore")
      request.all = true;
    else if (arguments[i] == "--policy" && i + 1 < arguments.size())
      request.policy_file = arguments[++i];
    else if (arguments[i] == "--sysfs" && i + 1 < arguments.size())
      request.sysfs = arguments[++i];
    else
      refuse();
  }
  return request;
}

// Clocks can be put back without a policy that can be believed: the journal has its usual place.
huddle::Policy policy_of(const huddle::submission::Settings& settings) {
  try {
    return settings.trusted_policy();
  } catch (const huddle::Error& error) {
    fmt::print(stderr, "huddle_clocks: {}; the defaults are used\n", error.what());
    return huddle::Policy::defaults();
  }
}

void print(const std::string& document) {
  if (std::fputs(document.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw huddle::Error("the standard output takes no more");
}

void run(const Request& request) {
  const huddle::submission::Settings settings{std::filesystem::path(request.policy_file)};
  const huddle::Policy policy = policy_of(settings);
  huddle::frequency::FrequencyControl::Settings control;
  control.journal_directory = policy.frequency_journal;
  huddle::frequency::SysfsCpufreq files(request.sysfs);
  if (request.verb == "show") {
    const huddle::clocks::NodeState node{
        settings.why_switched_off(policy),
        huddle::detached::slurmd_is_marked(huddle::detached::kRunDirectory),
        huddle::clocks::running_watchers()};
    return print(huddle::clocks::clocks_document(files, control, node));
  }
  if (::geteuid() != 0) throw huddle::Error("only root can put clocks back");
  print(huddle::clocks::restore_clocks(
      files, control,
      request.all ? huddle::clocks::Restore::kAll : huddle::clocks::Restore::kJournal,
      [] { return huddle::clocks::end_watchers(huddle::clocks::running_watchers()); }));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "watch") return huddle::clocks::watch_step();
    if (arguments.size() == 2 && arguments[0] == "keep") return huddle::keeper::keep_step();
    run(read_arguments(arguments));
    return kDone;
  } catch (const huddle::UsageError& error) {
    fmt::print(stderr, "huddle_clocks: {}\n", error.what());
    return kBadArguments;
  } catch (const std::exception& error) {
    fmt::print(stderr, "huddle_clocks: {}\n", error.what());
    return kFailed;
  }
}
