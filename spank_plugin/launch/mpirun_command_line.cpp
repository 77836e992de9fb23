#include "spank_plugin/launch/mpirun_command_line.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::launch {
namespace {

// Without their dashes: Open MPI takes one dash or two.
constexpr std::array<std::string_view, 40> kPlacing = {"H",
                                                       "host",
                                                       "hostfile",
                                                       "machinefile",
                                                       "default-hostfile",
                                                       "rf",
                                                       "rankfile",
                                                       "map-by",
                                                       "bind-to",
                                                       "rank-by",
                                                       "N",
                                                       "npernode",
                                                       "pernode",
                                                       "npersocket",
                                                       "ppr",
                                                       "cpus-per-proc",
                                                       "cpus-per-rank",
                                                       "cpu-set",
                                                       "cpu-list",
                                                       "slot-list",
                                                       "bycore",
                                                       "bynode",
                                                       "byslot",
                                                       "bysocket",
                                                       "bind-to-core",
                                                       "bind-to-socket",
                                                       "bind-to-none",
                                                       "app",
                                                       "nolocal",
                                                       "oversubscribe",
                                                       "nooversubscribe",
                                                       "use-hwthread-cpus",
                                                       "host-file",
                                                       "ppn",
                                                       "perhost",
                                                       "f",
                                                       "hosts",
                                                       "hosts-group",
                                                       "mapping",
                                                       "rr"};
// Those of them that have no value.
constexpr std::array<std::string_view, 13> kPlacingAlone = {
    "pernode",          "bycore",        "bynode",          "byslot",
    "bysocket",         "bind-to-core",  "bind-to-socket",  "bind-to-none",
    "nolocal",          "oversubscribe", "nooversubscribe", "rr",
    "use-hwthread-cpus"};
constexpr std::array<std::string_view, 3> kCount = {"n", "np", "c"};
constexpr std::array<std::string_view, 19> kWithValue = {
    "x",       "wdir",       "wd",         "path",  "prefix",      "output-filename", "tune",
    "timeout", "report-pid", "report-uri", "stdin", "xterm",       "launcher",        "bootstrap",
    "iface",   "genvlist",   "envlist",    "usize", "launch-agent"};
constexpr std::array<std::string_view, 4> kWithTwoValues = {"mca", "gmca", "genv", "env"};
constexpr std::array<std::string_view, 37> kWithoutValue = {"allow-run-as-root",
                                                            "tag-output",
                                                            "timestamp-output",
                                                            "display-map",
                                                            "display-allocation",
                                                            "display-topo",
                                                            "report-bindings",
                                                            "q",
                                                            "quiet",
                                                            "v",
                                                            "verbose",
                                                            "V",
                                                            "version",
                                                            "h",
                                                            "help",
                                                            "xml",
                                                            "enable-recovery",
                                                            "disable-recovery",
                                                            "continuous",
                                                            "debug-daemons",
                                                            "leave-session-attached",
                                                            "noprefix",
                                                            "novm",
                                                            "output-proctable",
                                                            "preload-binary",
                                                            "s",
                                                            "show-progress",
                                                            "merge-stderr-to-stdout",
                                                            "print-all-exitcodes",
                                                            "prepend-rank",
                                                            "l",
                                                            "info",
                                                            "genvall",
                                                            "genvnone",
                                                            "envall",
                                                            "envnone",
                                                            "disable-auto-cleanup"};

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

// "--map-by=node" and "-map-by" are both "map-by".
std::string_view option_name(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word.substr(0, word.find('='));
}

// Number of words behind an option that belong to it; nothing if the option is not known.
std::optional<std::size_t> values_of_option(std::string_view word) {
  const std::string_view name = option_name(word);
  if (among(kWithTwoValues, name)) return 2;
  if (word.find('=') != std::string_view::npos) return 0;
  if (among(kWithoutValue, name) || among(kPlacingAlone, name)) return 0;
  if (among(kCount, name) || among(kWithValue, name) || among(kPlacing, name)) return 1;
  return std::nullopt;
}

// The name of a parameter behind --mca.
bool sets_placement(std::string_view parameter) {
  return parameter.starts_with("rmaps_") || parameter.starts_with("hwloc_base_") ||
         parameter.starts_with("orte_rank");
}

// Number of words from `place` on that bind each rank to a core, which plans do anyway; 0 if they
// say something else.
std::size_t words_that_bind_to_cores(const std::vector<std::string_view>& arguments,
                                     std::size_t place) {
  const std::string_view word = arguments[place];
  const std::string_view name = option_name(word);
  if (name == "bind-to-core" || (name == "bind-to" && word.ends_with("=core"))) return 1;
  const bool follows = place + 1 < arguments.size() && arguments[place + 1] == "core";
  return name == "bind-to" && follows ? 2 : 0;
}

using Arguments = std::vector<std::string_view>;

// The arguments of each program of a command line, with the launcher's name in front.
std::vector<Arguments> parts_of(const Arguments& arguments) {
  std::vector<Arguments> parts(1);
  for (const std::string_view word : arguments)
    if (word == ":")
      parts.push_back({arguments.front()});
    else
      parts.back().push_back(word);
  return parts;
}

// The word behind -n; empty if nothing does, and nothing if there is no -n.
std::optional<std::string_view> count_among(const Arguments& arguments) {
  for (std::size_t i = 1; i < arguments.size() && is_option(arguments[i]); ++i) {
    const std::string_view name = option_name(arguments[i]);
    if (among(kCount, name)) return i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (among(kWithValue, name)) ++i;
    if (among(kWithTwoValues, name)) i += 2;
  }
  return std::nullopt;
}

std::string_view placing_word_of_part(const Arguments& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!is_option(word)) {
      if (word.starts_with('$')) continue;  // "$OPTIONS": more options may follow
      return {};
    }
    const std::string_view name = option_name(word);
    if (const std::size_t words = words_that_bind_to_cores(arguments, i); words > 0) {
      i += words - 1;
      continue;
    }
    if (among(kPlacing, name)) return word;
    if (among(kWithTwoValues, name)) {
      if (i + 1 < arguments.size() && sets_placement(arguments[i + 1])) return arguments[i + 1];
      i += 2;
    } else if (!among(kWithoutValue, name) && word.find('=') == std::string_view::npos) {
      ++i;  // its value, or else the program: then the program's options count as well
      if (i < arguments.size() && is_option(arguments[i])) --i;
    }
  }
  return {};
}

