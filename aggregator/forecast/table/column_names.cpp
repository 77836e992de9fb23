#include "aggregator/forecast/table/column_names.hpp"

#include <algorithm>
#include <array>

namespace huddle {
namespace {

using M = ColumnMeaning;
using R = ColumnRole;

struct KnownName {
  std::string_view name;
  NamedMeaning meaning;
};

// Names without blanks and marks, in small letters.
constexpr auto kNames = std::to_array<KnownName>({
    {"size", {M::role, R::size, 0}},
    {"problemsize", {M::role, R::size, 0}},
    {"probsize", {M::role, R::size, 0}},
    {"psize", {M::role, R::size, 0}},
    {"inputsize", {M::role, R::size, 1}},
    {"datasize", {M::role, R::size, 1}},
    {"gridsize", {M::role, R::size, 1}},
    {"matrixsize", {M::role, R::size, 1}},
    {"n", {M::role, R::size, 2}},
    {"problem", {M::role, R::size, 2}},
    {"processes", {M::role, R::processes, 0}},
    {"procs", {M::role, R::processes, 0}},
    {"ranks", {M::role, R::processes, 0}},
    {"nprocs", {M::role, R::processes, 0}},
    {"nranks", {M::role, R::processes, 0}},
    {"np", {M::role, R::processes, 0}},
    {"nprocesses", {M::role, R::processes, 0}},
    {"numprocs", {M::role, R::processes, 0}},
    {"numranks", {M::role, R::processes, 0}},
    {"numprocesses", {M::role, R::processes, 0}},
    {"mpiprocs", {M::role, R::processes, 0}},
    {"mpiranks", {M::role, R::processes, 0}},
    {"mpiprocesses", {M::role, R::processes, 0}},
    {"mpiworldsize", {M::role, R::processes, 0}},
    {"ntasks", {M::role, R::processes, 1}},
    {"tasks", {M::role, R::processes, 1}},
    {"jobsize", {M::role, R::processes, 1}},
    {"mpi", {M::role, R::processes, 2}},
    {"threads", {M::role, R::threads, 0}},
    {"nthreads", {M::role, R::threads, 0}},
    {"numthreads", {M::role, R::threads, 0}},
    {"ompthreads", {M::role, R::threads, 0}},
    {"ompnumthreads", {M::role, R::threads, 0}},
    {"threadsperprocess", {M::role, R::threads, 0}},
    {"threadsperrank", {M::role, R::threads, 0}},
    {"threadsperproc", {M::role, R::threads, 0}},
    {"cores", {M::role, R::threads, 1}},
    {"ncores", {M::role, R::threads, 1}},
    {"numcores", {M::role, R::threads, 1}},
    {"cpuspertask", {M::role, R::threads, 1}},
    {"cpus", {M::role, R::threads, 2}},
    {"ncpus", {M::role, R::threads, 2}},
    {"alloccpus", {M::role, R::threads, 2}},
    {"omp", {M::role, R::threads, 2}},
    {"frequency", {M::role, R::frequency, 0}},
    {"freq", {M::role, R::frequency, 0}},
    {"corefrequency", {M::role, R::frequency, 0}},
    {"corefreq", {M::role, R::frequency, 0}},
    {"cpufrequency", {M::role, R::frequency, 0}},
    {"cpufreq", {M::role, R::frequency, 0}},
    {"clockfrequency", {M::role, R::frequency, 0}},
    {"clockspeed", {M::role, R::frequency, 1}},
    {"clock", {M::role, R::frequency, 1}},
    {"inclusivetime", {M::role, R::time, 0}},
    {"timeinclusive", {M::role, R::time, 0}},
    {"incltime", {M::role, R::time, 0}},
    {"timeincl", {M::role, R::time, 0}},
    {"inclusive", {M::role, R::time, 0}},
    {"inclusivegettimeofday", {M::role, R::time, 0}},
    {"inclusivetotal", {M::role, R::time, 0}},
    {"timeinc", {M::role, R::time, 0}},
    {"timei", {M::role, R::time, 0}},
    {"inclusivetimeduration", {M::role, R::time, 0}},
    {"inclusivesumtimeduration", {M::role, R::time, 0}},
    {"sumtimeinclusiveduration", {M::role, R::time, 0}},
    {"sumsumtimeinclusiveduration", {M::role, R::time, 0}},
    {"maxtimerank", {M::role, R::time, 0}},
    {"time", {M::role, R::time, 1}},
    {"walltime", {M::role, R::time, 1}},
    {"wallclock", {M::role, R::time, 1}},
    {"wallclocktime", {M::role, R::time, 1}},
    {"runtime", {M::role, R::time, 1}},
    {"elapsed", {M::role, R::time, 1}},
    {"elapsedtime", {M::role, R::time, 1}},
    {"elapsedraw", {M::role, R::time, 1}},
    {"executiontime", {M::role, R::time, 1}},
    {"exectime", {M::role, R::time, 1}},
    {"totaltime", {M::role, R::time, 1}},
    {"duration", {M::role, R::time, 1}},
    {"timeduration", {M::role, R::time, 1}},
    {"sumtimeduration", {M::role, R::time, 1}},
    {"sumsumtimeduration", {M::role, R::time, 1}},
    {"avgtimerank", {M::role, R::time, 1}},
    {"exclusivetime", {M::role, R::time, 2}},
    {"timeexclusive", {M::role, R::time, 2}},
    {"excltime", {M::role, R::time, 2}},
    {"timeexcl", {M::role, R::time, 2}},
    {"timeexc", {M::role, R::time, 2}},
    {"timee", {M::role, R::time, 2}},
    {"exclusivegettimeofday", {M::role, R::time, 2}},
    {"exclusive", {M::role, R::time, 2}},
    {"totalenergy", {M::role, R::energy, 0}},
    {"energytotal", {M::role, R::energy, 0}},
    {"energy", {M::role, R::energy, 1}},
    {"energyconsumed", {M::role, R::energy, 1}},
    {"energyconsumption", {M::role, R::energy, 1}},
    {"consumedenergyraw", {M::role, R::energy, 1}},
    {"consumedenergy", {M::role, R::energy, 2}},
    {"nodeenergy", {M::role, R::energy, 1}},
    {"energynode", {M::role, R::energy, 1}},
    {"region", {M::region, R::variable, 0}},
    {"regionname", {M::region, R::variable, 0}},
    {"coderegion", {M::region, R::variable, 0}},
    {"name", {M::region, R::variable, 1}},
    {"function", {M::region, R::variable, 1}},
    {"functionname", {M::region, R::variable, 1}},
    {"routine", {M::region, R::variable, 1}},
    {"event", {M::region, R::variable, 1}},
    {"timer", {M::region, R::variable, 1}},
    {"phase", {M::region, R::variable, 1}},
    {"kernel", {M::region, R::variable, 1}},
    {"callpath", {M::region, R::variable, 1}},
    {"task", {M::region, R::variable, 1}},
    {"path", {M::region, R::variable, 2}},
    {"cnode", {M::region, R::variable, 2}},
    {"cnodeid", {M::region, R::variable, 2}},
    {"regionid", {M::region, R::variable, 2}},
    {"program", {M::program, R::variable, 0}},
    {"application", {M::program, R::variable, 0}},
    {"app", {M::program, R::variable, 0}},
    {"benchmark", {M::program, R::variable, 0}},
    {"run", {M::identifier, R::variable, 0}},
    {"runid", {M::identifier, R::variable, 0}},
    {"repetition", {M::identifier, R::variable, 0}},
    {"repeat", {M::identifier, R::variable, 0}},
    {"rep", {M::identifier, R::variable, 0}},
    {"trial", {M::identifier, R::variable, 0}},
    {"id", {M::identifier, R::variable, 0}},
    {"index", {M::identifier, R::variable, 0}},
    {"row", {M::identifier, R::variable, 0}},
    {"rowid", {M::identifier, R::variable, 0}},
    {"job", {M::identifier, R::variable, 0}},
    {"jobid", {M::identifier, R::variable, 0}},
    {"jobidraw", {M::identifier, R::variable, 0}},
    {"associd", {M::identifier, R::variable, 0}},
    {"dbindex", {M::identifier, R::variable, 0}},
    {"uid", {M::identifier, R::variable, 0}},
    {"gid", {M::identifier, R::variable, 0}},
    {"timestamp", {M::identifier, R::variable, 0}},
    {"date", {M::identifier, R::variable, 0}},
    {"seed", {M::identifier, R::variable, 0}},
    {"rank", {M::identifier, R::variable, 0}},
    {"rankid", {M::identifier, R::variable, 0}},
    {"mpirank", {M::identifier, R::variable, 0}},
    {"process", {M::identifier, R::variable, 0}},
    {"processid", {M::identifier, R::variable, 0}},
    {"pid", {M::identifier, R::variable, 0}},
    {"thread", {M::identifier, R::variable, 0}},
    {"threadid", {M::identifier, R::variable, 0}},
    {"tid", {M::identifier, R::variable, 0}},
    {"ompthreadid", {M::identifier, R::variable, 0}},
    {"nid", {M::identifier, R::variable, 0}},
    {"node", {M::identifier, R::variable, 0}},
    {"nodeid", {M::identifier, R::variable, 0}},
    {"context", {M::identifier, R::variable, 0}},
    {"location", {M::identifier, R::variable, 0}},
    {"locationid", {M::identifier, R::variable, 0}},
    {"unnamed0", {M::identifier, R::variable, 0}},
    {"", {M::identifier, R::variable, 0}},
    {"edp", {M::derived, R::variable, 0}},
    {"ed2p", {M::derived, R::variable, 0}},
    {"cputimeraw", {M::derived, R::variable, 0}},
    {"energydelayproduct", {M::derived, R::variable, 0}},
});

// What numbers the ranks or threads of one run.
constexpr auto kPlaces = std::to_array<std::string_view>(
    {"rank", "rankid", "mpirank", "process", "processid", "thread", "threadid", "ompthreadid",
     "context", "location", "locationid"});

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return (small(c) >= 'a' && small(c) <= 'z') || is_digit(c) || (c & '\x80') != 0;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool ends_in_number(std::string_view letters, std::string_view before) {
  return letters.size() > before.size() && letters.starts_with(before) &&
         std::ranges::all_of(letters.substr(before.size()), is_digit);
}

NamedMeaning meaning_of_letters(std::string_view letters) {
  const auto known = std::ranges::find(kNames, letters, &KnownName::name);
  if (known != kNames.end()) return known->meaning;
  if (ends_in_number(letters, "energynode") || ends_in_number(letters, "nodeenergy") ||
      ends_in_number(letters, "energy"))
    return {M::energy_part, R::energy, 2};
  if (letters.find("energy") != std::string_view::npos) return {M::maybe_energy, R::variable, 0};
  return {};
}

bool has_role_of(std::string_view name, Dimension dimension) {
  const NamedMeaning meaning = meaning_of_letters(letters_of(name));
  return (meaning.meaning == M::role || meaning.meaning == M::energy_part) &&
         dimension_of(meaning.role) == dimension;
}

// Where a unit in brackets at the end begins; npos if there is none.
std::size_t bracket_at_end(std::string_view text) {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  if (text.empty()) return std::string_view::npos;
  const std::size_t kind = kClosing.find(text.back());
  if (kind == std::string_view::npos) return std::string_view::npos;
  const std::size_t open = text.rfind(kOpening[kind]);
  return open == 0 ? std::string_view::npos : open;
}

// A unit in brackets, maybe with words in brackets behind: "Time [s] (inclusive)".
bool take_bracketed_unit(std::string_view text, HeaderName& name) {
  const std::size_t open = bracket_at_end(text);
  if (open == std::string_view::npos) return false;
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

// "total microseconds", as APEX has it: alone it may be the total of anything.
bool is_total(std::string_view name) {
  return letters_of(name) == "total";
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
    while (!before.empty() && !is_name_character(before.back())) before.remove_suffix(1);
    if (before.ends_with(" in") || before.ends_with("_in")) before.remove_suffix(3);
    if (!has_role_of(before, known->dimension) && !is_total(before)) continue;
    name.name = before;
    name.unit = unit;
    return true;
  }
  return false;
}

}  // namespace

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (is_name_character(c)) letters += small(c);
  return letters;
}

bool equal_letters(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, small, small);
}

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
  const bool total = is_total(name.name);
  if (meaning.meaning != M::variable || (name.unit != name.raw && !total)) return meaning;
  const std::uint8_t tier = total ? 3 : 1;
  switch (unit_named(name.unit).value_or(MeasurementUnit{}).dimension) {
    case Dimension::time:
      return {M::role, R::time, tier};
    case Dimension::energy:
      return {M::role, R::energy, tier};
    case Dimension::frequency:
      return {M::role, R::frequency, 0};
    default:
      return meaning;
  }
}

bool numbers_places(const HeaderName& name) {
  const std::string letters = letters_of(name.name);
  return std::ranges::find(kPlaces, letters) != kPlaces.end();
}

bool is_tau_name(std::string_view name) {
  const std::string letters = letters_of(name);
  return letters.find("gettimeofday") != std::string::npos || letters == "subrs" ||
         letters == "numsubrs" || letters == "subroutines" || letters == "numsubr" ||
         letters == "childcalls" || letters == "profilecalls";
}

}  // namespace huddle
