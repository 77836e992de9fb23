// huddle energy record: what the node's sensors count while a command runs, or until Ctrl-C.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/foreground_child.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/energy/power_trace.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/hardware/monitoring/sensor_monitor.hpp"
#include "profiles/hardware/power/sensor.hpp"
#include "profiles/processes/interruption.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using States = std::vector<power::SensorState>;

struct RecordOptions {
  std::filesystem::path root = "/";
  std::string period = "1s";
  std::string output;
  bool json = false;
  std::vector<std::string> command;
};

void wait_for_interruption() {
  const processes::Interruption interruption;
  while (!interruption.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// Writes down what the monitor sees, every period, until a stop is requested.
class Tracer {
 public:
  Tracer(const power::SensorMonitor& monitor, const RecordOptions& options, Seconds period)
      : monitor_(monitor),
        clocks_(hardware::clocks_of(options.root)),
        period_(period),
        trace_(options.output, monitor.states()) {}

  void run(const std::stop_token& stop) {
    const Clock::time_point begin = Clock::now();
    const auto step =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period_.value));
    for (Clock::time_point due = begin + step; !stop.stop_requested(); due += step) {
      while (!stop.stop_requested() && Clock::now() < due)
        std::this_thread::sleep_for(
            std::min<Clock::duration>(due - Clock::now(), std::chrono::milliseconds(100)));
      if (Clock::now() < due) break;
      refresh_some_clocks();
      trace_.add({std::chrono::duration<double>(Clock::now() - begin).count()}, monitor_.states(),
                 clocks_);
    }
  }
  void finish() { trace_.finish(); }

 private:
  // Reading hundreds of clocks takes more time than all sensors: each is read every second.
  void refresh_some_clocks() {
    constexpr std::size_t kFew = 16;
    const auto in_a_second =
        static_cast<std::size_t>(static_cast<double>(clocks_.size()) * period_.value) + 1;
    const std::size_t some = std::min(std::max(kFew, in_a_second), clocks_.size());
    for (std::size_t i = 0; i < some; ++i, next_clock_ = (next_clock_ + 1) % clocks_.size())
      hardware::refresh(clocks_[next_clock_]);
  }

  const power::SensorMonitor& monitor_;
  std::vector<hardware::ClockGroup> clocks_;
  std::size_t next_clock_ = 0;
  Seconds period_;
  PowerTrace trace_;
};

std::string figure(const std::optional<Watts>& watts) {
  return watts ? fmt::format("{:.4g}", watts->value) : "-";
}

// The sum over sensors that add up to the most of the node; nothing if it is not known of all.
std::optional<Joules> energy_of_node(const States& states, const std::vector<std::string>& sum) {
  Joules energy;
  for (const std::string& name : sum) {
    const auto state =
        std::find_if(states.begin(), states.end(),
                     [&](const power::SensorState& one) { return one.sensor.name == name; });
    if (state == states.end() || !state->totals.whole_energy() ||
        !(state->totals.known > Seconds{0}))
      return std::nullopt;
    energy += *state->totals.whole_energy();
  }
  if (sum.empty()) return std::nullopt;
  return energy;
}

std::string table_of(const States& states, const std::vector<std::string>& sum) {
  if (states.empty()) return "This node has no sensors of energy or power.\n";
  render::Table table({{"sensor", render::Table::Align::kLeft},
                       {"energy J"},
                       {"mean W"},
                       {"least W"},
                       {"most W"},
                       {"known s"},
                       {"lost s"},
                       {"state", render::Table::Align::kLeft}});
  for (const power::SensorState& state : states) {
    const power::SensorTotals& totals = state.totals;
    const bool integrated = state.sensor.quantity == power::Quantity::kPower;
    const std::string fine = integrated ? "integrated from power" : "counted";
    table.add({state.sensor.name,
               totals.known > Seconds{0} ? fmt::format("{:.4g}", totals.energy.value) : "-",
               figure(totals.mean()), figure(totals.least), figure(totals.most),
               fmt::format("{:.1f}", totals.known.value), fmt::format("{:.1f}", totals.lost.value),
               totals.trouble.empty() ? fine : totals.trouble});
  }
  std::string text = table.text() + "\n";
  if (const std::optional<Joules> energy = energy_of_node(states, sum))
    return text + fmt::format("{}: {:.4g} J.\n", fmt::join(sum, " + "), energy->value);
  return text + "The energy of the node is not known.\n";
}

