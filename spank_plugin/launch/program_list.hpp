#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huddle::launch {

/// The commands in a list of programs as srun --multi-prog takes it, one for each line: the words
/// behind the line's ranks. Quotes and backslashes are taken as Slurm takes them; "%t" and "%o",
/// the rank's numbers, stay as they are. Throws Error naming the line where Slurm would start no
/// program, and where there is none at all.
std::vector<std::vector<std::string>> commands_in_list(std::string_view text);

}  // namespace huddle::launch
