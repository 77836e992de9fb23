#pragma once

// Internal to the reader of measured rows.

#include <cstdint>
#include <string_view>

namespace huddle {

/// What a column of text says of its rows: some of them are no runs.
enum class RowFilter : std::uint8_t {
  none,
  job,        ///< Slurm's number of a job or step, where no step is an srun's
  job_step,   ///< the same, where some are: the runs are these
  job_state,  ///< whether the job came to its end
  apex_type,  ///< a timer or a counter
};

/// Why a row with this cell is left out, for people; empty if it stays.
std::string_view why_left_out(RowFilter filter, std::string_view cell);

/// Whether a job's number is that of a step which srun made: "123.0", "123_4.0", "123+1.0".
bool is_step_of_srun(std::string_view job);

/// Whether it is that of the batch script, or of what Slurm adds: "123.batch", "123.extern".
bool is_step_of_slurm(std::string_view job);

/// Whether it is a job's state as sacct writes it: "COMPLETED", "CANCELLED by 1000".
bool is_state_of_job(std::string_view cell);

}  // namespace huddle
