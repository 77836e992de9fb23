#include "aggregator/operations/doctor/hardware_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "aggregator/operations/doctor/node_report.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/monitoring/energy_meters.hpp"
#include "profiles/processes/without_root.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr int kMostParanoid = 2;  // beyond it, a user counts nothing

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

bool is_core_folder(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         name.find_first_not_of("0123456789", 3) == std::string::npos;
}

struct FrequencyControls {
  std::size_t pus = 0;
  std::size_t pus_with_driver = 0;
  std::set<std::string> drivers;
  std::set<std::string> governors;
};

FrequencyControls read_controls(const fs::path& sysfs) {
  FrequencyControls controls;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(sysfs / "devices/system/cpu", failure)) {
    if (!is_core_folder(entry.path().filename().string())) continue;
    ++controls.pus;
    const std::string driver = first_line(entry.path() / "cpufreq/scaling_driver");
    if (driver.empty()) continue;
    ++controls.pus_with_driver;
    controls.drivers.insert(driver);
    controls.governors.insert(first_line(entry.path() / "cpufreq/scaling_governor"));
  }
  return controls;
}

std::string counters_advice(const counters::Kernel& kernel) {
  const std::optional<int> paranoid = counters::perf_event_paranoid(kernel);
  if (paranoid && *paranoid > kMostParanoid)
    return fmt::format("set kernel.perf_event_paranoid (now {}) to {} or less by sysctl", *paranoid,
                       kMostParanoid);
  return "runs are measured all the same, but models foresee contention less well; in a virtual "
         "machine, ask for its performance counters";
}

energyd::EnergyAnswer answer_of_energyd(const fs::path& socket) {
  constexpr std::chrono::milliseconds kPatience(500);
  return energyd::ask_energyd({energyd::EnergyRequest::About::kOwn, 0}, socket, kPatience);
}

// The reason why users can't ask a daemon that answers root; empty if they can.
std::string why_users_get_no_answer(const fs::path& socket) {
  constexpr std::chrono::seconds kPatience(5);
  if (::geteuid() != 0) return {};
  const auto why = processes::without_root(
      [&] {
        try {
          answer_of_energyd(socket);
          return std::string();
        } catch (const Error& error) {
          return std::string(error.what());
        }
      },
      kPatience);
  return why.value_or("it takes too long");
}

Finding unreachable_energyd(const std::string& why) {
  return wrong(
      "energy", "users can't ask huddle-energyd, which runs: " + why,
      "let all pass through the folders of its socket (a+x); the unit of huddle's package does");
}

// Nothing if no daemon answers. A refusal is an answer: who has no step on a node gets no other.
std::optional<Finding> finding_of_energyd(const fs::path& socket) {
  try {
    const energyd::EnergyAnswer answer = answer_of_energyd(socket);
    if (const std::string why = why_users_get_no_answer(socket); !why.empty())
      return unreachable_energyd(why + " (tried as nobody)");
    if (answer.trouble) return warning("energy", answer.trouble->what, answer.trouble->advice);
    return ok("energy", "huddle-energyd tells jobs what they took");
  } catch (const SystemError& error) {
    if (error.error_number() == EACCES) return unreachable_energyd(error.what());
  } catch (const Error&) {  // none that answers
  }
  return std::nullopt;
}

}  // namespace

Finding check_counters(const fs::path& sysfs, const fs::path& proc) {
  counters::Kernel kernel = counters::Kernel::real();
  kernel.sysfs = sysfs;
  kernel.proc = proc;
  const std::array<std::string, 2> wanted = {"instructions", "cycles"};
  const auto set = counters::CounterSet::open(wanted, kernel);
  const std::string reason = set.hardware_absent_reason();
  if (!reason.empty())
    return warning("counters", fmt::format("no hardware counters: {}", reason),
                   counters_advice(kernel));
  return ok("counters", fmt::format("hardware counters work{}",
                                    set.user_space_only() ? ", in user space only" : ""));
}

Examined check_frequencies(const fs::path& sysfs, bool controlled) {
  const FrequencyControls controls = read_controls(sysfs);
  if (controls.pus_with_driver == 0) {
    if (!controlled)
      return {ok("frequency", "Linux shows no cpufreq: frequencies stay as they are"),
              {{kDriverFact, "none"}}};
    return {warning("frequency",
                    "huddle.toml lets Huddle set frequencies, but Linux shows no cpufreq here",
                    "load a cpufreq driver (see the firmware's settings), or set frequency.control "
                    "= false"),
            {{kDriverFact, "none"}}};
  }
  const std::string drivers = fmt::format("{}", fmt::join(controls.drivers, ", "));
  const std::string governors = fmt::format("{}", fmt::join(controls.governors, ", "));
  const std::map<std::string, std::string> facts = {{kDriverFact, drivers},
                                                    {kGovernorFact, governors}};
  if (controls.drivers.size() > 1 || controls.governors.size() > 1 ||
      controls.pus_with_driver != controls.pus)
    return {warning("frequency",
                    fmt::format("cores differ: {} of {} PUs have a driver ({}), governor {}",
                                controls.pus_with_driver, controls.pus, drivers, governors),
                    "give all cores the same governor: ranks on slower cores hold the others up"),
            facts};
  return {ok("frequency",
             fmt::format("driver {}, governor {} on {} PUs", drivers, governors, controls.pus)),
          facts};
}

Finding check_energy_meters(const fs::path& sysfs, const fs::path& socket) {
  if (auto finding = finding_of_energyd(socket)) return std::move(*finding);
  auto meters = power::EnergyMeters::find(sysfs);
  meters.poll();
  std::vector<std::string> names;
  for (const EnergyReading& reading : meters.readings()) names.push_back(reading.meter);
  if (!names.empty()) return ok("energy", fmt::format("energy meters: {}", fmt::join(names, ", ")));
  std::string reason = "none found";
  const std::vector<AbsentEvent> absent = meters.absent();
  if (!absent.empty()) reason = fmt::format("{}: {}", absent[0].event, absent[0].reason);
  return warning(
      "energy", fmt::format("no energy meter can be read ({})", reason),
      "energy is predicted from the machine document alone; huddle energy discover, as root, shows "
      "what there is, and systemctl enable --now huddle-energyd, as root on the nodes, lets jobs "
      "know what they took. Do not open energy_uj to users: it reveals what others compute "
      "(PLATYPUS)");
}

Examined check_topology(bool runs_jobs) {
  try {
    const commgraph::NodeTopology node = commgraph::this_machine_topology();
    const std::string shape = fmt::format("{} package(s) x {} die(s) x {} core(s)", node.packages,
                                          node.dies_per_package, node.cores_per_die);
    Examined examined{ok("topology", shape), {}};
    if (runs_jobs) examined.facts[kTopologyFact] = shape;
    return examined;
  } catch (const Error& error) {
    return {{"topology",
             runs_jobs ? Verdict::kWrong : Verdict::kWarning,
             fmt::format("Huddle can't use the topology of this machine: {}", error.what()),
             "describe its nodes by huddle machine --topology with packages, dies and cores that "
             "are alike",
             {}},
            {}};
  }
}

}  // namespace huddle::doctor
