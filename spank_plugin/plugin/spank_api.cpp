#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {
namespace {

std::optional<bool> prints;  // as the process was told
std::vector<std::string> unsaid;

}  // namespace

void say(const std::string& line) {
  constexpr std::size_t kMostLines = 16;
  if (prints.value_or(spank_context() != S_CTX_REMOTE))
    return slurm_spank_log("huddle: %s", line.c_str());
  // In slurmd and slurmstepd that is their log; in srun it would be its standard error.
  if (spank_context() == S_CTX_REMOTE) slurm_info("huddle: %s", line.c_str());
  if (unsaid.size() < kMostLines) unsaid.push_back(line);
}

void print_messages(bool wanted) {
  prints = wanted;
}

const std::vector<std::string>& unsaid_lines() {
  return unsaid;
}

std::optional<std::string> TaskEnvironment::get(const char* name) const {
  constexpr std::size_t kLongest = std::size_t{128} << 10U;  // Linux' MAX_ARG_STRLEN
  for (std::size_t size = 1024; size <= kLongest; size *= 2) {
    std::string buffer(size, '\0');
    const spank_err_t outcome =
        spank_getenv(spank_, name, buffer.data(), static_cast<int>(buffer.size()));
    if (outcome == ESPANK_SUCCESS) return buffer.substr(0, buffer.find('\0'));
    if (outcome != ESPANK_NOSPACE) return std::nullopt;
  }
  return std::nullopt;
}

void TaskEnvironment::set(const char* name, const std::string& value) const {
  const spank_err_t outcome = spank_setenv(spank_, name, value.c_str(), 1);
  if (outcome != ESPANK_SUCCESS)
    throw Error(fmt::format("can't set {} for the task: {}", name, spank_strerror(outcome)));
}

void TaskEnvironment::unset(const char* name) const {
  const spank_err_t outcome = spank_unsetenv(spank_, name);
  if (outcome != ESPANK_SUCCESS && outcome != ESPANK_ENV_NOEXIST)
    throw Error(fmt::format("can't unset {} for the task: {}", name, spank_strerror(outcome)));
}

std::optional<std::string> TaskEnvironment::get(StepWord word) const {
  const auto document = get(kStepVariable);
  return document ? step_word(*document, word) : std::nullopt;
}

void TaskEnvironment::set(StepWord word, const std::string& value) const {
  set(kStepVariable, with_step_word(get(kStepVariable).value_or(""), word, value));
}

}  // namespace huddle::plugin