Json or_null(const std::optional<Watts>& watts) {
  return watts ? Json(watts->value) : Json();
}

std::string json_of(const States& states, const std::vector<std::string>& sum, Seconds lateness) {
  Json document;
  document["sensors"] = Json::array();
  for (const power::SensorState& state : states) {
    const power::SensorTotals& totals = state.totals;
    Json entry;
    entry["name"] = state.sensor.name;
    entry["covers"] = name_of(state.sensor.covers);
    entry["measures"] = name_of(state.sensor.quantity);
    entry["energy_j"] = totals.known > Seconds{0} ? Json(totals.energy.value) : Json();
    entry["mean_w"] = or_null(totals.mean());
    entry["least_w"] = or_null(totals.least);
    entry["most_w"] = or_null(totals.most);
    entry["known_s"] = totals.known.value;
    entry["lost_s"] = totals.lost.value;
    entry["losses"] = totals.losses;
    entry["trouble"] = totals.trouble.empty() ? Json() : Json(totals.trouble);
    document["sensors"].push_back(std::move(entry));
  }
  document["sum"] = sum;
  const std::optional<Joules> energy = energy_of_node(states, sum);
  document["energy_j"] = energy ? Json(energy->value) : Json();
  document["lateness_s"] = lateness.value;
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void record(const RecordOptions& options) {
  const Seconds period = duration_from("--period", options.period);
  if (period < Seconds{0.02}) throw UsageError("--period: at least 0.02s");
  const std::vector<power::Sensor> sensors = power::find_sensors(options.root / "sys");
  power::MonitorOptions watching;
  watching.period = period;
  watching.sysfs = options.root / "sys";
  const power::SensorMonitor monitor(sensors, watching);
  monitor.read_now();
  std::optional<Tracer> tracer;
  std::jthread tracing;
  if (!options.output.empty()) {
    tracer.emplace(monitor, options, period);
    tracing = std::jthread([&](const std::stop_token& stop) { tracer->run(stop); });
  }
  int status = 0;
  if (options.command.empty())
    wait_for_interruption();
  else
    status = run_in_foreground(options.command);
  // The last values, at the end rather than up to a period before it.
  monitor.read_now();
  const States states = monitor.states();
  if (tracing.joinable()) {
    tracing.request_stop();
    tracing.join();
    tracer->finish();
  }
  const std::vector<std::string> sum = power::sum_of_node(sensors);
  const std::string text =
      options.json ? json_of(states, sum, monitor.lateness()) : table_of(states, sum);
  // A command's own output stays its own.
  if (options.command.empty() || options.json)
    render::put_out(text);
  else
    fmt::print(stderr, "\n{}", text);
  if (status != 0) cli::end_with(status);
}

}  // namespace

void add_energy_record(cli::App& energy) {
  auto options = std::make_shared<RecordOptions>();
  cli::App* command = energy.add_subcommand(
      "record",
      "Read this node's sensors while a command runs, or until Ctrl-C, and print "
      "what each counted, whoever used it. What is not known is lost, never guessed. RAPL can be "
      "read by root alone");
  command
      ->add_option("--period", options->period,
                   "how often each sensor is read, and a line of the trace is written: 0.02s or "
                   "more")
      ->value("TIME")
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->output,
                   "keep power and clocks over time in this file, as comma-separated values")
      ->value("FILE");
  command->add_option("--root", options->root)->hide();
  command->add_flag("--json", options->json, "print JSON");
  command->add_option("COMMAND", options->command, "what to run, with its options");
  command->expect_separator();
  command->add_example("huddle energy record -- sleep 10", "as root");
  command->add_example("huddle energy record --period 0.1s -o power.csv -- ./app",
                       "and keeps power over time");
  command->callback([options] { record(*options); });
}

}  // namespace huddle::cli