// The words of the program; empty if there is none, or an option in front of it is not known.
std::vector<std::string> program_of_part(const Arguments& arguments) {
  std::size_t i = 1;
  for (; i < arguments.size() && is_option(arguments[i]); ++i) {
    const std::optional<std::size_t> values = values_of_option(arguments[i]);
    if (!values) return {};
    i += *values;
  }
  if (i >= arguments.size()) return {};
  return {arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end()};
}

}  // namespace

std::string_view placing_word_in(const std::vector<std::string_view>& arguments) {
  for (const Arguments& part : parts_of(arguments))
    if (const std::string_view word = placing_word_of_part(part); !word.empty()) return word;
  return {};
}

bool mpirun_may_follow(const std::vector<std::string_view>& arguments, unsigned long ranks) {
  return placing_word_in(arguments).empty() && mpirun_starts(arguments, ranks);
}

bool mpirun_starts(const std::vector<std::string_view>& arguments, unsigned long ranks) {
  const bool leaves_it_open = parts_of(arguments).size() == 1 && !count_among(arguments);
  return leaves_it_open || mpirun_count(arguments) == ranks;
}

std::vector<std::vector<std::string>> mpirun_programs(
    const std::vector<std::string_view>& arguments) {
  std::vector<std::vector<std::string>> programs;
  for (const Arguments& part : parts_of(arguments)) {
    programs.push_back(program_of_part(part));
    if (programs.back().empty()) return {};
  }
  return programs;
}

std::uint32_t mpirun_count(const std::vector<std::string_view>& arguments) {
  std::uint32_t sum = 0;
  for (const Arguments& part : parts_of(arguments)) {
    const auto count = number_in<std::uint32_t>(count_among(part).value_or(""));
    if (!count || *count > std::numeric_limits<std::uint32_t>::max() - sum) return 0;
    sum += *count;
  }
  return sum;
}

}  // namespace huddle::launch
