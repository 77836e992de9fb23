#include "aggregator/forecast/table/detail/column_names.hpp"

#include <algorithm>
#include <array>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "profiles/import/tool_tables.hpp"

namespace huddle {
namespace {

using M = ColumnMeaning;
using R = ColumnRole;

struct KnownNames {
  std::string_view names;
  NamedMeaning meaning;
};

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

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

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

bool has_role_of(std::string_view name, Dimension dimension) {
  const NamedMeaning meaning = meaning_of_letters(letters_of(name));
  return meaning.meaning == M::role && dimension_of(meaning.role) == dimension;
}

// A unit in brackets, maybe with words in brackets behind: "Time [s] (inclusive)".
bool take_bracketed_unit(std::string_view text, HeaderName& name) {
  if (text.empty()) return false;
  const std::size_t kind = std::string_view(")]}").find(text.back());
  if (kind == std::string_view::npos) return false;
  const std::size_t open = text.rfind("([{"[kind]);
  if (open == std::string_view::npos || open == 0) return false;
  const std::string_view inside = without_blanks(text.substr(open + 1, text.size() - open - 2));
  const std::string_view before = without_blanks(text.substr(0, open));
  if (text[open] != '(' || unit_named(inside)) {
    name.name = before;
    name.unit = inside;
    return true;
  }
  HeaderName inner{{}, std::string(before), {}};
  if (!take_bracketed_unit(before, inner)) return false;
  name.name = inner.name + ' ' + std::string(text.substr(open));
  name.unit = inner.unit;
  return true;
}

// "time_s", "Inclusive usec", "Time in ms", "FreqGHz".
bool take_joined_unit(std::string_view text, HeaderName& name) {
  for (std::size_t length = 1; length < text.size() && length <= 12; ++length) {
    const std::string_view unit = text.substr(text.size() - length);
    std::string_view before = text.substr(0, text.size() - length);
    const bool marked = std::string_view("_ ./-,").find(before.back()) != std::string_view::npos;
    const bool capital =
        unit.front() >= 'A' && unit.front() <= 'Z' && before.back() >= 'a' && before.back() <= 'z';
    const auto known = marked || capital ? unit_named(unit) : std::nullopt;
    if (!known) continue;
    while (!before.empty() && letters_of(before.substr(before.size() - 1)).empty())
      before.remove_suffix(1);
    if (before.ends_with(" in") || before.ends_with("_in")) before.remove_suffix(3);
    if (!has_role_of(before, known->dimension)) continue;
    name.name = before;
    name.unit = unit;
    return true;
  }
  return false;
}

}  // namespace

HeaderName read_header_name(std::string_view field) {
  const std::string_view text = without_blanks(field);
  HeaderName name{std::string(text), std::string(text), {}};
  if (take_bracketed_unit(text, name) || take_joined_unit(text, name)) return name;
  // One letter may be anything.
  if (text.size() > 1 && unit_named(text)) name.unit = text;
  return name;
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
