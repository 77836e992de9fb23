#pragma once

#include <optional>
#include <string>

#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::plugin {

/// To be called from slurm_spank_init of sbatch, salloc and srun: an sbatch whose script comes
/// through a pipe is about to read it, and nobody could look at it later. What is in the pipe is
/// copied, and stays there for sbatch. Waits for the script's end as sbatch would, but no longer
/// than two seconds. Never throws.
void look_at_piped_script() noexcept;

/// The text of the script that sbatch submits: the file of its command line, found as sbatch finds
/// it, what stands behind --wrap, or its standard input. Empty in salloc and srun. Nothing if it
/// can't be looked at: it is no regular file, can't be read, or its pipe did not end in time.
std::optional<std::string> submitted_script(const submission::SlurmClient& slurm);

}  // namespace huddle::plugin
