#pragma once

// CLI11 as the commands see it: its words and its behaviour, without its templates. Only
// command_line.cpp includes CLI11, since each source that does so compiles the parser once more.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/commands/common/command_description.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace huddle::cli {

/// A value is one of these names, which --help shows in this order.
struct IsMember {
  IsMember(std::initializer_list<const char*> those) : names(those.begin(), those.end()) {}
  explicit IsMember(std::vector<std::string> those) : names(std::move(those)) {}
  /// The keys of a map, in its order.
  template <class Value>
  explicit IsMember(const std::map<std::string, Value>& map) {
    for (const auto& [name, value] : map) names.push_back(name);
  }

  /// The same, and --help does not show the names: the option's text does.
  [[nodiscard]] IsMember without_description() && {
    shown = false;
    return std::move(*this);
  }

  std::vector<std::string> names;
  bool shown = true;
};

/// A value is a number from `least` to `most`, both included.
class Range {
 public:
  Range(std::uint32_t least, std::uint32_t most) : whole_{least, most} {}
  Range(std::uint64_t least, std::uint64_t most) : whole_{least, most} {}
  Range(double least, double most) : is_whole_(false), real_{least, most} {}

 private:
  friend class Option;
  template <class Number>
  struct Bounds {
    Number least = 0;
    Number most = 0;
  };
  bool is_whole_ = true;
  Bounds<std::uint64_t> whole_;
  Bounds<double> real_;
};

/// An option, a flag or a positional argument of an App, which owns it. Each function returns the
/// object itself and does what CLI11's function of that name does.
class Option {
 public:
  /// `value` stands for its value in --help; empty: it has none.
  Option(CLI::Option* option, std::string value) : option_(option), value_(std::move(value)) {}

  /// Sets what stands for its value in --help, in place of N or the option's name in capitals.
  Option* value(const std::string& name);
  [[nodiscard]] OptionDescription describe() const;
  /// True if --help shows it.
  [[nodiscard]] bool is_shown() const;

  Option* required();
  Option* capture_default_str();
  Option* default_val(const std::string& value);
  /// It is not in --help: for what Huddle's own parts say to each other.
  Option* hide();
  Option* delimiter(char between);
  Option* expected(int values);
  Option* allow_extra_args(bool allowed);
  /// Given several times, it has all the values.
  Option* take_all();
  Option* check(const IsMember& names);
  Option* check(const Range& range);
  Option* needs(Option* other);
  Option* excludes(Option* other);

 private:
  CLI::Option* option_;
  std::string value_;
  std::vector<std::string> choices_;
  std::string range_;
};

/// A command with its options and subcommands. Options and subcommands live as long as the App that
/// they were added to. Variables given to add_option() and add_flag() must outlive parse(); until
/// then they hold the defaults. Not thread-safe.
class App {
 public:
  /// A command that is parsed itself.
  App(const std::string& description, const std::string& name);
  App(const App&) = delete;
  App& operator=(const App&) = delete;
  ~App();

  App* add_subcommand(const std::string& name, const std::string& description);
  /// For the end of --help.
  void add_example(const std::string& command, const std::string& text = "");
  /// Its last arguments are a command that follows "--": a mistake on a command line without "--"
  /// is answered with that.
  void expect_separator();
  /// With its name as it is typed, "huddle plan".
  [[nodiscard]] CommandDescription describe() const;
  void set_version_flag(const std::string& name, const std::string& version);
  void require_subcommand(int number);
  /// Its options may stand behind the names of subcommands, too, that are added from now on.
  void let_options_follow();
  /// Sets what is done once all of the command line was found right.
  void callback(std::function<void()> done);

  Option* add_option(const std::string& name, std::string& value, const std::string& text = "");
  Option* add_option(const std::string& name, std::optional<std::string>& value,
                     const std::string& text = "");
  Option* add_option(const std::string& name, std::filesystem::path& value,
                     const std::string& text = "");
  Option* add_option(const std::string& name, std::vector<std::string>& value,
                     const std::string& text = "");
  Option* add_option(const std::string& name, std::uint32_t& value, const std::string& text = "");
  Option* add_option(const std::string& name, std::optional<std::uint32_t>& value,
                     const std::string& text = "");
  Option* add_option(const std::string& name, std::uint64_t& value, const std::string& text = "");
  Option* add_option(const std::string& name, double& value, const std::string& text = "");
  /// The value is one of the names, or its number; `take` gets the number.
  Option* add_named_number(const std::string& name, const std::map<std::string, int>& numbers,
                           const std::function<void(int)>& take, const std::string& text);
  /// Hands over the value instead of storing it.
  Option* add_option_function(const std::string& name,
                              const std::function<void(const std::string&)>& take,
                              const std::string& text);
  Option* add_flag(const std::string& name, bool& value, const std::string& text = "");
  /// A flag that may have a value, as in --trace=FOLDER; "true" without one.
  Option* add_flag(const std::string& name, std::string& value, const std::string& text);

  /// The subcommand of that name. Throws UsageError, which names the nearest one, if there is none.
  [[nodiscard]] const App& subcommand(const std::string& name) const;

  /// The options that were added up to now.
  [[nodiscard]] std::vector<Option*> get_options();
  /// True if it was on the command line.
  [[nodiscard]] bool parsed() const;
  /// True if any of its subcommands was.
  [[nodiscard]] bool subcommand_parsed() const;

  /// Parses the arguments of main() and calls the callbacks. Returns nothing if the program goes
  /// on, else its exit code: of end_with(), or 0 after --help and --version, whose text `put_out`
  /// gets. Throws UsageError that ends in "; see `help` --help", and whatever callbacks throw.
  std::optional<int> parse(int argc, const char* const* argv, std::string_view help,
                           const std::function<void(const std::string&)>& put_out);

 private:
  App(CLI::App* app, std::string path);
  Option* added(CLI::Option* option, std::string value);
  /// The subcommand of subcommands that the command line names.
  [[nodiscard]] const App& deepest_parsed() const;
  /// Throws UsageError that says what replaces an option that earlier versions had, if there is
  /// such a one on the command line.
  void explain_removed_option(int argc, const char* const* argv) const;
  void explain_missing_separator(int argc, const char* const* argv) const;
  /// The same of the option that was likely meant by one that there is not.
  void explain_mistyped_option(int argc, const char* const* argv) const;

  std::unique_ptr<CLI::App> own_;
  CLI::App* app_;
  /// The words that reach it: "huddle forecast collect".
  std::string path_;
  std::vector<Example> examples_;
  bool expects_separator_ = false;
  std::deque<Option> options_;
  std::deque<std::unique_ptr<App>> subcommands_;
};

/// For callbacks: an option is missing, as if it had been declared as required.
[[noreturn]] void throw_missing(const std::string& option);
/// For callbacks: parse() returns this status at once.
[[noreturn]] void end_with(int status);

}  // namespace huddle::cli
