// huddle setup: writes what a site needs, and says what is left to do.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/setup/setup_parts.hpp"
#include "aggregator/operations/doctor/plugstack.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/trusted_file.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualDirectory = "/etc/slurm";

struct Options {
  std::string directory = kUsualDirectory;
  std::string store;
  std::string topology;
  std::uint32_t nodes = 0;
  bool dry_run = false;
};

bool is_there(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// Files that root writes by their paths must not end up where somebody else leads them.
void check_place(const fs::path& path) {
  if (::geteuid() != 0) return;
  if (const std::string why = files::why_untrusted(path); !why.empty())
    throw Error(fmt::format(
        "{}: root writes and follows only what nobody else can change; let root own {} and each "
        "folder on the way",
        why, path.string()));
}

// Whole, and readable for users: run() has seen to the umask.
void write_for_all(const fs::path& path, const std::string& text) {
  check_place(path.parent_path());
  files::AtomicFile file(path);
  file.write(text);
  file.commit();
}

bool is_same_place(const fs::path& one, const fs::path& other) {
  return (one / "").lexically_normal() == (other / "").lexically_normal();
}

void say(const std::string& line) {
  render::put_out(line + "\n");
}

/// The steps; each is done, or was done before.
class Setup {
 public:
  explicit Setup(const Options& options)
      : options_(options),
        directory_(fs::absolute(options.directory).lexically_normal()),
        policy_(directory_ / "huddle.toml") {
    if (!directory_.has_filename()) directory_ = directory_.parent_path();
    if (!fs::is_directory(directory_))
      throw Error(
          fmt::format("there is no directory {}: name that of Slurm's configuration by "
                      "--directory",
                      directory_.string()));
    check_place(directory_);
    first_.machine = directory_ / "huddle-machine.json";
    first_.model = directory_ / "huddle-model.json";
    first_.has_model = is_there(first_.model);
    if (!options.store.empty())
      first_.store =
          options.store.starts_with("~/") ? options.store : fs::absolute(options.store).string();
    if (is_there(policy_)) take_policy();
  }

  void run() {
    make_machine();
    make_store();
    make_policy();
    name_plugin();
    say(first_.has_model
            ? fmt::format("A model is there: {}", first_.model.string())
            : "There is no model: a job is packed only as densely as a measured run of it covers, "
              "so one or two runs are measured first. To make one: huddle train --run");
  }

  [[nodiscard]] const fs::path& policy() const { return policy_; }

 private:
  // A policy that is there says where the rest is.
  void take_policy() {
    check_place(policy_);
    const Policy policy = load_policy(policy_);
    if (!policy.machine_file.empty()) first_.machine = policy.machine_file;
    if (!policy.model_file.empty()) first_.model = policy.model_file;
    first_.has_model = !policy.model_file.empty() && is_there(policy.model_file);
    if (!first_.store.empty() && !is_same_place(first_.store, policy.profiles_directory))
      not_taken_ = first_.store;
    const bool in_homes = policy.profiles_directory.starts_with("~/");
    if (!in_homes || !not_taken_.empty()) first_.store = policy.profiles_directory;
    if (policy.machine_file.empty()) unnamed_ = true;
  }

  [[nodiscard]] const char* wrote() const { return options_.dry_run ? "would write" : "wrote"; }

  // The names of the nodes of that shape, as Slurm says.
  static std::vector<std::string> nodes_like(const commgraph::NodeTopology& node,
                                             const SlurmSite& slurm) {
    std::vector<std::string> names;
    for (const SlurmNode& of : slurm.nodes)
      if (of.packages == node.packages &&
          of.cores_per_package == node.dies_per_package * node.cores_per_die)
        names.push_back(of.name);
    return names;
  }

  // Their number, as the user or Slurm says.
  std::uint32_t count_nodes(const commgraph::NodeTopology& node, const SlurmSite& slurm) const {
    if (options_.nodes > 0) return options_.nodes;
    if (slurm.nodes.empty())
      throw UsageError("Slurm does not say which nodes there are: give their number by --nodes");
    const std::size_t alike = nodes_like(node, slurm).size();
    if (alike == 0)
      throw Error(fmt::format(
          "{} has {} package(s) of {} cores, and no node of Slurm's has: run this on a node, or "
          "give --topology FILE (an XML file of lstopo's from a node)",
          options_.topology.empty() ? "this machine" : options_.topology, node.packages,
          node.dies_per_package * node.cores_per_die));
    return static_cast<std::uint32_t>(alike);
  }

  // A document that is kept may be older than what it can say of nodes that no job uses.
  void compare_with_power_saving() const {
    std::optional<Machine> machine;
    std::vector<std::string> names;
    const SlurmSite slurm = ask_slurm_for_nodes();
    try {
      machine = load_machine(first_.machine);
      names =
          nodes_like(commgraph::load_topology(machine->topology, first_.machine.string()), slurm);
    } catch (const Error&) {  // the doctor says what is wrong with it
      return;
    }
    const UnusedNodes unused = unused_nodes_of(slurm.power_saving, names);
    if (machine->unused_nodes || unused.origin == Origin::kAssumed) return;
    say(fmt::format(
        "to do: it says nothing of nodes that no job uses, and Slurm powers some down ({}): write "
        "unused_nodes into it; huddle setup --directory OTHER writes a document that has it",
        text_of(fates_of(unused, static_cast<std::uint32_t>(names.size())))));
  }

  void make_machine() {
    if (is_there(first_.machine)) {
      say(fmt::format("kept {}: it is there", first_.machine.string()));
      return compare_with_power_saving();
    }
    const SlurmSite slurm = ask_slurm_for_nodes();
    Machine machine;
    machine.topology = topology_text(options_.topology);
    const commgraph::NodeTopology node = commgraph::load_topology(
        machine.topology, options_.topology.empty() ? "this machine" : options_.topology);
    machine.node_memory = node.memory;
    machine.nodes = count_nodes(node, slurm);
    machine.name = slurm.cluster.empty() ? "nodes" : slurm.cluster;
    if (const std::vector<std::string> names = nodes_like(node, slurm); !names.empty())
      machine.unused_nodes = unused_nodes_of(slurm.power_saving, names);
    if (!options_.dry_run) write_for_all(first_.machine, to_json(machine));
    say(
        fmt::format("{} {}: {} node(s) of {} package(s) x {} die(s) ({}) x {} core(s); link times "
                    "are assumptions, huddle machine calibrate measures them",
                    wrote(), first_.machine.string(), machine.nodes, node.packages,
                    node.dies_per_package, name_of(node.die_level), node.cores_per_die));
    if (!machine.unused_nodes) return;
    const bool assumed = machine.unused_nodes->origin == Origin::kAssumed;
    say(fmt::format("nodes that no job uses: {} ({})",
                    text_of(fates_of(machine.unused_nodes, machine.nodes)),
                    assumed ? "Slurm powers none down; if they stay idle instead, write so into "
                              "unused_nodes of the document"
                            : "as Slurm powers nodes down"));
  }

  void make_store() {
    if (!not_taken_.empty())
      say(fmt::format(
          "made no {}: {} is kept, by which profiles go to {}; to change that, write into it, in "
          "[profiles]:\n    directory = \"{}\"",
          not_taken_, policy_.string(), first_.store, not_taken_));
    if (first_.store.empty())
      return say(
          "made no profile directory: profiles go to ~/.huddle, which works if homes are "
          "shared; else give --store");
    if (first_.store.starts_with("~/")) return;
    if (is_there(first_.store)) {
      // One that a policy names already is for the doctor to judge.
      if (const std::string why = is_there(policy_) ? "" : why_no_store(first_.store); !why.empty())
        throw Error(why);
      return say(fmt::format("kept {}: it is there", first_.store));
    }
    if (!options_.dry_run) make_store_directory(first_.store);
    say(fmt::format("{} {}, mode 1777", options_.dry_run ? "would make" : "made", first_.store));
  }

  void make_policy() {
    if (is_there(policy_)) {
      say(fmt::format("kept {}: it is there", policy_.string()));
      if (unnamed_)
        say(
            fmt::format("to do: it names no machine document; write into it, in [machine]:\n"
                        "    file = \"{}\"",
                        first_.machine.string()));
      return;
    }
    const std::string text = policy_text(first_);
    static_cast<void>(parse_policy(text, policy_.string()));
    if (!options_.dry_run) write_for_all(policy_, text);
    say(fmt::format("{} {}: mode = \"advise\", which changes no job", wrote(), policy_.string()));
  }

  void name_plugin() const {
    const fs::path plugstack = directory_ / "plugstack.conf";
    if (const auto line = doctor::find_huddle(doctor::read_plugstack(plugstack)))
      return say(fmt::format("kept {}: it loads {}", line->place, line->plugin));
    const bool usual = policy_ == fs::path(kUsualDirectory) / "huddle.toml";
    say(
        fmt::format("to do: write into {}, on all machines of Slurm:\n"
                    "    optional spank_huddle.so{}",
                    plugstack.string(), usual ? "" : " policy=" + policy_.string()));
  }

  const Options& options_;
  fs::path directory_;
  fs::path policy_;
  FirstPolicy first_;
  bool unnamed_ = false;
  /// The store that --store names and the policy that is kept does not.
  std::string not_taken_;
};

// The doctor's own words, and its status.
int run_doctor(const fs::path& policy) {
  constexpr std::chrono::minutes kPatience{2};
  const processes::ChildResult result = processes::run_child(
      {fs::read_symlink("/proc/self/exe").string(), "doctor", "--policy=" + policy.string()},
      kPatience);
  if (result.timed_out) throw Error("huddle doctor did not end within 2 minutes");
  render::put_out("\n" + result.output);
  fmt::print(stderr, "{}", result.errors);
  return result.status;
}

void run(const Options& options) {
  ::umask(022);  // what is written is for all to read
  Setup setup(options);
  try {
    setup.run();
  } catch (const SystemError& error) {
    const bool rights =
        ::geteuid() != 0 && (error.error_number() == EACCES || error.error_number() == EPERM);
    if (!rights) throw;
    throw Error(fmt::format("{}: run this as root, or name another --directory", error.what()));
  }
  if (options.dry_run) return say("nothing was written, and the doctor not asked (--dry-run)");
  if (run_doctor(setup.policy()) != 0) cli::end_with(1);
}

}  // namespace

void add_setup_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "setup",
      "Write what a site needs, as root on one of its nodes: machine document, profile directory "
      "and huddle.toml; keeps what is there. Says what is left to do, and runs huddle doctor");
  command->add_option("--directory", options->directory, "where Slurm's configuration is")
      ->capture_default_str();
  command
      ->add_option("--store", options->store,
                   "root of the profiles, on a file system that all nodes share; made if its "
                   "parent is there (default: none, profiles go to ~/.huddle)")
      ->value("DIRECTORY");
  command->add_option("--topology", options->topology,
                      "hwloc's synthetic form or an XML file of lstopo's from a node (default: "
                      "this machine)");
  command->add_option("--nodes", options->nodes, "how many nodes (default: as Slurm says)")
      ->check(cli::Range(1U, 1U << 20U));
  command->add_flag("--dry-run", options->dry_run, "say what would be done, and do nothing");
  command->add_example("huddle setup --store /shared/huddle --dry-run", "says what it would write");
  command->add_example("huddle setup --store /shared/huddle");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
