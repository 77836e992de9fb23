#include "aggregator/forecast/table/detail/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/import/tool_tables.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

using M = ColumnMeaning;
using R = ColumnRole;

struct KnownNames {
  std::string_view names;
  NamedMeaning meaning;
};

constexpr std::array<std::string_view, kRoles.size()> kOwnNames = {
    "size",           "processes", "threads", "frequency_ghz", "nodes",
    "ranks_per_node", "packages",  "time_s",  "energy_j"};

// Names without blanks and marks, in small letters.
constexpr auto kNames = std::to_array<KnownNames>({
    {"size problemsize probsize psize", {M::role, R::size, 0}},
    {"inputsize datasize gridsize matrixsize", {M::role, R::size, 1}},
    {"n problem", {M::role, R::size, 2}},
    {"processes procs ranks np nprocs nranks nprocesses numprocs numranks numprocesses mpiprocs "
     "mpiranks mpiprocesses mpiworldsize",
     {M::role, R::processes, 0}},
    {"ntasks tasks jobsize", {M::role, R::processes, 1}},
    {"mpi", {M::role, R::processes, 2}},
    {"threads nthreads numthreads ompthreads ompnumthreads threadsperprocess threadsperrank "
     "threadsperproc",
     {M::role, R::threads, 0}},
    {"cores ncores numcores cpuspertask", {M::role, R::threads, 1}},
    {"cpus ncpus alloccpus omp", {M::role, R::threads, 2}},
    {"frequency freq corefrequency corefreq cpufrequency cpufreq clockfrequency",
     {M::role, R::frequency, 0}},
    {"clockspeed clock", {M::role, R::frequency, 1}},
    {"nodes nnodes numnodes nodecount nodesused allocnodes computenodes", {M::role, R::nodes, 0}},
    {"rankspernode processespernode procspernode taskspernode ntaskspernode ppn",
     {M::role, R::ranks_per_node, 0}},
    {"packagespernode socketspernode packages", {M::role, R::packages, 0}},
    {"inclusivetime timeinclusive incltime timeincl inclusive inclusivetotal timeinc timei "
     "inclusivetimeduration inclusivesumtimeduration sumtimeinclusiveduration "
     "sumsumtimeinclusiveduration",
     {M::role, R::time, 0}},
    {"time walltime wallclock wallclocktime runtime elapsed elapsedtime elapsedraw executiontime "
     "exectime totaltime duration timeduration sumtimeduration sumsumtimeduration",
     {M::role, R::time, 1}},
    {"exclusivetime timeexclusive excltime timeexcl timeexc timee exclusive",
     {M::role, R::time, 2}},
    {"totalenergy energytotal", {M::role, R::energy, 0}},
    {"energy energyconsumed energyconsumption consumedenergyraw nodeenergy energynode",
     {M::role, R::energy, 1}},
    {"consumedenergy", {M::role, R::energy, 2}},
    {"region regionname coderegion", {M::region, R::variable, 0}},
    {"name function functionname routine event timer phase kernel callpath task",
     {M::region, R::variable, 1}},
    {"path cnode cnodeid regionid", {M::region, R::variable, 2}},
    {"program application app benchmark", {M::region, R::variable, 3}},
    {"run runid repetition repeat rep trial id index row rowid job jobid jobidraw associd dbindex "
     "uid gid timestamp date seed rank rankid mpirank process processid pid thread threadid tid "
     "ompthreadid nid node nodeid context location locationid unnamed0",
     {M::identifier, R::variable, 0}},
    {"edp ed2p cputimeraw energydelayproduct", {M::derived, R::variable, 0}},
});

bool ends_in_number(std::string_view letters, std::string_view before) {
  return letters.size() > before.size() && letters.starts_with(before) &&
         letters.find_first_not_of("0123456789", before.size()) == std::string_view::npos;
}

