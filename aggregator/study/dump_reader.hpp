#pragma once

// Reads what sacct --parsable2 prints, a piece at a time, and puts each job's steps together.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/study/dumped_job.hpp"

namespace huddle::study {

/// The command whose output is read, for errors and manual pages.
extern const std::string_view kSacctCommand;

/// Lines that were passed over.
struct DumpFaults {
  /// Lines with fewer or more cells than the first line has, or with a cell that can't be what its
  /// column says.
  std::uint64_t broken_lines = 0;
  /// Sentences that name the first ones by file and number.
  std::vector<std::string> first_broken;
  /// Rows of steps that do not follow the row of their job.
  std::uint64_t stray_steps = 0;
};

/// Reads one dump. Its first line names the columns, in any order; those that are not needed may be
/// there, too. A job's steps follow its own row, as sacct prints them. Allocates nothing for a row.
class DumpReader {
 public:
  using TakeJob = std::function<void(const DumpedJob&)>;

  /// `name`: the file, for errors.
  DumpReader(std::string name, TakeJob take);

  /// Takes the next piece of the text, which may end anywhere. Throws Error, which says which
  /// sacct to run, if the first line lacks a column that is needed.
  void read(std::string_view piece);
  /// The text ends here. Throws Error if there was not even a first line.
  void finish();

  [[nodiscard]] const DumpFaults& faults() const { return faults_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  static constexpr std::size_t kColumns = 17;
  using Cells = std::array<std::string_view, kColumns>;

  void read_line(std::string_view line);
  void read_header(std::string_view line);
  void read_row(std::string_view line);
  [[nodiscard]] bool read_job(const Cells& cells);
  [[nodiscard]] bool read_step(const Cells& cells, std::string_view step);
  [[nodiscard]] bool read_numbered_step(const Cells& cells, double elapsed);
  void report_broken(std::string_view line);
  void end_job();

  std::string name_;
  TakeJob take_;
  DumpFaults faults_;
  std::uint64_t lines_ = 0;
  std::string rest_;
  std::string header_;
  /// The place of each column of the dump among ours, or -1.
  std::vector<int> place_;
  std::size_t cells_in_line_ = 0;
  std::size_t last_needed_ = 0;
  std::array<bool, kColumns> has_{};
  // The job whose steps are being read, and the texts that it refers to.
  bool has_job_ = false;
  DumpedJob job_;
  std::string job_line_;
  std::string_view job_id_;
  std::string_view job_cluster_;
  std::string program_;
  double program_node_seconds_ = 0;
  std::string latest_end_;
};

}  // namespace huddle::study
