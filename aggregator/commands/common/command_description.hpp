#pragma once

// The parts of a command line, as data: what --help shows, what a shell completes, and what a
// mistyped command is compared with are made of it.

#include <string>
#include <string_view>
#include <vector>

namespace huddle::cli {

struct OptionDescription {
  /// "--machine"; with a letter "-m" before it. Of a positional argument: its name, "PROFILE".
  std::vector<std::string> names;
  bool positional = false;
  bool required = false;
  /// True if it may have several values.
  bool several = false;
  /// The word that stands for its value: "N", "FILE"; empty: it has none.
  std::string value;
  /// The words that its value may be; empty: anything.
  std::vector<std::string> choices;
  std::string text;
  /// "1 to 2"; empty if the text says it, or every number is right.
  std::string range;
  /// Empty if there is none, or the text says it.
  std::string default_value;
};

struct Example {
  std::string command;
  /// Its effect, in a few words; may be empty.
  std::string text;
};

struct CommandDescription {
  /// "huddle plan", or of a subcommand that is listed "plan" alone.
  std::string name;
  std::string text;
  /// Without --help, and without what is not shown.
  std::vector<OptionDescription> options;
  std::vector<Example> examples;
  std::vector<CommandDescription> subcommands;
};

/// The page that --help prints of a command whose name is the whole of what is typed: usage, what
/// it does, its options and subcommands, and examples; no line is longer than `width` unless a
/// single word is. Ends with a newline.
std::string help_page(const CommandDescription& command, std::size_t width);

/// The width of such pages: 100 columns, or what render::output_width() leaves of them.
std::size_t help_width();

/// `text` in lines that begin with `indent` spaces, the first one without; no longer than `width`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// The subcommand whose name is most like `word`; empty if none is like it.
std::string nearest_subcommand(const CommandDescription& command, std::string_view word);

/// The sentence that says what replaces `option`, such as "--machine", which `command`, such as
/// "huddle show", had in an earlier version; empty if it never had such an option, or still has it.
std::string_view replacement_of(std::string_view command, std::string_view option);

/// A script for bash that completes what is typed after the command's name: subcommands, options,
/// the words that an option's value may be, and names of files. To be sourced, or kept in bash's
/// folder of completions under the command's name.
std::string bash_completion(const CommandDescription& command);

/// The same for fish.
std::string fish_completion(const CommandDescription& command);

}  // namespace huddle::cli
