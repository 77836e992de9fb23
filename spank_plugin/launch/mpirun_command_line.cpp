#include "spank_plugin/launch/mpirun_command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace huddle {
namespace {

// Without their dashes: Open MPI takes one dash or two.
constexpr std::array<std::string_view, 33> kPlacing = {"H",
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
                                                       "host-file"};
constexpr std::array<std::string_view, 3> kCount = {"n", "np", "c"};
constexpr std::array<std::string_view, 12> kWithValue = {
    "x",    "wdir",    "wd",         "path",       "prefix", "output-filename",
    "tune", "timeout", "report-pid", "report-uri", "stdin",  "xterm"};
constexpr std::array<std::string_view, 2> kWithTwoValues = {"mca", "gmca"};

template <std::size_t kSize>
bool among(const std::array<std::string_view, kSize>& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

// "--map-by=node" and "-map-by" are both "map-by".
std::string_view option_name(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word.substr(0, word.find('='));
}

bool places_ranks(const std::vector<std::string_view>& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (is_option(word) && among(kPlacing, option_name(word))) return true;
    if (word.starts_with("rmaps_") || word.starts_with("hwloc_base_") ||
        word.starts_with("orte_rank"))
      return true;  // the name of a parameter behind --mca
  }
  return false;
}

bool is_number(std::string_view word, unsigned long expected) {
  unsigned long number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  return failure == std::errc{} && end == word.data() + word.size() && number == expected;
}

}  // namespace

bool mpirun_may_follow(const std::vector<std::string_view>& arguments, unsigned long ranks) {
  return !places_ranks(arguments) && mpirun_starts(arguments, ranks);
}

bool mpirun_starts(const std::vector<std::string_view>& arguments, unsigned long ranks) {
  if (std::find(arguments.begin(), arguments.end(), ":") != arguments.end()) return false;
  for (std::size_t i = 1; i < arguments.size() && is_option(arguments[i]); ++i) {
    const std::string_view name = option_name(arguments[i]);
    if (among(kCount, name)) return i + 1 < arguments.size() && is_number(arguments[i + 1], ranks);
    if (among(kWithValue, name)) ++i;
    if (among(kWithTwoValues, name)) i += 2;
  }
  return true;
}

}  // namespace huddle
