#pragma once

#include <istream>
#include <string>
#include <vector>

namespace huddle {

/// Whether a batch script's lines at its front, those that begin with "#", say "#SBATCH hetjob" (or
/// "packjob", its former name): it asks for a heterogeneous job, of several parts. Reads no more
/// than them, and at most 1 MiB.
bool asks_for_several_parts(std::istream& script);

/// The same for what the command line of sbatch, its own name first, submits: "-" or no file at all
/// is the standard input, which is looked at only if that takes nothing away from sbatch (a regular
/// file). Which word names the script depends on the options in front of it, so each word that is a
/// script counts. Also true for a ":" among the words, which parts them on the command line.
bool submits_several_parts(const std::vector<std::string>& words);

}  // namespace huddle
