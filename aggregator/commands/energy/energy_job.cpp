// huddle energy job: what the steps of a job took on this node, as its huddle-energyd knows.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/energy/asking.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

struct JobOptions {
  std::uint32_t job = 0;
  std::string socket = kEnergySocket;
  bool json = false;
};

std::string joules(Joules energy) {
  return fmt::format("{:.4g}", energy.value);
}

// Of all the time; nothing if any is lost, or none is known.
std::optional<Joules> whole_energy(const power::EnergyShare& total) {
  if (total.lost > Seconds{0} || !(total.known > Seconds{0})) return std::nullopt;
  return total.energy();
}

std::string origin_of(const power::EnergyShare& total) {
  if (total.measured > Joules{0} && total.attributed > Joules{0}) return "measured and attributed";
  return total.attributed > Joules{0} ? "attributed" : "measured";
}

std::string table_of_steps(const EnergyAnswer& answer, std::uint32_t job) {
  Table table({{"step", Table::Align::kLeft},
               {"state", Table::Align::kLeft},
               {"energy J"},
               {"of it idle J"},
               {"known s"},
               {"lost s"},
               {"how", Table::Align::kLeft}});
  for (const AnsweredStep& step : answer.steps) {
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

std::string json_of_steps(const EnergyAnswer& answer, std::uint32_t job) {
  Json document;
  document["job"] = job;
  document["as_of_s"] = answer.as_of.value;
  document["steps"] = Json::array();
  for (const AnsweredStep& step : answer.steps) {
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
  const EnergyAnswer answer =
      answer_of_energyd({EnergyRequest::About::kJob, options.job}, options.socket);
  put_out(options.json ? json_of_steps(answer, options.job) : table_of_steps(answer, options.job));
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

}  // namespace huddle
