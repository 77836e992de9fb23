#include "spank_plugin/plugin/option.hpp"

#include <fmt/format.h>

#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

OptionValue value;  // Slurm's callback has no place for a pointer of ours

// A bare option arrives as a null pointer, "", "(null)" or "set", depending on the context.
bool bare(const char* argument) {
  const std::string_view text = argument == nullptr ? "" : argument;
  return text.empty() || text == "(null)" || text == "set";
}

// Slurm may call this twice (script and command line): the last one holds.
int on_option(int, const char* argument, int) {
  try {
    value.given = true;
    value.text = bare(argument) ? "" : argument;
  } catch (...) {  // out of memory: as if the option had not been given
    value.given = false;
  }
  return 0;
}

// Slurm keeps the pointers and takes them as writable.
char option_name[] = "energy-aggregate";
char option_argument[] = "mode";
char option_usage[] =
    "pack the job's ranks onto fewer nodes where that costs (almost) no time; mode is off, "
    "profile (measure only), advise (print the plan only) or auto (the default: measure first, "
    "then pack)";
constexpr int kOptionalArgument = 2;

}  // namespace

Mode OptionValue::mode() const {
  if (text.empty()) return Mode::kAuto;
  const std::optional<Mode> mode = mode_of(text);
  if (!mode)
    throw UsageError(fmt::format("--energy-aggregate={} is not known, it takes {}", shortened(text),
                                 kModeNames));
  return *mode;
}

bool register_option(spank_t spank) {
  spank_option option{option_name, option_argument, option_usage, kOptionalArgument, 0, on_option};
  return spank_option_register(spank, &option) == ESPANK_SUCCESS;
}

const OptionValue& option_value() {
  return value;
}

}  // namespace huddle
