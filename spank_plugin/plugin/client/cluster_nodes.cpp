#include "spank_plugin/plugin/client/cluster_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/text.hpp"
#include "spank_plugin/plugin/client/slurm_api.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>
}

namespace huddle::plugin {
namespace {

using Partitions = std::shared_ptr<const partition_info_msg_t>;
using Nodes = std::shared_ptr<const node_info_msg_t>;
using Configuration = std::shared_ptr<const slurm_conf_t>;

Partitions load_partitions() {
  partition_info_msg_t* message = nullptr;
  // Those as well that lists leave out (Hidden=YES): jobs may name them.
  if (slurm_load_partitions(0, &message, SHOW_ALL) != SLURM_SUCCESS)
    throw Error("Slurm's controller does not list its partitions");
  return {message, slurm_free_partition_info_msg};
}

// Nothing where the site shows its nodes to operators only (PrivateData=nodes).
Nodes load_nodes() {
  node_info_msg_t* message = nullptr;
  errno = 0;
  if (slurm_load_node(0, &message, 0) == SLURM_SUCCESS) {
    const Nodes nodes(message, slurm_free_node_info_msg);
    return nodes->record_count != 0 ? nodes : nullptr;
  }
  if (errno == ESLURM_ACCESS_DENIED) return nullptr;
  throw Error("Slurm's controller does not list its nodes");
}

// Slurm 26.05 gave the function another name.
void free_configuration(slurm_conf_t* configuration) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
  slurm_free_conf(configuration);
#else
  slurm_free_ctl_conf(configuration);
#endif
}

Configuration load_configuration() {
  slurm_conf_t* configuration = nullptr;
  if (slurm_load_ctl_conf(0, &configuration) != SLURM_SUCCESS)
    throw Error("Slurm's controller does not give its configuration");
  return {configuration, free_configuration};
}

template <class Answer>
const Answer& asked_once(std::optional<Answer>& answer, Answer (*ask)()) {
  if (!answer) answer = ask();
  return *answer;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::string_view word = take_until(list, ',');
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

bool is_up(const node_info_t& node) {
  const std::uint32_t base = node.node_state & NODE_STATE_BASE;
  constexpr std::uint32_t kAway = NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND;
  return base != NODE_STATE_DOWN && base != NODE_STATE_ERROR && base != NODE_STATE_FUTURE &&
         (node.node_state & kAway) == 0;
}

// Without those that are kept for the system.
std::uint32_t cpus_of(const node_info_t& node) {
  return node.cpus_efctv != 0 ? node.cpus_efctv : node.cpus;
}

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;

// Without what is kept for the system. Slurm counts in MiB.
Bytes memory_of(const node_info_t& node) {
  const std::uint64_t kept = node.mem_spec_limit;
  return {(node.real_memory - std::min(kept, node.real_memory)) * kMebi};
}

// Nothing where Slurm knows no more than the number of CPUs, each of which it then calls a socket.
std::optional<NodeShape> shape_of(const node_info_t& node) {
  if (node.sockets == 0 || node.cores == 0) return std::nullopt;
  if (node.cores == 1 && node.threads <= 1 && node.sockets == node.cpus) return std::nullopt;
  return NodeShape{node.sockets, std::uint32_t{node.sockets} * node.cores};
}

// Cores only: what Slurm calls a socket may be a NUMA node or the cores below an L3
// (SlurmdParameters=numa_node_as_socket and l3cache_as_socket).
bool contradicts(const node_info_t& node, const submission::NodeNeed& need) {
  const std::optional<NodeShape> shape = shape_of(node);
  return shape && need.shape && shape->cores != need.shape->cores;
}

std::string text_of(const NodeShape& shape) {
  return fmt::format("{} package{} with {} core{}", shape.packages, shape.packages == 1 ? "" : "s",
                     shape.cores, shape.cores == 1 ? "" : "s");
}

/// The nodes that the job may have.
struct Choice {
  std::set<std::string> excluded;
  /// Only nodes with this feature; empty: any.
  std::string feature;

  [[nodiscard]] bool allows(const node_info_t& node) const {
    if (!is_up(node) || excluded.contains(slurm_text(node.name))) return false;
    if (feature.empty()) return true;
    const char* active = node.features_act != nullptr ? node.features_act : node.features;
    const std::vector<std::string> features = split(slurm_text(active));
    return std::find(features.begin(), features.end(), feature) != features.end();
  }
};

Choice choice_of(const submission::SlurmClient& options) {
  Choice choice;
  if (options.is_set("exclude"))
    for (std::string& name : expand_node_names(options.get("exclude")))
      choice.excluded.insert(std::move(name));
  if (options.is_set("constraint")) choice.feature = options.get("constraint");
  return choice;
}

std::string below_least(const partition_info_t& partition, std::uint32_t nodes) {
  if (partition.min_nodes == NO_VAL || nodes >= partition.min_nodes) return {};
  return fmt::format("partition {} gives no fewer than {} nodes", partition.name,
                     partition.min_nodes);
}

std::string missing_in(const partition_info_t& partition, const node_info_msg_t& all,
                       const Choice& choice, std::uint32_t nodes,
                       const submission::NodeNeed& need) {
  const std::uint32_t most = partition.max_cpus_per_node;
  const bool capped = most != 0 && most != INFINITE && most != NO_VAL;
  const auto fits = [&](const node_info_t& node) {
    return choice.allows(node) && cpus_of(node) >= need.cpus && memory_of(node) >= need.memory &&
           !(capped && (need.whole ? cpus_of(node) : need.cpus) > most);
  };
  std::uint32_t enough = 0;
  std::uint32_t others = 0;
  std::optional<NodeShape> other_shape;
  const auto count = [&](const node_info_t& node) {
    if (!fits(node)) return;
    ++enough;
    if (!contradicts(node, need)) return;
    ++others;
    other_shape = shape_of(node);
  };
  // Pairs of first and last index, ended by -1.
  for (const int* range = partition.node_inx; range != nullptr && *range >= 0; range += 2)
    for (int i = range[0]; i <= range[1] && static_cast<std::uint32_t>(i) < all.record_count; ++i)
      count(all.node_array[i]);
  if (enough - others >= nodes) return {};
  if (enough >= nodes && need.shape && other_shape)
    return fmt::format(
        "the plan is for nodes of {}, and partition {} has nodes of {}: huddle doctor compares the "
        "machine document with them",
        text_of(*need.shape), partition.name, text_of(*other_shape));
  if (capped)
    return fmt::format("partition {} gives at most {} CPUs of a node, and a plan needs {}",
                       partition.name, most,
                       need.whole ? "whole nodes" : fmt::format("{} of them", need.cpus));
  const std::string memory =
      need.memory == Bytes{} ? "" : fmt::format(" and {} MiB", need.memory.value / kMebi);
  return fmt::format("the plan needs {} node(s) with {} CPUs{} and partition {} has {} of them",
                     nodes, need.cpus, memory, partition.name, enough);
}

// Calls `use` with each partition that the job may run in: those that it names, or Slurm's default.
template <class Use>
void for_each_meant(const partition_info_msg_t& partitions, const submission::SlurmClient& options,
                    Use use) {
  const std::vector<std::string> named =
      options.is_set("partition") ? split(options.get("partition")) : std::vector<std::string>();
  for (std::uint32_t i = 0; i < partitions.record_count; ++i) {
    const partition_info_t& partition = partitions.partition_array[i];
    const bool is_meant = named.empty() ? (partition.flags & PART_FLAG_DEFAULT) != 0
                                        : std::find(named.begin(), named.end(),
                                                    slurm_text(partition.name)) != named.end();
    if (is_meant) use(partition);
  }
}

bool is_known(const partition_info_msg_t& partitions, const std::string& name) {
  return std::any_of(
      partitions.partition_array, partitions.partition_array + partitions.record_count,
      [&](const partition_info_t& partition) { return slurm_text(partition.name) == name; });
}

// 0 and these stand for none.
bool gives_memory(std::uint64_t by_default) {
  return by_default != 0 && by_default != NO_VAL64 && by_default != INFINITE64;
}

// "CPU=1.0,Mem=0.25G,GRES/gpu=2.0". What has no weight is not charged.
bool charges_memory(std::string_view weights) {
  const std::string words = in_lower_case(weights);
  for (std::string_view rest = words; !rest.empty();)
    if (take_until(rest, ',').starts_with("mem=")) return true;
  return false;
}

// "a&b", "a*4", "[x|y]" and the like are Slurm's to understand.
bool is_one_feature(std::string_view constraint) {
  return constraint.find_first_of("&|*[](),:") == std::string_view::npos;
}

}  // namespace

struct ControllerAnswers::Kept {
  std::optional<Partitions> partitions;
  std::optional<Nodes> nodes;
  std::optional<Configuration> configuration;
};

ControllerAnswers::ControllerAnswers() : kept_(std::make_shared<Kept>()) {}

const partition_info_msg_t& ControllerAnswers::partitions() const {
  return *asked_once(kept_->partitions, load_partitions);
}

const node_info_msg_t* ControllerAnswers::nodes() const {
  return asked_once(kept_->nodes, load_nodes).get();
}

const slurm_conf_t& ControllerAnswers::configuration() const {
  return *asked_once(kept_->configuration, load_configuration);
}

std::vector<std::string> expand_node_names(const std::string& node_list) {
  // Slurm makes a list of an empty text, too.
  auto* const list = node_list.empty() ? nullptr : slurm_hostlist_create(node_list.c_str());
  if (list == nullptr)
    throw Error(fmt::format("Slurm can't read the node list \"{}\"", shortened(node_list)));
  std::vector<std::string> names;
  while (char* name = slurm_hostlist_shift(list)) {
    names.emplace_back(name);
    std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): malloc'ed by Slurm, as its header says
  }
  slurm_hostlist_destroy(list);
  return names;
}

