#include "spank_plugin/plugin/client/option.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/named_files.hpp"

namespace huddle::plugin {
namespace {

submission::AggregateOption submitted;  // Slurm's callback has no place for a pointer of ours

// A bare option arrives as a null pointer, "", "(null)" or "set", depending on the context.
std::string_view text_behind(const char* argument) {
  const std::string_view text = argument == nullptr ? "" : argument;
  return text == "(null)" || text == "set" ? "" : text;
}

// Only there nothing runs yet that a mistake could harm.
bool before_submission() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  const bool inside_a_job = std::getenv("SLURM_JOB_ID") != nullptr;
  return spank_context() == S_CTX_ALLOCATOR || (spank_context() == S_CTX_LOCAL && !inside_a_job);
}

// Slurm may call this twice (script and command line): the last one holds. Slurm ends with an error
// of its own if this does not return 0.
int on_option(int, const char* argument, int remote) {
  constexpr std::string_view kOption = "--energy-aggregate";
  constexpr int kAccepted = 0;
  constexpr int kRefused = -1;
  if (remote != 0) return kAccepted;  // slurmstepd is root there, and needs nothing of it
  try {
    submitted = {};
    const submission::AggregateOption given =
        submission::parse_aggregate_option(text_behind(argument), kOption);
    if (before_submission()) submission::check_named_files(given, kOption, store::current_home());
    submitted = given;
  } catch (const UsageError& error) {
    if (before_submission()) {
      say("{}", error.what());
      return kRefused;
    }
    if (spank_context() == S_CTX_LOCAL) say("{}; this step runs as without it", error.what());
  } catch (...) {  // out of memory: as if the option had not been given
    submitted.given = false;
  }
  return kAccepted;
}

// Slurm keeps the pointers and takes them as writable.
char option_name[] = "energy-aggregate";
char option_argument[] = "mode[,key=value...]";
char option_usage[] =
    "run on fewer nodes where that costs (almost) no time: off, profile (only measure), advise "
    "(only tell) or auto (the default); see man 8 spank_huddle";
constexpr int kOptionalArgument = 2;

}  // namespace

bool register_option(spank_t spank) {
  spank_option option{option_name, option_argument, option_usage, kOptionalArgument, 0, on_option};
  return spank_option_register(spank, &option) == ESPANK_SUCCESS;
}

void forget_inherited_option() {
  // NOLINTBEGIN(concurrency-mt-unsafe): sbatch and salloc read their options in one thread
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    // "SLURM_SPANK__SLURM_SPANK_OPTION_huddle_energy_aggregate", with or without the first prefix.
    if (name.find("SLURM_SPANK_OPTION_huddle_energy") != std::string_view::npos)
      names.emplace_back(name);
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
  // NOLINTEND(concurrency-mt-unsafe)
}

submission::AggregateOption option_value() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  const char* text = std::getenv(kOptionVariable);
  if (text == nullptr) return submitted;
  submission::AggregateOption defaults = submission::parse_aggregate_option(text, kOptionVariable);
  if (submitted.given) defaults.mode = std::nullopt;
  return submitted.with_defaults(defaults);
}

}  // namespace huddle::plugin
