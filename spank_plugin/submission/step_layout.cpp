#include "spank_plugin/submission/step_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/step_order.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/frequency/frequency_request.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/all_cores.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"
#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/asked/slurm_texts.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/job_changes.hpp"

namespace huddle::submission {
namespace {

// A job with a hint (--hint=compute_bound) gets that from Slurm, for all of its steps.
bool is_of_hint(const SlurmClient& slurm, std::string_view option) {
  return option == "threads-per-core" && slurm.variable("SLURM_HINT") &&
         slurm.variable("SLURM_THREADS_PER_CORE") == slurm.get("threads-per-core");
}

std::optional<std::string> placed_by_user(const SlurmClient& slurm) {
  for (const PlacingOption& option : kPlacingOptions)
    if (option.over_plan && slurm.is_set(option.name) && !is_of_hint(slurm, option.name) &&
        !says_what_plans_do(option.name, slurm.get(option.name)))
      return option.name;
  return std::nullopt;
}

// While it was pending, somebody may have given the job another number of nodes than it asked for:
// then what the plan says of nodes is nobody's wish any more. Nothing if it has as many.
std::optional<std::size_t> other_number_of_nodes(const SlurmClient& slurm, const Plan& plan) {
  if (plan.keeps_nodes && !plan.arranges_node())
    return std::nullopt;  // its ranks are compared node by node
  const std::size_t nodes =
      slurm.node_names(slurm.variable("SLURM_JOB_NODELIST").value_or("")).size();
  if (nodes == plan.chosen.nodes) return std::nullopt;
  return nodes;
}

// Slurm says how many the job has where the user says nothing, so only fewer are the user's wish.
// (More, as the job was submitted with, the job does not have.)
bool wants_fewer_nodes(const SlurmClient& slurm, std::uint32_t planned) {
  const NodeRange nodes = parse_node_range(slurm.get("nodes")).value_or(NodeRange{});
  return nodes.most != 0 && nodes.most < planned;
}

std::string most_on_a_node(const Plan& plan) {
  const std::vector<std::uint32_t> ranks = plan.ranks_by_node();
  return std::to_string(*std::max_element(ranks.begin(), ranks.end()));
}

// On nodes that are kept for what they have, an equal number is no wish of its own.
bool wants_other_numbers(const SlurmClient& slurm, const Plan& plan) {
  return plan.keeps_nodes && slurm.is_set("ntasks-per-node") &&
         slurm.get("ntasks-per-node") != most_on_a_node(plan);
}

// The option by which the user places this step's ranks, against the plan.
std::optional<std::string> placing_option(const SlurmClient& slurm, const Plan& plan) {
  if (const auto option = placed_by_user(slurm)) return option;
  if (wants_fewer_nodes(slurm, plan.chosen.nodes)) return "nodes";
  if (wants_other_numbers(slurm, plan)) return "ntasks-per-node";
  return std::nullopt;
}

// Only where somebody waits for a profile is that worth a line: the job has as many ranks.
void leave_unmeasured(SlurmClient& slurm) {
  if (!slurm.variable(kRecorderVariable) || !slurm.shows_options()) return;
  const auto promised = told(slurm, kOutcomeWord);
  const std::string why = launch::why_store_is_silent(slurm.variable(kStoreVariable), promised);
  if (why.empty()) return;
  slurm.unset_variable(kRecorderVariable);
  if (told(slurm, kPackedRunWord)) return;
  if (!promised ||
      std::to_string(parse_outcome(*promised, kOutcomePlace).ranks) == slurm.get("ntasks"))
    slurm.say("not measured: " + why);
}

void refine(SlurmClient& slurm, const std::string& allowed, const Plan& plan) {
  const auto requests = frequency::parse_frequency_requests(allowed);
  frequency::ClockLimits widest =
      requests[0].limits;  // of a step that this one is started from, perhaps
  for (const frequency::FrequencyRequest& request : requests) {
    widest.least_khz = std::min(widest.least_khz, request.limits.least_khz);
    widest.most_khz = std::max(widest.most_khz, request.limits.most_khz);
  }
  slurm.set_variable(kFrequencyVariable,
                     frequency::planned_requests(plan.placement, plan.frequencies_by_rank(), widest,
                                                 frequency::kMostFrequencyBytes));
}

// Calls refine() with the plan that `load` gives, if there is anything to refine.
template <class Load>
void refine_if_set(SlurmClient& slurm, Load load) {
  const auto allowed = slurm.variable(kFrequencyVariable);
  if (!allowed) return;
  try {
    const Plan plan = load();
    if (plan.frequency) refine(slurm, *allowed, plan);
  } catch (const Error& error) {
    slurm.say(fmt::format(
        "all ranks run at the job's frequencies, not at those that the plan has for each: {}",
        error.what()));
  }
}

// The hosts in the order of a plan's nodes, `tasks` being what Slurm puts on each host; nothing if
// that is not what the plan's nodes hold. With other numbers a rank might lack its GPU or its core.
std::optional<std::vector<std::string>> hosts_alike(const Plan& plan,
                                                    std::vector<std::string> hosts,
                                                    std::vector<std::uint32_t> tasks) {
  if (hosts.size() != plan.chosen.nodes || tasks.size() != hosts.size()) return std::nullopt;
  const std::vector<std::uint32_t> planned = plan.ranks_by_node();
  for (std::size_t node = 0; node < planned.size(); ++node) {
    const auto from = tasks.begin() + static_cast<std::ptrdiff_t>(node);
    const auto found = std::find(from, tasks.end(), planned[node]);
    if (found == tasks.end()) return std::nullopt;
    // The hosts between them keep their order.
    std::rotate(from, found, found + 1);
    const auto host = hosts.begin() + static_cast<std::ptrdiff_t>(node);
    std::rotate(host, host + (found - from), host + (found - from) + 1);
  }
  return hosts;
}

std::vector<std::string> nodes_of_job(const SlurmClient& slurm) {
  return slurm.node_names(slurm.variable("SLURM_JOB_NODELIST").value_or(""));
}

// False, and a line, if the job's nodes are not as the plan has them. `more`: changes of other
// options, made or not together with these.
bool lay_out_ranks(SlurmClient& slurm, const Plan& plan,
                   const std::vector<OptionChange>& more = {}) {
  std::vector<std::string> nodes = nodes_of_job(slurm);
  if (plan.keeps_nodes) {
    const std::string text = slurm.variable("SLURM_TASKS_PER_NODE").value_or("");
    auto hosts = hosts_alike(plan, std::move(nodes),
                             parse_tasks_per_node(text).value_or(std::vector<std::uint32_t>()));
    if (!hosts) {
      slurm.say(fmt::format(
          "this step's ranks go where Slurm puts them: its nodes hold {} of them, and not as many "
          "each as in the measured run",
          text.empty() ? "an unknown number" : shortened(text)));
      return false;
    }
    nodes = std::move(*hosts);
  }
  std::vector<OptionChange> changes = {{"nodes", std::to_string(plan.chosen.nodes)},
                                       {"distribution", "arbitrary"},
                                       {"nodelist", slurm_node_list(plan, nodes)}};
  changes.insert(changes.end(), more.begin(), more.end());
  // It repeated the job's as submitted.
  if (slurm.is_set("ntasks-per-node") && slurm.get("ntasks-per-node") != most_on_a_node(plan))
    changes.push_back({"ntasks-per-node", std::nullopt});
  change_options(slurm, changes);
  return true;
}

bool lay_out_bound_ranks(SlurmClient& slurm, const Plan& plan) {
  const auto cpus = cpus_per_task(slurm);
  if (!lay_out_ranks(slurm, plan, changes_for_all_cores(slurm))) return false;
  if (cpus) tell_cpus_per_task(slurm, *cpus);
  return true;
}

// On shared nodes there are no more cores than the ranks ask for, and Slurm may have to bind them.
void follow(SlurmClient& slurm, const Plan& plan, const std::string& plan_file) {
  const bool binds = !plan.keeps_nodes && !told(slurm, kSharedNodesWord);
  if (!plan.arranges_node() &&
      !(binds ? lay_out_bound_ranks(slurm, plan) : lay_out_ranks(slurm, plan)))
    return;
  if (plan.keeps_nodes && !plan.arranges_node())
    tell(slurm, kStepGroupingWord, plan_file);
  else
    tell(slurm, kStepPlanWord, plan_file);
  refine_if_set(slurm, [&] { return plan; });
  say_announcement(slurm);
}

// Its tasks find on their nodes what the plan's ranks of their numbers left there, and the other
// way round. Which cores they need is not known: Slurm binds them.
void follow_order(SlurmClient& slurm, const Plan& plan, std::string_view program) {
  if (lay_out_ranks(slurm, plan))
    slurm.say(
        fmt::format("this step's ranks go to the nodes of the plan's ranks, bound by Slurm: its "
                    "job's plan was not "
                    "made for {}",
                    program));
}

// Number of CPUs that each task wants, by either of two options of Slurm; nothing if that
// can't be made out.
std::optional<std::uint32_t> cpus_asked_for(const SlurmClient& slurm) {
  // 24.11 keeps a pointer into this text for its devices. Such a job has none, and its step fails.
  if (parse_tres_per_task(slurm.get(kTresPerTask)).has_devices) return std::nullopt;
  if (slurm.is_set("cpus-per-task")) return cpus_per_task(slurm);
  return cpus_per_task(slurm).value_or(1);
}

// A step of several tasks, but not as many as there are ranks. Which nodes one gets that takes part
// of a node's CPUs (--exact) depends on what else runs.
void follow_order_of_ranks(SlurmClient& slurm, const Plan& plan) {
  const auto tasks = number_in<std::uint32_t>(slurm.get("ntasks"));
  if (!tasks || *tasks < 2 || plan.keeps_nodes || placed_by_user(slurm) ||
      places_step(slurm.command_line()) ||
      wants_fewer_nodes(slurm, std::min(*tasks, plan.chosen.nodes)))
    return;
  for (const char* shares : {"exact", "exclusive", "overlap"})
    if (slurm.is_set(shares)) return;
  const auto nodes = nodes_of_step(plan, *tasks);
  if (!nodes) return;
  const auto cpus = cpus_asked_for(slurm);
  if (!cpus || !has_room(plan, *nodes, *cpus))
    return slurm.say(
        "this step's tasks go where Slurm puts them: there is no room for them beside the ranks "
        "that they would share nodes with as submitted");
  const std::vector<std::string> names = nodes_of_job(slurm);
  std::string list;
  for (const std::uint32_t node : *nodes) {
    if (node >= names.size()) return;
    list += (list.empty() ? "" : ",") + names[node];
  }
  const std::set<std::uint32_t> distinct(nodes->begin(), nodes->end());
  change_options(slurm, {{"nodes", std::to_string(distinct.size())},
                         {"distribution", "arbitrary"},
                         {"nodelist", list}});
}

}  // namespace

bool starts_a_launcher(const std::vector<std::string>& command_line) {
  constexpr std::array<std::string_view, 4> kDaemons = {"orted", "prted", "hydra_pmi_proxy",
                                                        "hydra_bstrap_proxy"};
  // By this word Slurm has mpiruns start their daemons, from 23.11 on.
  constexpr std::string_view kExternal = "--external-launcher";
  return std::any_of(command_line.begin(), command_line.end(), [&](const std::string& word) {
    if (word == kExternal) return true;
    const std::string name = std::filesystem::path(word).filename();
    return std::find(kDaemons.begin(), kDaemons.end(), name) != kDaemons.end();
  });
}

LaunchedProgram name_program(SlurmClient& slurm) {
  if (starts_a_launcher(slurm.command_line())) return {};  // mpirun's component did it
  untell(slurm, kProgramWord);  // that of a step which this one is started from
  untell(slurm, kProgramListWord);
  std::vector<std::string> words = slurm.program();
  if (words.empty()) return {};
  if (slurm.is_set("multi-prog")) {
    tell(slurm, kProgramListWord, "1");
    words.front() = std::filesystem::absolute(words.front());  // which PATH has no part in
  }
  const std::string job = slurm.variable("SLURM_JOB_ID").value_or("");
  std::string text;
  try {
    text = launch::text_with_files(words.front(), [&] {
      return text_of(launch::without_job(
          launch::launched_by(words, slurm.variable("PATH").value_or("")), job));
    });
  } catch (const Error&) {  // its name tells it from most others
    text = text_of(launch::without_job(LaunchedProgram{words.front(), {}}, job));
  }
  tell(slurm, kProgramWord, text);
  return launched_program_of(text);
}

void keep_within_job(SlurmClient& slurm) {
  const auto nodes = number_in<std::uint64_t>(slurm.variable("SLURM_JOB_NUM_NODES").value_or(""));
  if (!nodes) return;
  std::vector<OptionChange> changes;
  const NodeRange asked = parse_node_range(slurm.get("nodes")).value_or(NodeRange{});
  if (asked.least > *nodes) changes.push_back({"nodes", std::to_string(*nodes)});
  const auto tasks = number_in<std::uint32_t>(slurm.get("ntasks"));
  const auto per_node = number_in<std::uint32_t>(slurm.get("ntasks-per-node"));
  if (slurm.is_set("ntasks-per-node") && tasks && per_node && *per_node * *nodes < *tasks)
    changes.push_back({"ntasks-per-node", std::nullopt});
  change_options(slurm, changes);
}

void set_step_frequency(SlurmClient& slurm, const std::filesystem::path& plan_file) {
  refine_if_set(slurm, [&] { return launch::load_plan_in_time(plan_file); });
}

void lay_out_step(SlurmClient& slurm, const AggregateOption& option) {
  if (option.is_off()) return forget_what_was_decided(slurm);
  untell(slurm, kStepPlanWord);  // that of a step which this one is started from
  untell(slurm, kStepGroupingWord);
  leave_unmeasured(slurm);
  const std::string plan_file =
      slurm.variable(kPlanVariable).value_or(told(slurm, kGroupingWord).value_or(""));
  LaunchedProgram program;
  if (!plan_file.empty() || slurm.variable(kRecorderVariable) || told(slurm, kOutcomeWord))
    program = name_program(slurm);
  if (plan_file.empty() || starts_a_launcher(slurm.command_line())) return;
  // The plan is for one part of a heterogeneous job, srun may be for any.
  if (!slurm.variable("SLURM_HET_SIZE").value_or("").empty()) return;
  if (!slurm.shows_options()) throw Error("this Slurm does not show its options to plugins");
  const Plan plan = launch::load_plan_in_time(plan_file);
  if (plan.keeps_nodes == slurm.variable(kPlanVariable).has_value())
    throw Error(fmt::format("the plan {} is one of another kind", plan_file));
  const bool is_planned = slurm.get("ntasks") == std::to_string(plan.ranks);
  if (const auto nodes = other_number_of_nodes(slurm, plan)) {
    if (is_planned)
      slurm.say(
          fmt::format("this step's ranks go where Slurm puts them: its job has {} node{}, and the "
                      "plan is for {}",
                      *nodes, *nodes == 1 ? "" : "s", plan.chosen.nodes));
    return;
  }
  if (!is_planned) return follow_order_of_ranks(slurm, plan);
  if (const auto own = placing_option(slurm, plan))
    return slurm.say(
        fmt::format("this step's ranks go where --{} says, not where the plan says", *own));
  const auto file = plan.file_for(program, plan_file);
  if (!file) return follow_order(slurm, plan, program.name());
  if (*file == plan_file) return follow(slurm, plan, *file);
  const Plan companion = launch::load_plan_in_time(*file);
  if (companion.ranks != plan.ranks || companion.chosen.nodes > plan.chosen.nodes ||
      companion.keeps_nodes != plan.keeps_nodes)
    throw Error(fmt::format("{} does not belong to {}", file->string(), plan_file));
  // As in plans of before all programs of a job had one order.
  if (!same_order(companion, plan)) return follow_order(slurm, plan, program.name());
  follow(slurm, companion, *file);
}

}  // namespace huddle::submission
