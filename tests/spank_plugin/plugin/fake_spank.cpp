#include "tests/spank_plugin/plugin/fake_spank.hpp"

#include "spank_plugin/plugin/spank_api.hpp"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern "C" {
#include <slurm/slurm_version.h>
}

namespace huddle::plugin {

FakeSpank& fake_spank() {
  static FakeSpank slurm;
  return slurm;
}

// NOLINTBEGIN(concurrency-mt-unsafe): tests of one process run one after the other

SlurmForATest::SlurmForATest(std::vector<std::string> variables) {
  fake_spank() = FakeSpank();
  print_messages(true);
  for (const std::string& name : variables) {
    const char* value = std::getenv(name.c_str());
    before_[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    ::unsetenv(name.c_str());
  }
}

SlurmForATest::~SlurmForATest() {
  for (const auto& [name, value] : before_)
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  fake_spank() = FakeSpank();
}

void SlurmForATest::set_variable(const std::string& name, const std::string& value) const {
  if (!before_.contains(name)) throw std::logic_error(name + " would outlive the test");
  ::setenv(name.c_str(), value.c_str(), 1);
}

void SlurmForATest::tell(StepWord word, const std::string& value) const {
  if (!before_.contains(kStepVariable))
    throw std::logic_error("HUDDLE_STEP would outlive the test");
  set_own_step_word(word, value);
}

// NOLINTEND(concurrency-mt-unsafe)

namespace {

std::string formatted(const char* format, va_list arguments) {
  std::array<char, 4096> text{};
  const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
  return size < 0 ? std::string() : std::string(text.data());
}

/// Owns the texts that a message points to.
struct NodesMessage {
  node_info_msg_t message{};
  std::vector<node_info_t> nodes;
  std::vector<FakeNode> texts;
};

struct PartitionsMessage {
  partition_info_msg_t message{};
  std::vector<partition_info_t> partitions;
  std::vector<FakePartition> texts;
};

}  // namespace
}  // namespace huddle::plugin

using huddle::plugin::fake_spank;

// ESPANK_SUCCESS is no member of the enumeration.
constexpr auto kSuccess = static_cast<spank_err_t>(ESPANK_SUCCESS);

extern "C" {

const char* spank_strerror(spank_err_t code) {
  return code == ESPANK_SUCCESS ? "success" : "made to fail";
}

spank_context_t spank_context() {
  return fake_spank().context;
}

spank_err_t spank_getenv(spank_t, const char* name, char* value, int length) {
  const auto found = fake_spank().environment.find(name);
  if (found == fake_spank().environment.end()) return ESPANK_ENV_NOEXIST;
  // As Slurm does it: what fits is copied in any case.
  std::snprintf(value, static_cast<std::size_t>(length), "%s", found->second.c_str());
  return found->second.size() < static_cast<std::size_t>(length) ? kSuccess : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t, const char* name, const char* value, int overwrite) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  if (slurm.refused_variable == name) return ESPANK_ERROR;
  if (overwrite == 0 && slurm.environment.contains(name)) return ESPANK_ENV_EXISTS;
  slurm.environment[name] = value;
  return kSuccess;
}

spank_err_t spank_unsetenv(spank_t, const char* name) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  if (slurm.refused_variable == name) return ESPANK_ERROR;
  return slurm.environment.erase(name) > 0 ? kSuccess : ESPANK_ENV_NOEXIST;
}

spank_err_t spank_get_item(spank_t, spank_item_t item, ...) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  va_list arguments;
  va_start(arguments, item);
  spank_err_t outcome = kSuccess;
  if (item == S_JOB_LOCAL_TO_GLOBAL_ID) {
    const auto local = va_arg(arguments, std::uint32_t);
    auto* global = va_arg(arguments, std::uint32_t*);
    if (local < slurm.local_ranks.size())
      *global = slurm.local_ranks[local];
    else
      outcome = ESPANK_NOEXIST;
  } else if (item == S_JOB_ARGV && !slurm.command.empty()) {
    *va_arg(arguments, int*) = static_cast<int>(slurm.command.size());
    *va_arg(arguments, char***) = slurm.command.data();
  } else if (const auto text = slurm.texts.find(item); text != slurm.texts.end()) {
    *va_arg(arguments, const char**) = text->second.c_str();
  } else if (const auto number = slurm.numbers.find(item); number != slurm.numbers.end()) {
    if (item == S_JOB_NCPUS)
      *va_arg(arguments, std::uint16_t*) = static_cast<std::uint16_t>(number->second);
    else
      *va_arg(arguments, std::uint32_t*) = number->second;
  } else {
    outcome = ESPANK_NOT_AVAIL;
  }
  va_end(arguments);
  return outcome;
}

spank_err_t spank_option_register(spank_t, spank_option* option) {
  if (!fake_spank().takes_options) return ESPANK_BAD_ARG;
  fake_spank().option = *option;
  return kSuccess;
}

void slurm_spank_log(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fake_spank().lines.push_back(huddle::plugin::formatted(format, arguments));
  va_end(arguments);
}

void slurm_info(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fake_spank().logged.push_back(huddle::plugin::formatted(format, arguments));
  va_end(arguments);
}