std::vector<std::string> partitions_of(const ControllerAnswers& controller,
                                       const submission::SlurmClient& options) {
  const partition_info_msg_t& all = controller.partitions();
  if (options.is_set("partition")) {
    std::vector<std::string> named = split(options.get("partition"));
    for (const std::string& name : named)
      if (!is_known(all, name))
        throw Error(fmt::format("Slurm knows no partition \"{}\"", shortened(name)));
    return named;
  }
  for (std::uint32_t i = 0; i < all.record_count; ++i)
    if ((all.partition_array[i].flags & PART_FLAG_DEFAULT) != 0)
      return {slurm_text(all.partition_array[i].name)};
  return {};
}

std::string why_nodes_are_missing(const ControllerAnswers& controller,
                                  const submission::SlurmClient& options, std::uint32_t nodes,
                                  const submission::NodeNeed& node) {
  const Choice choice = choice_of(options);
  if (!is_one_feature(choice.feature))
    return fmt::format("which nodes --constraint={} leaves is not known", choice.feature);
  const partition_info_msg_t& partitions = controller.partitions();
  const node_info_msg_t* const all = controller.nodes();
  std::string why;
  std::string missing;
  // The job may start in any of them, so each must have the nodes.
  for_each_meant(partitions, options, [&](const partition_info_t& partition) {
    if (why.empty()) why = below_least(partition, nodes);
    if (all != nullptr && missing.empty())
      missing = missing_in(partition, *all, choice, nodes, node);
  });
  if (!why.empty() || missing.empty()) return why;
  // A list that may lack nodes proves nothing; the trial submission asks the controller itself.
  return (controller.configuration().private_data & PRIVATE_DATA_NODES) != 0 ? "" : missing;
}

