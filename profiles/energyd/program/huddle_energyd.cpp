// huddle-energyd: reads the energy of a node and answers who took it. See huddle-energyd(8).

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/energyd/daemon/energy_daemon.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/energyd/steps/step_notice.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "Usage: huddle-energyd [OPTIONS]\n"
    "\n"
    "Reads this node's sensors of energy and power, gives what they count to the steps of Slurm's\n"
    "jobs, and answers `huddle energy job` on a Unix socket. systemd starts it as a service:\n"
    "\n"
    "    systemctl enable --now huddle-energyd\n"
    "\n"
    "  --policy FILE   the site's policy, whose keys energy.* it obeys (/etc/slurm/huddle.toml)\n"
    "  --run DIR       where its socket is, and what it goes on from (/run/huddle-energyd)\n"
    "  --steps DIR     where Huddle's plugin announces steps (/run/huddle/steps)\n"
    "  --state DIR     where it keeps what it observes of the node's power\n"
    "                  (/var/lib/huddle-energyd)\n"
    "  --root DIR      look at /sys, /etc and /proc/stat below this folder, for trials\n"
    "  --help          print this\n"
    "  --version       print the version\n"
    "\n"
    "See huddle-energyd(8).\n";

struct Arguments {
  fs::path policy = "/etc/slurm/huddle.toml";
  EnergyDaemonOptions daemon;
};

/// A mistake on the command line.
class UsageFault : public Error {
 public:
  using Error::Error;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  arguments.daemon.notices = kStepNotices;
  arguments.daemon.state = "/var/lib/huddle-energyd";
  arguments.daemon.run = fs::path(kEnergySocket).parent_path();
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    fs::path* const target = option == "--policy"  ? &arguments.policy
                             : option == "--run"   ? &arguments.daemon.run
                             : option == "--steps" ? &arguments.daemon.notices
                             : option == "--state" ? &arguments.daemon.state
                             : option == "--root"  ? &arguments.daemon.root
                                                   : nullptr;
    if (target == nullptr)
      throw UsageFault(fmt::format("there is no option {}, see huddle-energyd --help", option));
    if (++i == argc) throw UsageFault(fmt::format("{} needs a path behind it", option));
    *target = argv[i];
  }
  return arguments;
}

Policy policy_in(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) return Policy::defaults();
  try {
    return load_policy(file);
  } catch (const Error& error) {
    fmt::print(stderr, "huddle-energyd: {}; only root gets to know what the node takes\n",
               error.what());
    return Policy::defaults();
  }
}

}  // namespace
}  // namespace huddle::energyd

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help") return std::fputs(huddle::energyd::kUsage, stdout) < 0 ? 1 : 0;
  if (first == "--version") return std::puts("huddle-energyd " HUDDLE_VERSION) < 0 ? 1 : 0;
  try {
    huddle::energyd::Arguments arguments = huddle::energyd::arguments_of(argc, argv);
    arguments.daemon.policy = huddle::energyd::policy_in(arguments.policy);
    huddle::energyd::run_energy_daemon(arguments.daemon);
    return 0;
  } catch (const huddle::energyd::UsageFault& fault) {
    fmt::print(stderr, "huddle-energyd: {}\n", fault.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "huddle-energyd: {}\n", error.what());
    return 1;
  }
}
