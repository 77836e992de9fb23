#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// An sbatch that is none: what a user set, an environment, and what was done to both.
class FakeSlurm : public SlurmClient {
 public:
  [[nodiscard]] bool shows_options() const override { return shown; }
  [[nodiscard]] bool is_set(const char* option) const override { return options.contains(option); }
  [[nodiscard]] std::string get(const char* option) const override {
    const auto found = options.find(option);
    if (found != options.end()) return found->second;
    const auto by_default = defaults.find(option);
    return by_default != defaults.end() ? by_default->second : "";
  }
  bool set(const char* option, const char* value) override {
    if (refused == option) return false;
    options[option] = value != nullptr ? value : "";
    return true;
  }
  void reset(const char* option) override { options.erase(option); }

  [[nodiscard]] std::optional<std::string> variable(const char* name) const override {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  void set_variable(const char* name, const std::string& value) override {
    variables[name] = value;
  }
  void unset_variable(const char* name) override { variables.erase(name); }

  [[nodiscard]] std::string user() const override { return "ann"; }
  [[nodiscard]] std::string home() const override { return home_directory; }
  [[nodiscard]] std::vector<std::string> groups() const override { return {"staff"}; }
  [[nodiscard]] std::vector<std::string> command_line() const override { return words; }
  [[nodiscard]] std::vector<std::string> program() const override { return program_words; }
  [[nodiscard]] std::optional<std::string> script() const override { return script_text; }

  [[nodiscard]] std::vector<std::string> partitions() const override {
    if (!unknown.empty()) throw Error(unknown);
    return partition_names;
  }
  [[nodiscard]] std::string account() const override {
    if (!unknown.empty()) throw Error(unknown);
    return get("account");
  }
  [[nodiscard]] std::string why_nodes_are_missing(std::uint32_t,
                                                  const NodeNeed& need) const override {
    needed = need;
    return missing;
  }
  [[nodiscard]] NodeTerms node_terms() const override { return terms; }
  [[nodiscard]] bool has_several_threads() const override { return several_threads; }
  [[nodiscard]] std::optional<Seconds> usual_time_limit() const override { return time_limit; }
  [[nodiscard]] TrialAnswer try_submission() const override {
    const bool packed = options.contains("exclusive") || is_set("ntasks-per-node");
    return packed ? TrialAnswer{refusal, packed_cpus} : TrialAnswer{"", 16};
  }
  [[nodiscard]] std::vector<std::string> node_names(const std::string&) const override {
    return nodes;
  }

  void say(const std::string& line) override { lines.push_back(line); }

  using Texts = std::map<std::string, std::string, std::less<>>;
  bool shown = true;
  /// The options that the user, or the plugin, set; and those that Slurm has without.
  Texts options;
  Texts defaults = {{"job-name", "halo"}};
  /// An option that Slurm does not take from the plugin.
  std::string refused;
  Texts variables;
  std::string home_directory = "/home/ann";
  std::vector<std::string> words = {"sbatch", "job.sh"};
  std::vector<std::string> program_words;
  std::optional<std::string> script_text = "#!/bin/sh\nsrun ./app\n";
  std::vector<std::string> partition_names = {"main"};
  /// Why Slurm does not say which partitions and account the job gets.
  std::string unknown;
  std::string missing;
  mutable NodeNeed needed;
  /// A site that gives whole nodes.
  NodeTerms terms = {.whole_nodes = true};
  bool several_threads = false;
  std::optional<Seconds> time_limit;
  /// Why Slurm would not run the job with the plugin's options.
  std::string refusal;
  std::uint32_t packed_cpus = 16;
  std::vector<std::string> nodes = {"n0", "n1"};
  std::vector<std::string> lines;
};

}  // namespace huddle::submission