submission::NodeTerms node_terms(const ControllerAnswers& controller,
                                 const submission::SlurmClient& options) {
  const slurm_conf_t& configuration = controller.configuration();
  submission::NodeTerms terms;
  terms.whole_nodes = true;
  const bool always_whole = slurm_text(configuration.select_type) == "select/linear";
  for_each_meant(controller.partitions(), options, [&](const partition_info_t& partition) {
    terms.whole_nodes = terms.whole_nodes && (always_whole || partition.max_share == 0);
    terms.charges_memory =
        terms.charges_memory || charges_memory(slurm_text(partition.billing_weights_str));
    const std::uint64_t usual = gives_memory(partition.def_mem_per_cpu)
                                    ? partition.def_mem_per_cpu
                                    : configuration.def_mem_per_cpu;
    if (gives_memory(usual) && (usual & MEM_PER_CPU) == 0)
      terms.memory = std::max(terms.memory, Bytes{usual * kMebi});
  });
  return terms;
}

Bytes memory_of_nodes(const ControllerAnswers& controller, const std::vector<std::string>& names) {
  const node_info_msg_t* const all = controller.nodes();
  Bytes sum;
  for (std::uint32_t i = 0; all != nullptr && i < all->record_count; ++i) {
    const node_info_t& node = all->node_array[i];
    if (std::find(names.begin(), names.end(), slurm_text(node.name)) != names.end())
      sum.value += memory_of(node).value;
  }
  return sum;
}

bool accounts_are_kept(const ControllerAnswers& controller) {
  return slurm_text(controller.configuration().accounting_storage_type).ends_with("/slurmdbd");
}

bool limits_are_enforced(const ControllerAnswers& controller) {
  constexpr std::uint16_t kLimits = 2;  // Slurm's ACCOUNTING_ENFORCE_LIMITS, in none of its headers
  return (controller.configuration().accounting_storage_enforce & kLimits) != 0;
}

std::set<std::string> qos_of_partitions(const ControllerAnswers& controller,
                                        const submission::SlurmClient& options) {
  std::set<std::string> names;
  for_each_meant(controller.partitions(), options, [&](const partition_info_t& partition) {
    if (const std::string name = slurm_text(partition.qos_char); !name.empty()) names.insert(name);
  });
  return names;
}

std::optional<Seconds> usual_time_limit(const ControllerAnswers& controller,
                                        const submission::SlurmClient& options) {
  std::optional<Seconds> shortest;
  for_each_meant(controller.partitions(), options, [&](const partition_info_t& partition) {
    std::uint32_t minutes = partition.default_time;
    if (minutes == NO_VAL) minutes = partition.max_time;
    if (minutes == NO_VAL || minutes == INFINITE) return;
    const Seconds limit{minutes * 60.0};
    shortest = shortest ? std::min(*shortest, limit) : limit;
  });
  return shortest;
}

}  // namespace huddle::plugin
