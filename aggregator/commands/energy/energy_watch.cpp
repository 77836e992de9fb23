// huddle energy watch: what the node's sensors draw, line by line.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/energy/waiting.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/hardware/monitoring/sensor_monitor.hpp"
#include "profiles/hardware/power/sensor_search.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using States = std::vector<power::SensorState>;

struct WatchOptions {
  std::filesystem::path root = "/";
  std::string period = "1s";
};

std::size_t width_of(const std::string& name) {
  constexpr std::size_t kLeast = 8;
  return std::max(name.size(), kLeast);
}

std::string heading(const States& states) {
  std::string line = fmt::format("{:>8}", "W");
  for (const power::SensorState& state : states)
    line += fmt::format("  {:>{}}", state.sensor.name, width_of(state.sensor.name));
  return line + fmt::format("  {:>8}\n", "sum");
}

// Of the sensors that add up to the most of the node; "-" if one of them is not known now.
std::string sum_now(const States& states, const std::vector<std::string>& sum) {
  double watts = 0;
  std::size_t known = 0;
  for (const power::SensorState& state : states)
    if (state.power && std::find(sum.begin(), sum.end(), state.sensor.name) != sum.end()) {
      watts += state.power->value;
      ++known;
    }
  return known == sum.size() && known > 0 ? fmt::format("{:.1f}", watts) : "-";
}

std::string line_now(const States& states, const std::vector<std::string>& sum) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::string line = fmt::format("{:%H:%M:%S}", fmt::localtime(now));
  for (const power::SensorState& state : states)
    line += fmt::format("  {:>{}}", state.power ? fmt::format("{:.1f}", state.power->value) : "-",
                        width_of(state.sensor.name));
  return line + fmt::format("  {:>8}\n", sum_now(states, sum));
}

// Each trouble once, when it begins.
void tell_troubles(const States& states, std::vector<std::string>& told) {
  told.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string& trouble = states[i].totals.trouble;
    if (!trouble.empty() && told[i].empty())
      fmt::print(stderr, "huddle: {}: {}\n", states[i].sensor.name, trouble);
    told[i] = trouble;
  }
}

void watch(const WatchOptions& options) {
  constexpr std::size_t kLinesOfAPage = 20;
  const Seconds period = duration_from("--period", options.period);
  if (period < Seconds{0.1}) throw UsageError("--period: at least 0.1s");
  const std::vector<power::Sensor> sensors = power::find_sensors(options.root / "sys");
  if (sensors.empty()) throw Error("this node has no sensors of energy or power");
  power::MonitorOptions watching;
  watching.period = period;
  watching.sysfs = options.root / "sys";
  const power::SensorMonitor monitor(sensors, watching);
  const std::vector<std::string> sum = power::sum_of_node(sensors);
  const Interruption interruption;
  std::vector<std::string> told;
  for (std::size_t line = 0;; ++line) {
    if (!wait_for(interruption, period)) return;
    const States states = monitor.states();
    tell_troubles(states, told);
    put_out((line % kLinesOfAPage == 0 ? heading(states) : "") + line_now(states, sum));
  }
}

}  // namespace

void add_energy_watch(cli::App& energy) {
  auto options = std::make_shared<WatchOptions>();
  cli::App* command = energy.add_subcommand(
      "watch",
      "Print what each of this node's sensors draws, a line every period, until Ctrl-C, and the "
      "sum "
      "of those that are the most of the node that is known. \"-\" is not known; the reason stands "
      "on standard error. RAPL can be read by root alone");
  command->add_option("--period", options->period, "0.1s or more")
      ->value("TIME")
      ->capture_default_str();
  command->add_option("--root", options->root)->hide();
  command->add_example("huddle energy watch", "as root");
  command->callback([options] { watch(*options); });
}

}  // namespace huddle
