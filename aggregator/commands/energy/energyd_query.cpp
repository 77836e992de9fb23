// huddle energy job and huddle energy node: what the steps of a job, or the node as a whole, took,
// as the node's huddle-energyd knows.

#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

// Asks the daemon of this node. Throws Error with what to do where it refuses, or is not
// there.
energyd::EnergyAnswer answer_of_energyd(const energyd::EnergyRequest& request,
                                        const std::string& socket) {
  energyd::EnergyAnswer answer;
  try {
    answer = energyd::ask_energyd(request, socket);
  } catch (const SystemError& error) {
    if (error.error_number() != ENOENT && error.error_number() != ECONNREFUSED) throw;
    throw Error(
        fmt::format("{}: huddle-energyd does not run on this node; the site starts it by "
                    "`systemctl enable --now huddle-energyd`, see huddle-energyd(8)",
                    error.what()));
  }
  if (!answer.refusal.empty() && answer.trouble &&
      request.about != energyd::EnergyRequest::About::kNode)
    throw Error(fmt::format("{}: {}", answer.trouble->what, answer.trouble->advice));
  if (!answer.refusal.empty()) throw Error(answer.refusal);
  return answer;
}

struct JobOptions {
  std::uint32_t job = 0;
  std::string socket = energyd::kEnergySocket;
  bool json = false;
};

std::string joules(Joules energy) {
  return fmt::format("{:.4g}", energy.value);
}

// The energy of all the time; nothing if any is lost, or none is known.
std::optional<Joules> whole_energy(const power::EnergyShare& total) {
  if (total.lost > Seconds{0} || !(total.known > Seconds{0})) return std::nullopt;
  return total.energy();
}

std::string origin_of(const power::EnergyShare& total) {
  if (total.measured > Joules{0} && total.attributed > Joules{0}) return "measured and attributed";
  return total.attributed > Joules{0} ? "attributed" : "measured";
}

std::string table_of_steps(const energyd::EnergyAnswer& answer, std::uint32_t job) {
  render::Table table({{"step", render::Table::Align::kLeft},
                       {"state", render::Table::Align::kLeft},
                       {"energy J"},
                       {"of it idle J"},
                       {"known s"},
                       {"lost s"},
                       {"how", render::Table::Align::kLeft}});
  for (const energyd::AnsweredStep& step : answer.steps) {
    const power::EnergyShare total = step.total();
    table.add({fmt::format("{}.{}", job, step.id.step), step.running ? "runs" : "ended",
               total.known > Seconds{0} ? joules(total.energy()) : "-",
               total.idle_known ? joules(total.idle) : "-",
               fmt::format("{:.1f}", total.known.value), fmt::format("{:.1f}", total.lost.value),
               origin_of(total)});
  }
  return table.text() +
         "\nOn this node alone. Measured: it had what the sensors cover for itself. Attributed: it "
         "shared that with other jobs, and has its part by CPU time.\n";
}

Json json_of_share(const power::EnergyShare& share) {
  return {{"measured_j", share.measured.value},
          {"attributed_j", share.attributed.value},
          {"idle_j", share.idle_known ? Json(share.idle.value) : Json()},
          {"known_s", share.known.value},
          {"lost_s", share.lost.value}};
}

std::string json_of_steps(const energyd::EnergyAnswer& answer, std::uint32_t job) {
  Json document;
  document["job"] = job;
  document["as_of_s"] = answer.as_of.value;
  document["steps"] = Json::array();
  for (const energyd::AnsweredStep& step : answer.steps) {
    const power::EnergyShare total = step.total();
    const std::optional<Joules> energy = whole_energy(total);
    Json entry;
    entry["step"] = utf8(step.id.step);
    entry["running"] = step.running;
    entry["energy_j"] = energy ? Json(energy->value) : Json();
    entry.update(json_of_share(total));
    entry["sensors"] = Json::array();
    for (const auto& [sensor, share] : step.shares) {
      Json part;
      part["name"] = utf8(sensor);
      part.update(json_of_share(share));
      entry["sensors"].push_back(std::move(part));
    }
    document["steps"].push_back(std::move(entry));
  }
  return document.dump(1) + "\n";
}

void show_job(const JobOptions& options) {
  const energyd::EnergyAnswer answer =
      answer_of_energyd({energyd::EnergyRequest::About::kJob, options.job}, options.socket);
  render::put_out(options.json ? json_of_steps(answer, options.job)
                               : table_of_steps(answer, options.job));
}

