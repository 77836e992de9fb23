#include "spank_plugin/submission/asked/placing_options.hpp"

#include <optional>
#include <string>

#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::submission {
namespace {

// True if no word of the list is another than `wanted` and those about what Slurm prints.
template <std::size_t kSize>
bool has_only(std::string_view list, const std::array<std::string_view, kSize>& wanted) {
  constexpr std::array<std::string_view, 4> kPrinting = {"quiet", "q", "verbose", "v"};
  if (list.empty()) return false;
  while (!list.empty())
    if (const std::string_view word = take_until(list, ',');
        !among(wanted, word) && !among(kPrinting, word))
      return false;
  return true;
}

// Nodes are filled one after the other, and what the second and third level say of sockets and
// cores is overridden by what ranks are bound to.
bool fills_in_order(std::string_view distribution) {
  constexpr std::array<std::string_view, 3> kInOrder = {"block", "*", ""};
  constexpr std::array<std::string_view, 4> kWithinNode = {"block", "cyclic", "*", ""};
  if (distribution.empty() || !among(kInOrder, take_until(distribution, ':'))) return false;
  while (!distribution.empty())
    if (!among(kWithinNode, take_until(distribution, ':'))) return false;
  return true;
}

template <std::size_t kSize>
bool is_variable(std::string_view word, const std::array<std::string_view, kSize>& names) {
  if (!word.starts_with('$')) return false;
  word.remove_prefix(1);
  if (word.starts_with('{') && word.ends_with('}')) word = word.substr(1, word.size() - 2);
  return among(names, word);
}

bool names_ranks_of_job(std::string_view word) {
  constexpr std::array<std::string_view, 2> kNames = {"SLURM_NTASKS", "SLURM_NPROCS"};
  return is_variable(word, kNames);
}

}  // namespace

bool says_what_plans_do(std::string_view option, std::string_view value) {
  const std::string low = in_lower_case(value);
  if (option == "cpu-bind") return has_only(low, std::array<std::string_view, 1>{"cores"});
  if (option == "mem-bind")
    return has_only(low, std::array<std::string_view, 3>{"local", "none", "no"});
  if (option == "distribution") return fills_in_order(low);
  return (option == "threads-per-core" || option == "ntasks-per-core") && low == "1";
}

bool names_nodes_of_job(std::string_view word) {
  constexpr std::array<std::string_view, 2> kNames = {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"};
  return is_variable(word, kNames);
}

bool repeats_request(const StepSize& step, const RequestedSize& job) {
  if (job.nodes == 0 || job.ranks <= job.nodes) return false;
  const auto number = [](std::string_view word) { return number_in<std::uint32_t>(word); };
  if (!step.nodes.empty() && !names_nodes_of_job(step.nodes) && number(step.nodes) != job.nodes)
    return false;
  if (!step.ranks.empty() && !names_ranks_of_job(step.ranks) && number(step.ranks) != job.ranks)
    return false;
  return step.ranks_per_node.empty() ||
         number(step.ranks_per_node) == (job.ranks + job.nodes - 1) / job.nodes;
}

}  // namespace huddle::submission
