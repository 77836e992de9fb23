#include "profiles/import/tool_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace huddle {
namespace {

struct KnownTool {
  std::string_view tool;
  std::string_view
      columns;  // a table with all of these, by the letters of their names, is the tool's
};

constexpr auto kTools = std::to_array<KnownTool>({
    {"sacct", "jobid elapsed"},
    {"sacct", "jobid elapsedraw"},
    {"sacct", "jobid ntasks state"},
    {"APEX profiles", "type numsamplescalls"},
    {"APEX tasks", "task numcalls"},
    {"Cube threads", "cnodeid threadid"},
    {"Cube", "cnodeid"},
    {"Caliper", "maxtimerank"},
    {"Caliper", "avgtimerank"},
    {"Caliper", "sumtimedurationns"},
    {"Caliper", "timedurationns"},
    {"TAU", "inclusivegettimeofday"},
    {"TAU", "exclusivegettimeofday"},
    {"TAU", "subrs"},
    {"TAU", "numsubrs"},
    {"TAU", "numsubr"},
    {"TAU", "subroutines"},
    {"TAU", "childcalls"},
    {"TAU", "profilecalls"},
});

struct KnownColumn {
  std::string_view tool;
  std::string_view name;     // its letters
  std::string_view role;     // empty: none
  std::string_view unit;     // empty: not known
  std::string_view note;     // for people; "{}" is the name
  std::string_view ignored;  // why it is; empty: it is not
  std::string_view beside;   // only where this column is there, too
};

constexpr std::string_view kTau =
    "\"{0}\" has no unit: taken for us, as TAU writes it; --unit \"{0}=...\" says otherwise.";

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
    {"Caliper", "maxtimerank", "time", "", "", "", ""},
    {"Caliper", "avgtimerank", "time", "", "", "", ""},
    {"Caliper", "sumtimedurationns", "time", "ns", "", "", ""},
    {"Caliper", "timedurationns", "time", "ns", "", "", ""},
    {"TAU", "inclusivegettimeofday", "time", "us", kTau, "", ""},
    {"TAU", "inclusivetime", "time", "us", kTau, "", ""},
    {"TAU", "inclusive", "time", "us", kTau, "", ""},
    {"TAU", "exclusivegettimeofday", "time", "us", kTau, "", ""},
    {"TAU", "exclusivetime", "time", "us", kTau, "", ""},
    {"TAU", "exclusive", "time", "us", kTau, "", ""},
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

std::optional<std::size_t> column_of(const Names& names, std::string_view letters) {
  const auto found = std::ranges::find(names, letters);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string_view tool_of(const Names& names) {
  const auto fits = [&](const KnownTool& known) {
    std::size_t words = 1 + static_cast<std::size_t>(std::ranges::count(known.columns, ' '));
    for (auto name = names.begin(); name != names.end(); ++name)
      if (has_word(known.columns, *name) && std::find(names.begin(), name, *name) == name) --words;
    return words == 0;
  };
  const auto found = std::ranges::find_if(kTools, fits);
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
    const auto column = column_of(letters, known.name);
    if (!column || known.tool != tool ||
        (!known.beside.empty() && !column_of(letters, known.beside)) ||
        (!known.role.empty() && std::ranges::find(table.columns, known.role,
                                                  &ToolTable::Column::role) != table.columns.end()))
      continue;
    table.columns.push_back({*column, known.role, known.unit, std::string(known.ignored)});
    if (!known.note.empty())
      table.notes.push_back(fmt::format(fmt::runtime(known.note), names[*column]));
  }
  if (tool == "sacct")  // Slurm counts those of all tasks
    for (const std::string_view cpus : {"ncpus", "alloccpus"})
      if (const auto column = column_of(letters, cpus)) table.cpus_of_all_processes = column;
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
  for (const char c : text) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((small >= 'a' && small <= 'z') || is_digit(small) || (c & '\x80') != 0) letters += small;
  }
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
