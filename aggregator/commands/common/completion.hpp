#pragma once

#include <string>

#include "aggregator/commands/common/command_description.hpp"

namespace huddle::cli {

/// A script for bash that completes what is typed after the command's name: subcommands, options,
/// the words that an option's value may be, and names of files. To be sourced, or kept in bash's
/// folder of completions under the command's name.
std::string bash_completion(const CommandDescription& command);

/// The same for fish.
std::string fish_completion(const CommandDescription& command);

}  // namespace huddle::cli