NamedMeaning meaning_of_letters(std::string_view letters) {
  if (letters.empty()) return {M::identifier, R::variable, 0};
  for (const KnownNames& known : kNames)
    if (has_word(known.names, letters)) return known.meaning;
  if (ends_in_number(letters, "energynode") || ends_in_number(letters, "nodeenergy") ||
      ends_in_number(letters, "energy"))
    return {M::role, R::energy, kPartTier};
  if (letters.find("energy") != std::string_view::npos) return {M::maybe_energy, R::variable, 0};
  return {};
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

// "time_s", "Inclusive usec", "Time in ms", "FreqGHz".
bool take_joined_unit(std::string_view text, HeaderName& name) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::size_t at = text.find_last_of("_ ./-,") + 1;
  if (!unit_named(text.substr(at)))
    for (at = text.size() - 1; at > 0; --at)
      if (is_capital(text[at]) && text[at - 1] >= 'a' && text[at - 1] <= 'z') break;
  const auto known = unit_named(text.substr(at));
  std::string_view before = text.substr(0, at);
  before = before.substr(0, before.find_last_not_of("_ ./-,") + 1);
  if (before.ends_with(" in") || before.ends_with("_in")) before.remove_suffix(3);
  const NamedMeaning meaning = meaning_of_letters(letters_of(before));
  if (!known || meaning.meaning != M::role || dimension_of(meaning.role) != known->dimension)
    return false;
  name.name = before;
  name.unit = text.substr(at);
  return true;
}

// "min" is short for minutes and for minimum.
constexpr std::string_view kMinimum = "min";

// The unit is a part of a word, and in no brackets.
bool is_joined(const HeaderName& name) {
  return !name.unit.empty() && name.raw.ends_with(name.unit) && name.name != name.raw;
}

}  // namespace

HeaderName read_header_name(std::string_view field) {
  const std::string_view text = trimmed(field);
  HeaderName name{std::string(text), std::string(text), {}};
  if (text.empty() || take_bracketed_unit(text, name) || take_joined_unit(text, name)) return name;
  // One letter may be anything.
  if (text.size() > 1 && unit_named(text) && in_lower_case(text) != kMinimum) name.unit = text;
  return name;
}

void heed_minima(std::vector<HeaderName>& names) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"max", "maximum", "mean", "avg", "average", "median", "std", "stdev", "stddev"});
  for (HeaderName& name : names) {
    const std::string letters = letters_of(name.raw);
    if (in_lower_case(name.unit) != kMinimum || letters == kMinimum || !is_joined(name)) continue;
    const std::string stem = letters.substr(0, letters.size() - kMinimum.size());
    const bool among_others = std::ranges::any_of(names, [&](const HeaderName& other) {
      const std::string its = letters_of(other.raw);
      return std::ranges::any_of(kOthers, [&](std::string_view word) {
        return its == stem + std::string(word) || its == std::string(word) + stem;
      });
    });
    if (!among_others) continue;
    name.name = name.raw;
    name.unit.clear();
  }
}

std::string_view own_name_of(ColumnRole role) {
  return kOwnNames[static_cast<std::size_t>(role)];
}

NamedMeaning own_meaning_of(std::string_view name) {
  if (name == kOwnRegionName) return {M::region, R::variable, 0};
  const auto found = std::ranges::find(kOwnNames, name);
  if (found == kOwnNames.end()) return {};
  return {M::role, static_cast<R>(found - kOwnNames.begin()), 0};
}

bool is_own_name(std::string_view name) {
  return own_meaning_of(name).meaning != M::variable;
}

NamedMeaning meaning_of(const HeaderName& name) {
  const NamedMeaning meaning = meaning_of_letters(letters_of(name.name));
  if (meaning.meaning != M::variable) return meaning;
  const Dimension dimension = unit_named(name.unit).value_or(MeasurementUnit{}).dimension;
  if (dimension == Dimension::power) {
    const std::string letters = letters_of(name.name);  // what was set follows from nothing
    for (const std::string_view limit : {"cap", "limit", "budget"})
      if (letters.find(limit) != std::string::npos) return meaning;
    return {M::derived, R::variable, 0};
  }
  if (name.unit != name.raw) return meaning;
  for (const ColumnRole role : {R::time, R::energy, R::frequency})
    if (dimension == dimension_of(role)) return {M::role, role, 1};
  return meaning;
}

}  // namespace huddle