struct NodeOptions {
  std::string socket = energyd::kEnergySocket;
  bool json = false;
};

std::string figure_or_dash(const std::optional<Watts>& watts) {
  return watts ? fmt::format("{:.4g}", watts->value) : "-";
}

std::string table_of_sensors(const energyd::EnergyAnswer& answer) {
  if (answer.sensors.empty()) return "This node has no sensors of energy or power.\n";
  render::Table table({{"sensor", render::Table::Align::kLeft},
                       {"energy J"},
                       {"of no job J"},
                       {"idle W"},
                       {"now W"},
                       {"known s"},
                       {"lost s"},
                       {"state", render::Table::Align::kLeft}});
  for (const energyd::AnsweredSensor& sensor : answer.sensors) {
    const bool is_known = sensor.known > Seconds{0};
    const char* const fine = sensor.measures == "power" ? "integrated from power" : "counted";
    table.add({sensor.name, is_known ? fmt::format("{:.6g}", sensor.energy.value) : "-",
               is_known && sensor.in_sum ? fmt::format("{:.6g}", sensor.unattributed.value) : "-",
               figure_or_dash(sensor.idle_power), figure_or_dash(sensor.power),
               fmt::format("{:.1f}", sensor.known.value), fmt::format("{:.1f}", sensor.lost.value),
               sensor.trouble.empty() ? fine : sensor.trouble});
  }
  return table.text() +
         "\nSince huddle-energyd began on this node after its last start. Jobs get "
         "the energy of the sensors that have a figure for no job; those add up to "
         "the node.\n";
}

std::string json_of_sensors(const energyd::EnergyAnswer& answer) {
  const auto or_null = [](const std::optional<Watts>& watts) {
    return watts ? Json(watts->value) : Json();
  };
  Json document;
  document["as_of_s"] = answer.as_of.value;
  document["lateness_s"] = answer.lateness.value;
  document["sensors"] = Json::array();
  for (const energyd::AnsweredSensor& sensor : answer.sensors) {
    Json entry;
    entry["name"] = utf8(sensor.name);
    entry["covers"] = sensor.covers;
    entry["measures"] = sensor.measures;
    entry["in_sum"] = sensor.in_sum;
    entry["energy_j"] = sensor.known > Seconds{0} ? Json(sensor.energy.value) : Json();
    entry["unattributed_j"] = sensor.in_sum ? Json(sensor.unattributed.value) : Json();
    entry["idle_w"] = or_null(sensor.idle_power);
    entry["power_w"] = or_null(sensor.power);
    entry["known_s"] = sensor.known.value;
    entry["lost_s"] = sensor.lost.value;
    entry["trouble"] = sensor.trouble.empty() ? Json() : Json(utf8(sensor.trouble));
    document["sensors"].push_back(std::move(entry));
  }
  return document.dump(1) + "\n";
}

void show_node(const NodeOptions& options) {
  const energyd::EnergyAnswer answer =
      answer_of_energyd({energyd::EnergyRequest::About::kNode, 0}, options.socket);
  render::put_out(options.json ? json_of_sensors(answer) : table_of_sensors(answer));
}

}  // namespace

void add_energy_job(cli::App& energy) {
  auto options = std::make_shared<JobOptions>();
  cli::App* command = energy.add_subcommand(
      "job",
      "Print what the steps of one of your jobs took on this node, as its huddle-energyd knows: "
      "the steps that run, and the latest that have ended. Root sees the jobs of all users");
  command->add_option("JOB", options->job, "the number of the job")->required();
  command->add_option("--socket", options->socket)->hide();
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("srun --jobid=17 --overlap huddle energy job 17", "on each node of a job");
  command->callback([options] { show_job(*options); });
}

void add_energy_node(cli::App& energy) {
  auto options = std::make_shared<NodeOptions>();
  cli::App* command = energy.add_subcommand(
      "node",
      "Print what this node took since it was started, whoever used it, as its huddle-energyd "
      "knows, and how much of it belongs to no job. For root, and for whom the site lets know "
      "(energy.readers in huddle.toml)");
  command->add_option("--socket", options->socket)->hide();
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle energy node", "as root");
  command->callback([options] { show_node(*options); });
}

}  // namespace huddle::cli
