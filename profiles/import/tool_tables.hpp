#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// What a column of text says about its rows: some of them are no measured runs.
enum class RowTest : std::uint8_t {
  none,
  job,        ///< Slurm's number of a job or step, in a table of jobs
  job_step,   ///< the same, in a table that has steps of srun: these are the runs
  job_state,  ///< whether the job came to its end
  apex_type,  ///< a timer or a counter
};

/// What the columns of a table mean because a certain tool wrote it, where their names alone do not
/// say so.
struct ToolTable {
  struct Column {
    std::size_t column = 0;
    /// "size", "time", "region", ...; empty: it is to be ignored.
    std::string_view role;
    /// What its plain numbers are in; empty: the header or the cells say it.
    std::string_view unit;
    /// For people, of an ignored column.
    std::string why_ignored;
  };
  std::vector<Column> columns;
  /// One for each column.
  std::vector<RowTest> tests;
  /// A column that counts the CPUs of all processes together.
  std::optional<std::size_t> cpus_of_all_processes;
  /// Sentences for people.
  std::vector<std::string> notes;
};

/// Recognises the tables that Slurm's sacct, APEX, Cube, Caliper and TAU's ParaProf write, by the
/// names of their columns; the first rows' cells distinguish jobs from steps. The result is empty
/// but for `tests` if the table is of none of them. Hatchet's names say what they mean.
ToolTable recognise_tool_table(std::span<const std::string> names,
                               std::span<const std::vector<std::string>> first_rows);

/// Why a row with this cell is no run, for people; empty if it is one.
std::string_view why_no_run(RowTest test, std::string_view cell);

/// Some tools write another table in front of the wanted one. If this is the header of one, what
/// the line begins with where the wanted one starts; else empty.
std::string_view header_behind(std::string_view header);

/// The letters and digits of a name in small letters, without blanks and marks.
std::string letters_of(std::string_view text);

/// Whether `word` is one of the words in `words`, which blanks part.
bool has_word(std::string_view words, std::string_view word);

}  // namespace huddle
