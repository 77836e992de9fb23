#include "profiles/import/tool_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

// A table is the tool's if it has the column `has` (if one is given) and one of `and_one_of`, by
// the letters of their names.
struct KnownTool {
  std::string_view tool;
  std::string_view has;
  std::string_view and_one_of;
};

constexpr auto kTools = std::to_array<KnownTool>({
    {"sacct", "jobid", "elapsed elapsedraw"},
    {"APEX profiles", "type", "numsamplescalls"},
    {"APEX tasks", "task", "numcalls"},
    {"Cube threads", "cnodeid", "threadid"},
    {"Cube", "", "cnodeid"},
    {"Caliper", "", "maxtimerank avgtimerank sumtimedurationns timedurationns"},
    {"TAU", "",
     "inclusivegettimeofday exclusivegettimeofday subrs numsubrs numsubr subroutines childcalls "
     "profilecalls"},
});

// The first of `names` that a tool's table has.
struct KnownColumn {
  std::string_view tool;
  std::string_view names;    // letters of names
  std::string_view role;     // empty: none
  std::string_view unit;     // empty: not known
  std::string_view note;     // for people; "{}" is the name
  std::string_view ignored;  // why it is; empty: it is not
  std::string_view beside;   // only where this column is there, too
};

// Of several columns with one role the first one that is there has it.
constexpr auto kColumns = std::to_array<KnownColumn>({
    {"sacct", "elapsed", "", "", "", "it is \"ElapsedRaw\" once more", "elapsedraw"},
    {"sacct", "consumedenergy", "", "", "", "it is \"ConsumedEnergyRaw\" once more",
     "consumedenergyraw"},
    {"sacct", "reqmem", "", "", "", "its numbers have different things behind them", ""},
    {"APEX profiles", "numthreads", "", "",
     "\"{}\" is how many threads a timer of APEX ran on, not the run's: --set threads=N gives "
     "those.",
     "a timer's threads, not the run's", ""},
    {"APEX tasks", "totalmicroseconds", "time", "us",
     "\"{}\" of APEX is of all threads together, but for APEX MAIN: it is the wall time of runs "
     "with one thread only.",
     "", ""},
    {"Cube", "time", "time", "s",
     "\"{}\" of a dump of Cube without threads is of all processes and threads together: it is "
     "the wall time of runs with one thread only.",
     "", ""},
    {"Caliper", "maxtimerank avgtimerank", "time", "", "", "", ""},
    {"Caliper", "sumtimedurationns timedurationns", "time", "ns", "", "", ""},
    {"TAU",
     "inclusivegettimeofday inclusivetime inclusive exclusivegettimeofday exclusivetime exclusive",
     "time", "us",
     "\"{0}\" has no unit: taken for us, as TAU writes it; --unit \"{0}=...\" says otherwise.", "",
     ""},
});

struct KnownTest {
  std::string_view tool;
  std::string_view name;
  RowTest test;
};

constexpr auto kTests = std::to_array<KnownTest>({
    {"sacct", "jobid", RowTest::job},
    {"sacct", "state", RowTest::job_state},
    {"APEX profiles", "type", RowTest::apex_type},
});

// What numbers the ranks or threads of one run.
constexpr std::string_view kPlaces =
    "rank rankid mpirank process processid thread threadid ompthreadid context location locationid";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What stands behind the point; empty if it is no number of a job's step.
std::string_view step_of(std::string_view job) {
  const std::size_t point = job.find('.');
  if (job.empty() || !is_digit(job.front()) || point == std::string_view::npos) return {};
  return job.substr(point + 1);
}

// "123.0", "123_4.0", "123+1.0"
bool is_step_of_srun(std::string_view job) {
  const std::string_view step = step_of(job);
  return !step.empty() && std::ranges::all_of(step.substr(0, step.find('+')), is_digit);
}

using Names = std::vector<std::string>;  // letters of names

// The first of these words that is a column's name.
std::optional<std::size_t> column_of(const Names& names, std::string_view words) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const auto found = std::ranges::find(names, words.substr(begin, end - begin));
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    begin = end + 1;
  }
  return std::nullopt;
}

std::string_view tool_of(const Names& names) {
  const auto found = std::ranges::find_if(kTools, [&](const KnownTool& known) {
    return (known.has.empty() || column_of(names, known.has)) && column_of(names, known.and_one_of);
  });
  return found == kTools.end() ? std::string_view{} : found->tool;
}

// Of one column: whether the first rows have a cell like this.
template <class Test>
bool any_cell(std::span<const std::vector<std::string>> rows, std::size_t column, Test&& test) {
  return std::ranges::any_of(
      rows, [&](const auto& row) { return column < row.size() && test(row[column]); });
}

std::string note_on_place(std::string_view name) {
  return fmt::format(
      "\"{}\" numbers ranks or threads: each row is of one of them, not of a whole run, and they "
      "are not put together. Make one row of each run's: the longest time, the sum of energies "
      "and counts.",
      name);
}

}  // namespace

ToolTable recognise_tool_table(std::span<const std::string> names,
                               std::span<const std::vector<std::string>> first_rows) {
  ToolTable table;
  table.tests.resize(names.size());
  Names letters;
  for (const std::string& name : names) letters.push_back(letters_of(name));
  const std::string_view tool = tool_of(letters);
  for (const KnownTest& known : kTests)
    if (const auto column = column_of(letters, known.name); column && known.tool == tool)
      table.tests[*column] =
          known.test == RowTest::job && any_cell(first_rows, *column, is_step_of_srun)
              ? RowTest::job_step
              : known.test;
  for (const KnownColumn& known : kColumns) {
    const auto column = column_of(letters, known.names);
    if (!column || known.tool != tool ||
        (!known.beside.empty() && !column_of(letters, known.beside)) ||
        (!known.role.empty() && std::ranges::find(table.columns, known.role,
                                                  &ToolTable::Column::role) != table.columns.end()))
      continue;
    table.columns.push_back({*column, known.role, known.unit, std::string(known.ignored)});
    if (!known.note.empty())
      table.notes.push_back(fmt::format(fmt::runtime(known.note), names[*column]));
  }
  // Slurm counts those of all tasks.
  if (tool == "sacct") table.cpus_of_all_processes = column_of(letters, "alloccpus ncpus");
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (has_word(kPlaces, letters[i]) && any_cell(first_rows, i, [&](const std::string& cell) {
          return i < first_rows[0].size() && cell != first_rows[0][i];
        })) {
      table.notes.push_back(note_on_place(names[i]));
      break;
    }
  return table;
}

std::string_view why_no_run(RowTest test, std::string_view cell) {
  if (test == RowTest::job_state)
    return letters_of(cell) == "completed" ? "" : "a job or step that did not complete";
  if (test == RowTest::apex_type)
    return letters_of(cell) == "counter" ? "a counter of APEX, and no timer" : "";
  if (test == RowTest::none) return {};
  if (has_word("batch extern interactive", step_of(cell)))
    return "a batch script or what Slurm adds, and no step of srun";
  if (test == RowTest::job_step && !is_step_of_srun(cell))
    return "a whole job, whose steps are rows of their own";
  return {};
}

std::string_view header_behind(std::string_view header) {
  // APEX writes its counters first, even if there are none.
  return header.starts_with("\"counter\",\"num samples\"") ? "\"task\"," : "";
}

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : in_lower_case(text))
    if ((c >= 'a' && c <= 'z') || is_digit(c) || (c & '\x80') != 0) letters += c;
  return letters;
}

bool has_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

}  // namespace huddle
