#pragma once

// What a command line can hold, as data: what --help shows, what a shell completes, and what a
// mistyped command is compared with are made of it.

#include <string>
#include <vector>

namespace huddle::cli {

struct OptionDescription {
  /// "--machine"; with a letter "-m" before it. Of a positional argument: its name, "PROFILE".
  std::vector<std::string> names;
  bool positional = false;
  bool required = false;
  /// Whether it may have several values.
  bool several = false;
  /// What stands for its value: "N", "FILE"; empty: it has none.
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
  /// What it does, in a few words; may be empty.
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

}  // namespace huddle::cli