void slurm_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fake_spank().logged.push_back("error: " + huddle::plugin::formatted(format, arguments));
  va_end(arguments);
}

int slurm_load_node(time_t, node_info_msg_t** message, std::uint16_t) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  if (!slurm.controller_answers) return SLURM_ERROR;
  if (slurm.hides_nodes && slurm.nodes.empty()) {
    errno = ESLURM_ACCESS_DENIED;
    return SLURM_ERROR;
  }
  auto* made = new huddle::plugin::NodesMessage{{}, {}, slurm.nodes};
  for (huddle::plugin::FakeNode& node : made->texts) {
    node_info_t& entry = made->nodes.emplace_back();
    entry.name = node.name.data();
    entry.cpus = node.cpus;
    entry.cpus_efctv = node.effective_cpus;
    entry.sockets = node.sockets;
    entry.cores = node.cores_per_socket;
    entry.threads = node.threads_per_core;
    entry.node_state = node.state;
    entry.features = node.features.empty() ? nullptr : node.features.data();
    entry.features_act = node.active_features ? node.active_features->data() : nullptr;
  }
  made->message.record_count = static_cast<std::uint32_t>(made->nodes.size());
  made->message.node_array = made->nodes.data();
  ++slurm.messages;
  *message = &made->message;
  return SLURM_SUCCESS;
}

void slurm_free_node_info_msg(node_info_msg_t* message) {
  delete reinterpret_cast<huddle::plugin::NodesMessage*>(message);  // its first member
  --fake_spank().messages;
}

int slurm_load_ctl_conf(time_t, slurm_conf_t** configuration) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  if (!slurm.controller_answers) return SLURM_ERROR;
  *configuration = new slurm_conf_t{};
  (*configuration)->private_data = slurm.hides_nodes ? PRIVATE_DATA_NODES : 0;
  ++slurm.messages;
  return SLURM_SUCCESS;
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
void slurm_free_conf(slurm_conf_t* configuration) {
#else
void slurm_free_ctl_conf(slurm_conf_t* configuration) {
#endif
  delete configuration;
  --fake_spank().messages;
}

int slurm_load_partitions(time_t, partition_info_msg_t** message, std::uint16_t) {
  huddle::plugin::FakeSpank& slurm = fake_spank();
  if (!slurm.controller_answers) return SLURM_ERROR;
  auto* made = new huddle::plugin::PartitionsMessage{{}, {}, slurm.partitions};
  for (huddle::plugin::FakePartition& partition : made->texts) {
    partition.ranges.push_back(-1);
    partition_info_t& entry = made->partitions.emplace_back();
    entry.name = partition.name.data();
    entry.node_inx = partition.ranges.data();
    entry.flags = partition.by_default ? PART_FLAG_DEFAULT : 0;
    entry.min_nodes = partition.min_nodes;
    entry.max_cpus_per_node = partition.max_cpus_per_node;
  }
  made->message.record_count = static_cast<std::uint32_t>(made->partitions.size());
  made->message.partition_array = made->partitions.data();
  ++slurm.messages;
  *message = &made->message;
  return SLURM_SUCCESS;
}

void slurm_free_partition_info_msg(partition_info_msg_t* message) {
  delete reinterpret_cast<huddle::plugin::PartitionsMessage*>(message);  // its first member
  --fake_spank().messages;
}

// The plugin stays loaded by opening its own file once more. Here that is the executable, which
// stays loaded anyway and can't be opened by its name. The linker's --wrap leads calls here.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
void* __real_dlopen(const char* file, int flags);
void* __wrap_dlopen(const char* file, int flags);
void* __wrap_dlopen(const char*, int flags) {
  return __real_dlopen(nullptr, flags);
}
// NOLINTEND(bugprone-reserved-identifier)

// The table of options and the functions for it that sbatch, salloc and srun bring along; the
// plugin looks them up by name. Memory is libslurm's, as there: slurm_xfree() is the real one.

char* slurm_xstrdup(const char* text);

[[gnu::visibility("default"), gnu::used]] int opt = 0;

[[gnu::visibility("default")]] char* slurm_option_get(void*, const char* name);
char* slurm_option_get(void*, const char* name) {
  const auto found = fake_spank().options.find(name);
  return found != fake_spank().options.end() ? slurm_xstrdup(found->second.c_str()) : nullptr;
}
[[gnu::visibility("default")]] bool slurm_option_isset(void*, const char* name);
bool slurm_option_isset(void*, const char* name) {
  return fake_spank().options.contains(name);
}
[[gnu::visibility("default")]] int slurm_option_set(void*, const char* name, const char* value,
                                                    bool early);
int slurm_option_set(void*, const char* name, const char* value, bool) {
  if (std::strcmp(name, "refused") == 0) return SLURM_ERROR;
  fake_spank().options[name] = value != nullptr ? value : "";
  return SLURM_SUCCESS;
}
[[gnu::visibility("default")]] bool slurm_option_reset(void*, const char* name);
bool slurm_option_reset(void*, const char* name) {
  return fake_spank().options.erase(name) > 0;
}
}
