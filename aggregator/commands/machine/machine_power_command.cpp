// huddle machine power: what a node and its parts draw, from what huddle-energyd observed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/predict/energy/power_fit.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/observations/power_observations.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

constexpr const char* kOfThisNode = "/var/lib/huddle-energyd/power-observations.json";

struct PowerOptions {
  std::vector<std::string> observations = {kOfThisNode};
  std::string machine;
  double rest_w = 0;
  std::string output;
};

void check_is_of(const Machine& machine, const std::string& name, const PowerObservations& seen) {
  const commgraph::NodeTopology node = commgraph::load_topology(machine.topology, name);
  const std::uint32_t dies = node.packages * node.dies_per_package;
  const std::uint32_t cores = dies * node.cores_per_die / node.pus_per_core;
  if (seen.whole.packages == node.packages && seen.whole.dies == dies && seen.whole.cores == cores)
    return;
  throw Error(fmt::format(
      "{} has {} package(s), {} die(s) and {} core(s), and the nodes of {} have {}, {} and {}",
      seen.node, seen.whole.packages, seen.whole.dies, seen.whole.cores, name, node.packages, dies,
      cores));
}

// "huddle-energyd on n0 and 2 more, 2026-11-20 to 2026-11-27, 12.3 h, ...".
std::string observer_of(const std::vector<PowerObservations>& nodes, const predict::PowerFit& fit,
                        double rest_w) {
  constexpr double kSecondsInHour = 3600;
  constexpr std::size_t kDay = 10;  // letters of a date
  UtcTime begin = nodes.front().begin;
  UtcTime end = nodes.front().end;
  for (const PowerObservations& node : nodes) {
    begin = std::min(begin, node.begin);
    end = std::max(end, node.end);
  }
  std::string text = fmt::format(
      "huddle-energyd on {}{}, {} to {}, {:.3g} h in {} occupations, by {}", nodes.front().node,
      nodes.size() > 1 ? fmt::format(" and {} more", nodes.size() - 1) : "",
      text_of(begin).substr(0, kDay), text_of(end).substr(0, kDay), fit.time.value / kSecondsInHour,
      fit.occupations, fmt::join(nodes.front().sensors, " + "));
  if (rest_w > 0) text += fmt::format(", and {:g} W given for the rest", rest_w);
  if (fit.error) text += fmt::format("; jobs left out: {:.2g} % off on average", 100 * *fit.error);
  return text;
}

// "1.5 W at 1.2 GHz, 5 W at 2.4 GHz".
std::string core_power(const predict::PowerFit& fit) {
  if (fit.clock.value == 0) return fmt::format("{:.4g} W", fit.core_at({}).value);
  const auto at = [&](Hertz clock) {
    return fmt::format("{:.4g} W at {:.4g} GHz", fit.core_at(clock).value, clock.value * 1e-9);
  };
  return fit.by_frequency ? at(fit.lowest) + " and " + at(fit.highest) : at(fit.clock);
}

void report_fit(const predict::PowerFit& fit, const PowerObservations& first, double rest_w) {
  fmt::print(
      stderr,
      "huddle: an idle node draws {:.4g} W; busy, a package draws {:.4g} W more, a die {:.4g} W, "
      "a core {}\n",
      fit.idle_node.value + rest_w, fit.package.value, fit.die.value, core_power(fit));
  if (fit.error)
    fmt::print(stderr, "huddle: power of jobs that were left out is {:.2g} % off on average\n",
               100 * *fit.error);
  else
    fmt::print(stderr, "huddle: how far off that may be is not known: too few jobs were seen\n");
  for (const std::string& note : fit.notes) fmt::print(stderr, "huddle: {}\n", note);
  if (!first.of_whole_node && rest_w == 0)
    fmt::print(stderr,
               "huddle: the sensors ({}) do not count all that a node draws: without --rest-w, "
               "switched-off nodes save more than is predicted\n",
               fmt::join(first.sensors, ", "));
}

void fit_machine_power(const PowerOptions& options) {
  std::error_code failure;
  if (options.observations.front() == kOfThisNode &&
      std::filesystem::status(kOfThisNode, failure).type() == std::filesystem::file_type::not_found)
    throw UsageError(fmt::format(
        "there is no {}: run this on a node on which huddle-energyd has been for ten minutes, or "
        "name copies of its file",
        kOfThisNode));
  std::vector<PowerObservations> nodes;
  for (const std::string& file : options.observations)
    nodes.push_back(load_power_observations(file));
  Machine machine = machine_named(options.machine);
  check_is_of(machine, options.machine, nodes.front());
  const predict::PowerFit fit = predict::fit_power(nodes);
  predict::put_power(fit, Watts{options.rest_w}, observer_of(nodes, fit, options.rest_w), machine);
  render::put_out(to_json(machine), options.output);
  report_fit(fit, nodes.front(), options.rest_w);
}

}  // namespace

cli::App* add_machine_power_command(cli::App& machine) {
  auto options = std::make_shared<PowerOptions>();
  cli::App* command = machine.add_subcommand(
      "power",
      "Put power figures into a machine document, from what huddle-energyd observed on nodes while "
      "jobs ran on them: least squares over how many packages, dies and cores were busy, and at "
      "which clock");
  command
      ->add_option("observations", options->observations,
                   "what the daemons keep, of one or several nodes that are alike; root alone may "
                   "read it on a node")
      ->capture_default_str()
      ->value("FILE");
  command
      ->add_option("-m,--machine", options->machine,
                   "the document to fill, or the name of one on file: what is not observed stays")
      ->value("FILE")
      ->required();
  command
      ->add_option("--rest-w", options->rest_w,
                   "what a node draws besides what its sensors count, in W: fans, disks, losses of "
                   "its power supply")
      ->check(cli::Range(0.0, 1e5));
  command
      ->add_option("-o,--output", options->output,
                   "where the document goes (default: standard output)")
      ->value("FILE");
  command->add_example("huddle machine power -m machine.json -o machine.json",
                       "on a node, as root");
  command->add_example("huddle machine power n*.json -m machine.json --rest-w 45 -o machine.json",
                       "of several nodes, elsewhere");
  command->callback([options] { fit_machine_power(*options); });
  return command;
}

}  // namespace huddle::cli
