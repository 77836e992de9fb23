#pragma once

#include <string>
#include <string_view>

#include "aggregator/commands/common/command_description.hpp"

namespace huddle::cli {

/// What --help prints of a command whose name is the whole of what is typed: usage, what it does,
/// its options and subcommands, and examples; no line is longer than `width` unless a single word
/// is. Ends with a newline.
std::string help_page(const CommandDescription& command, std::size_t width = 100);

/// `text` in lines that begin with `indent` spaces, the first one without; no longer than `width`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// The subcommand whose name is most like `word`; empty if none is like it.
std::string nearest_subcommand(const CommandDescription& command, std::string_view word);

}  // namespace huddle::cli
