#include "spank_plugin/plugin/client/slurm_program.hpp"

#include <fmt/format.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/mpirun_record.hpp"
#include "spank_plugin/plugin/client/answer_cache.hpp"
#include "spank_plugin/plugin/client/association_limits.hpp"
#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/plugin/client/command_line.hpp"
#include "spank_plugin/plugin/client/slurm_api.hpp"
#include "spank_plugin/plugin/client/submitted_script.hpp"
#include "spank_plugin/plugin/client/trial_submission.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {

// NOLINTBEGIN(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread

namespace {

// Nodes go down and come back; limits of partitions and associations seldom change.
constexpr std::chrono::seconds kAnswerAge{10};
constexpr std::chrono::seconds kTrialAge{60};

template <class Function>
bool look_up(Function& function, SymbolName name) {
  function = slurm_function<Function>(name);
  return function != nullptr;
}

}  // namespace

SlurmProgram::SlurmProgram() {
  if (look_up(get_, "slurm_option_get") && look_up(is_set_, "slurm_option_isset") &&
      look_up(set_, "slurm_option_set") && look_up(reset_, "slurm_option_reset") &&
      look_up(free_, "slurm_xfree"))
    options_ = slurm_options();
}

bool SlurmProgram::is_set(const char* option) const {
  return is_set_(options_, option);
}

std::string SlurmProgram::get(const char* option) const {
  char* value = get_(options_, option);
  if (value == nullptr) return {};
  std::string text(value);
  void* memory = value;
  free_(&memory);
  return text;
}

bool SlurmProgram::set(const char* option, const char* value) {
  constexpr int kSuccess = 0;
  return set_(options_, option, value, false) == kSuccess;
}

void SlurmProgram::reset(const char* option) {
  static_cast<void>(reset_(options_, option));
}

std::optional<std::string> SlurmProgram::variable(const char* name) const {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

void SlurmProgram::set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

void SlurmProgram::unset_variable(const char* name) {
  ::unsetenv(name);
}

std::string SlurmProgram::user() const {
  return store::current_user();
}

std::string SlurmProgram::home() const {
  return store::current_home();
}

std::vector<std::string> SlurmProgram::groups() const {
  return store::current_groups();
}

std::vector<std::string> SlurmProgram::command_line() const {
  return launch::words_of_process("self");
}

std::vector<std::string> SlurmProgram::program() const {
  auto line = read_command_line(command_line());
  return line ? std::move(line->program) : std::vector<std::string>();
}

std::optional<std::string> SlurmProgram::script() const {
  return submitted_script(*this);
}

std::optional<std::string> SlurmProgram::all_that_is_asked() const {
  const OptionTable table(options_);
  if (table.entries() == nullptr) return std::nullopt;
  std::string asked =
      fmt::format("{} {} {}", ::geteuid(), ::getegid(), variable("SLURM_CONF").value_or(""));
  for (const struct option* each = table.entries(); each->name != nullptr; ++each)
    asked += fmt::format("\n{}{}={}", is_set(each->name) ? "*" : "", each->name, get(each->name));
  return asked;
}

std::string SlurmProgram::answer(std::string_view question, std::chrono::seconds most_age,
                                 const std::function<std::string()>& ask) const {
  const std::optional<std::string> asked = all_that_is_asked();
  if (!asked) return ask();
  const AnswerCache cache(variable("XDG_RUNTIME_DIR").value_or(""));
  return cache.answer(fmt::format("{}\n{}", question, *asked), most_age, ask);
}

std::vector<std::string> SlurmProgram::partitions() const {
  return partitions_of(controller_, *this);
}

std::string SlurmProgram::account() const {
  return account_of(controller_, *this);
}

std::string SlurmProgram::why_nodes_are_missing(std::uint32_t nodes,
                                                const submission::NodeNeed& node) const {
  const NodeShape shape = node.shape.value_or(NodeShape{});
  return answer(fmt::format("nodes {} {} {} {} {} {:d}", nodes, node.cpus, node.memory.value,
                            shape.packages, shape.cores, node.whole),
                kAnswerAge, [&] {
                  return huddle::plugin::why_nodes_are_missing(controller_, *this, nodes, node);
                });
}

submission::NodeTerms SlurmProgram::node_terms() const {
  const std::string text = answer("node terms", kAnswerAge, [&] {
    const submission::NodeTerms terms = huddle::plugin::node_terms(controller_, *this);
    return fmt::format("{:d} {:d} {}", terms.whole_nodes, terms.charges_memory, terms.memory.value);
  });
  constexpr std::size_t kFlags = 4;  // "1 0 "
  submission::NodeTerms terms;
  if (text.size() <= kFlags) return terms;
  terms.whole_nodes = text[0] == '1';
  terms.charges_memory = text[2] == '1';
  terms.memory = {std::strtoull(text.c_str() + kFlags, nullptr, 10)};
  return terms;
}

bool SlurmProgram::has_several_threads() const {
  const node_info_msg_t* const all = controller_.nodes();
  return all != nullptr && std::any_of(all->node_array, all->node_array + all->record_count,
                                       [](const node_info_t& node) { return node.threads > 1; });
}

std::optional<Seconds> SlurmProgram::usual_time_limit() const {
  const std::string seconds = answer("time limit", kAnswerAge, [&] {
    const std::optional<Seconds> limit = huddle::plugin::usual_time_limit(controller_, *this);
    return limit ? fmt::format("{}", limit->value) : std::string();
  });
  if (seconds.empty()) return std::nullopt;
  return Seconds{std::strtod(seconds.c_str(), nullptr)};
}

submission::TrialAnswer SlurmProgram::try_submission() const {
  const std::string text = answer("trial", kTrialAge, [&] {
    const submission::TrialAnswer answer =
        huddle::plugin::try_submission(controller_, *this, options_);
    return fmt::format("{} {}", answer.cpus, answer.refusal);
  });
  const std::size_t space = std::min(text.find(' '), text.size());
  submission::TrialAnswer answer;
  answer.cpus = static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
  answer.refusal = text.substr(std::min(space + 1, text.size()));
  return answer;
}

std::vector<std::string> SlurmProgram::node_names(const std::string& list) const {
  return expand_node_names(list);
}

// Slurm submits the parts of a heterogeneous job, and starts those of a step, one after the other
// in one process; most often the same holds for all of them.
void SlurmProgram::say(const std::string& line) {
  static std::string said_last;
  if (line == said_last) return;
  huddle::plugin::say(line);
  said_last = line;
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle::plugin
