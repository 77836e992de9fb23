#include "aggregator/forecast/table/detail/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/import/column_words.hpp"
#include "profiles/import/measurement_unit.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::array<std::string_view, kRoles.size()> kOwnNames = {
    "size",           "processes", "threads", "frequency_ghz", "nodes",
    "ranks_per_node", "packages",  "time_s",  "energy_j"};

// Names without blanks and marks, in small letters; the best ones first.
constexpr std::array<std::string_view, kRoles.size()> kNames = {
    "size problemsize probsize psize inputsize datasize gridsize matrixsize n problem",
    "processes procs ranks np nprocs nranks nprocesses numprocs numranks numprocesses mpiprocs "
    "mpiranks mpiprocesses ntasks tasks",
    "threads nthreads numthreads ompthreads ompnumthreads threadsperprocess threadsperrank "
    "threadsperproc cores ncores numcores cpuspertask totalcores ncpus alloccpus",
    "frequency freq corefrequency corefreq cpufrequency cpufreq clockfrequency clock",
    "nodes nnodes numnodes nodecount nodesused",
    "rankspernode processespernode procspernode taskspernode ppn",
    "packages packagespernode socketspernode",
    "inclusivetime timeinclusive incltime timeincl timeinc inclusive time walltime wallclocktime "
    "realtime runtime elapsed elapsedtime elapsedraw executiontime exectime totaltime duration "
    "seconds exclusivetime "
    "timeexclusive excltime timeexcl timeexc exclusive",
    "totalenergy energytotal energy energyconsumed energyconsumption consumedenergyraw joules"};
constexpr std::string_view kRegionNames =
    "region regionname coderegion name function functionname event callpath path program";
constexpr std::string_view kIdentifiers =
    "run runid repetition repeat rep trial id index row job jobid timestamp date seed rank rankid "
    "mpirank process pid thread threadid tid node nodeid unnamed0";

// The place of a word among those in `words`.
std::optional<std::size_t> place_among(std::string_view words, std::string_view word) {
  if (!imports::has_word(words, word)) return std::nullopt;
  std::size_t at = 0;
  for (std::size_t place = 0;; ++place) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return place;
    at = end + 1;
  }
}

// A unit in brackets, maybe with words in brackets behind: "Time [s] (inclusive)".
bool take_bracketed_unit(std::string_view text, HeaderName& name) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t kind = text.empty() ? kNone : std::string_view(")]}").find(text.back());
  const std::size_t open = kind == kNone ? kNone : text.rfind("([{"[kind]);
  if (open == kNone || open == 0) return false;
  const std::string_view inside = trimmed(text.substr(open + 1, text.size() - open - 2));
  const std::string_view before = trimmed(text.substr(0, open));
  if (text[open] != '(' || unit_named(inside)) {
    name.name = before;
    name.unit = inside;
    return true;
  }
  if (!take_bracketed_unit(before, name)) return false;
  name.name += fmt::format(" {}", text.substr(open));
  return true;
}

// "time_s", "Energy Wh", where what is left has a role.
void take_joined_unit(std::string_view text, HeaderName& name) {
  for (const ColumnRole role : kRoles) {
    const auto known = imports::unit_in_name(text, dimension_of(role));
    if (!known || !rank_for(role, known->rest) || !text.ends_with(known->word)) continue;
    name.name = known->rest;
    name.unit = known->word;
  }
}

}  // namespace

HeaderName read_header_name(std::string_view field) {
  const std::string_view text = trimmed(field);
  HeaderName name{std::string(text), std::string(text), {}};
  if (!take_bracketed_unit(text, name)) take_joined_unit(text, name);
  return name;
}

HeaderName read_own_name(std::string_view field) {
  HeaderName name{std::string(field), std::string(field), {}};
  const std::size_t open = field.rfind(" [");
  if (!field.ends_with(']') || open == std::string_view::npos) return name;
  name.name = field.substr(0, open);
  name.unit = field.substr(open + 2, field.size() - open - 3);
  return name;
}

std::optional<std::size_t> rank_for(ColumnRole role, std::string_view name) {
  return place_among(kNames[static_cast<std::size_t>(role)], imports::letters_of(name));
}

std::optional<std::size_t> rank_for_region(std::string_view name) {
  return place_among(kRegionNames, imports::letters_of(name));
}

std::string_view why_no_variable(const HeaderName& name) {
  const std::string letters = imports::letters_of(name.name);
  if (letters.empty()) return "without a name";
  if (imports::has_word(kIdentifiers, letters)) return "numbers of runs or places";
  for (const std::string_view limit : {"cap", "limit", "budget"})  // follows from nothing
    if (letters.find(limit) != std::string::npos) return {};
  const auto unit = unit_named(name.unit);
  for (const std::string_view part : {"energy", "power", "emission"})
    if (letters.find(part) != std::string::npos) return "may tell what is to be predicted";
  if (letters.starts_with("edp") || (unit && unit->dimension == Dimension::power))
    return "may tell what is to be predicted";
  return {};
}

std::string_view own_name_of(ColumnRole role) {
  return kOwnNames[static_cast<std::size_t>(role)];
}

bool is_own_name(std::string_view name) {
  return name == kOwnRegionName || std::ranges::find(kOwnNames, name) != kOwnNames.end();
}

}  // namespace huddle::forecast
