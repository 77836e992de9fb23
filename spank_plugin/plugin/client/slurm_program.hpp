#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::plugin {

/// The sbatch, salloc or srun that loaded the plugin. Slurm keeps its options in a global of the
/// program and gives access by functions that are not in its headers; they are looked up at run
/// time, and where one is missing the options are not shown. Slurm reads them in one thread.
class SlurmProgram : public submission::SlurmClient {
 public:
  SlurmProgram();

  [[nodiscard]] bool shows_options() const override { return options_ != nullptr; }
  [[nodiscard]] bool is_set(const char* option) const override;
  [[nodiscard]] std::string get(const char* option) const override;
  bool set(const char* option, const char* value) override;
  void reset(const char* option) override;

  [[nodiscard]] std::optional<std::string> variable(const char* name) const override;
  void set_variable(const char* name, const std::string& value) override;
  void unset_variable(const char* name) override;

  [[nodiscard]] std::string user() const override;
  [[nodiscard]] std::string home() const override;
  [[nodiscard]] std::vector<std::string> groups() const override;
  [[nodiscard]] std::vector<std::string> command_line() const override;
  [[nodiscard]] std::vector<std::string> program() const override;
  [[nodiscard]] std::optional<std::string> script() const override;

  [[nodiscard]] std::vector<std::string> partitions() const override;
  [[nodiscard]] std::string account() const override;
  [[nodiscard]] std::string why_nodes_are_missing(std::uint32_t nodes,
                                                  const submission::NodeNeed& node) const override;
  [[nodiscard]] submission::NodeTerms node_terms() const override;
  [[nodiscard]] bool has_several_threads() const override;
  [[nodiscard]] std::optional<Seconds> usual_time_limit() const override;
  [[nodiscard]] submission::TrialAnswer try_submission() const override;
  [[nodiscard]] std::vector<std::string> node_names(const std::string& list) const override;

  /// A line that is the same as this process's last one is left out.
  void say(const std::string& line) override;

 private:
  /// The values of all options, whether they are set, and who asks; nothing if this Slurm does not
  /// list its options.
  [[nodiscard]] std::optional<std::string> all_that_is_asked() const;
  /// The controller's answer, or that to the same question less than `most_age` ago.
  [[nodiscard]] std::string answer(std::string_view question, std::chrono::seconds most_age,
                                   const std::function<std::string()>& ask) const;

  ControllerAnswers controller_;
  void* options_ = nullptr;
  char* (*get_)(void*, const char*) = nullptr;
  bool (*is_set_)(void*, const char*) = nullptr;
  int (*set_)(void*, const char*, const char*, bool) = nullptr;
  bool (*reset_)(void*, const char*) = nullptr;
  void (*free_)(void**) = nullptr;
};

}  // namespace huddle::plugin
