#include "aggregator/commands/common/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/spelling.hpp"

namespace huddle::cli {
namespace {

// CLI11 takes numbers and enumerations differently.
enum class NamedNumber : int {};

// "--keep-days" or "-m,--machine": DAYS, MACHINE.
std::string name_in_capitals(const std::string& names) {
  std::string name = names.substr(names.find_last_of(",-") + 1);
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

}  // namespace

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::default_val(const std::string& value) {
  option_->default_val(value);
  return this;
}

Option* Option::hide() {
  option_->group("");
  return this;
}

Option* Option::value(const std::string& name) {
  value_ = name;
  return this;
}

bool Option::is_shown() const {
  return !option_->get_group().empty();
}

OptionDescription Option::describe() const {
  OptionDescription described;
  described.positional = option_->get_positional();
  if (described.positional) {
    described.names = {option_->get_single_name()};
  } else {
    for (const std::string& letter : option_->get_snames()) described.names.push_back("-" + letter);
    for (const std::string& name : option_->get_lnames()) described.names.push_back("--" + name);
  }
  described.required = option_->get_required();
  described.value = value_;
  described.several = !value_.empty() && option_->get_items_expected_max() > 1;
  described.choices = choices_;
  described.text = option_->get_description();
  described.range = range_;
  if (described.text.find("default") == std::string::npos)
    described.default_value = option_->get_default_str();
  return described;
}

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::expected(int values) {
  option_->expected(values);
  return this;
}

Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Option* Option::take_all() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

Option* Option::check(const IsMember& names) {
  option_->check(CLI::IsMember(names.names));
  if (names.shown) choices_ = names.names;
  return this;
}

Option* Option::check(const Range& range) {
  // A bound that nobody reaches is not worth a word.
  constexpr std::uint64_t kWorthAWord = 1'000'000;
  if (range.is_whole_ && range.whole_.most <= kWorthAWord)
    range_ = fmt::format("{} to {}", range.whole_.least, range.whole_.most);
  if (!range.is_whole_ && range.real_.most <= static_cast<double>(kWorthAWord))
    range_ = fmt::format("{} to {}", range.real_.least, range.real_.most);
  // Not CLI::Range, whose words are others in each version.
  const auto check = [](auto least, auto most) {
    return [least, most](const std::string& text) {
      auto value = least;
      const char* const end = text.data() + text.size();
      const auto read = std::from_chars(text.data(), end, value);
      const bool is_right =
          read.ec == std::errc{} && read.ptr == end && value >= least && value <= most;
      return is_right ? std::string()
                      : fmt::format("Value {} not in range {} to {}", text, least, most);
    };
  };
  if (range.is_whole_)
    option_->check(check(range.whole_.least, range.whole_.most));
  else
    option_->check(check(range.real_.least, range.real_.most));
  return this;
}

Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

App::App(const std::string& description, const std::string& name)
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()), path_(name) {}

App::App(CLI::App* app, std::string path) : app_(app), path_(std::move(path)) {}

App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.emplace_back(new App(app_->add_subcommand(name, description), path_ + " " + name));
  return subcommands_.back().get();
}

void App::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version);
}

void App::require_subcommand(int number) {
  app_->require_subcommand(number);
}

void App::let_options_follow() {
  app_->fallthrough();
}

void App::callback(std::function<void()> done) {
  app_->callback(std::move(done));
}

void App::add_example(const std::string& command, const std::string& text) {
  examples_.push_back({command, text});
}

void App::expect_separator() {
  expects_separator_ = true;
}

CommandDescription App::describe() const {
  CommandDescription described;
  described.name = path_;
  described.text = app_->get_description();
  described.examples = examples_;
  for (const Option& option : options_)
    if (option.is_shown()) described.options.push_back(option.describe());
  if (expects_separator_) described.options.back().names[0].insert(0, "-- ");
  for (const std::unique_ptr<App>& subcommand : subcommands_) {
    CommandDescription below = subcommand->describe();
    below.name = subcommand->app_->get_name();
    described.subcommands.push_back(std::move(below));
  }
  return described;
}

const App& App::subcommand(const std::string& name) const {
  for (const std::unique_ptr<App>& subcommand : subcommands_)
    if (subcommand->app_->get_name() == name) return *subcommand;
  const std::string nearest = nearest_subcommand(describe(), name);
  throw UsageError(fmt::format("{} has no command \"{}\"{}; see {} --help", path_, shortened(name),
                               nearest.empty() ? "" : fmt::format(": did you mean {}?", nearest),
                               path_));
}

const App& App::deepest_parsed() const {
  for (const std::unique_ptr<App>& subcommand : subcommands_)
    if (subcommand->parsed()) return subcommand->deepest_parsed();
  return *this;
}

Option* App::added(CLI::Option* option, std::string value) {
  return &options_.emplace_back(option, std::move(value));
}

Option* App::add_option(const std::string& name, std::string& value, const std::string& text) {
  return added(app_->add_option(name, value, text), name_in_capitals(name));
}

Option* App::add_option(const std::string& name, std::optional<std::string>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text), name_in_capitals(name));
}

Option* App::add_option(const std::string& name, std::filesystem::path& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text), "FILE");
}

Option* App::add_option(const std::string& name, std::vector<std::string>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text), name_in_capitals(name));
}

Option* App::add_option(const std::string& name, std::uint32_t& value, const std::string& text) {
  return added(app_->add_option(name, value, text), "N");
}

Option* App::add_option(const std::string& name, std::optional<std::uint32_t>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text), "N");
}

Option* App::add_option(const std::string& name, std::uint64_t& value, const std::string& text) {
  return added(app_->add_option(name, value, text), "N");
}

Option* App::add_option(const std::string& name, double& value, const std::string& text) {
  return added(app_->add_option(name, value, text), "NUMBER");
}

Option* App::add_named_number(const std::string& name, const std::map<std::string, int>& numbers,
                              const std::function<void(int)>& take, const std::string& text) {
  std::map<std::string, NamedNumber> names;
  for (const auto& [key, number] : numbers) names.emplace(key, NamedNumber(number));
  CLI::Option* option = app_->add_option_function<NamedNumber>(
      name, [take](const NamedNumber& number) { take(static_cast<int>(number)); }, text);
  option->transform(CLI::CheckedTransformer(names).description(""));
  Option* const shown = added(option, name_in_capitals(name));
  return shown;
}

Option* App::add_option_function(const std::string& name,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& text) {
  return added(app_->add_option_function<std::string>(name, take, text), name_in_capitals(name));
}

Option* App::add_flag(const std::string& name, bool& value, const std::string& text) {
  return added(app_->add_flag(name, value, text), "");
}

Option* App::add_flag(const std::string& name, std::string& value, const std::string& text) {
  return added(app_->add_flag(name, value, text), "");
}

std::vector<Option*> App::get_options() {
  std::vector<Option*> all;
  for (Option& option : options_) all.push_back(&option);
  return all;
}

bool App::parsed() const {
  return app_->parsed();
}

bool App::subcommand_parsed() const {
  return !app_->get_subcommands().empty();
}

void App::explain_removed_option(int argc, const char* const* argv) const {
  const std::string& command = deepest_parsed().path_;
  for (const std::string_view word : std::vector<std::string_view>(argv + 1, argv + argc)) {
    if (word == "--") return;
    const std::string_view name = word.substr(0, word.find('='));
    const std::string_view replacement = replacement_of(command, name);
    if (!replacement.empty())
      throw UsageError(
          fmt::format("{0}: {1} is gone: {2}; see {0} --help", command, name, replacement));
  }
}

void App::explain_missing_separator(int argc, const char* const* argv) const {
  const App& command = deepest_parsed();
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (!command.expects_separator_ || std::find(words.begin(), words.end(), "--") != words.end())
    return;
  throw UsageError(
      fmt::format("{0}: \"--\" is missing before the command that it starts, as in "
                  "{0} -- mpirun -n 4 ./program; see {0} --help",
                  command.path_));
}

void App::explain_mistyped_option(int argc, const char* const* argv) const {
  const App& command = deepest_parsed();
  const CommandDescription described = command.describe();
  const CommandDescription own = describe();
  std::vector<std::string_view> known = {"--help"};
  for (const OptionDescription& option : own.options)
    known.insert(known.end(), option.names.begin(), option.names.end());
  for (const OptionDescription& option : described.options)
    known.insert(known.end(), option.names.begin(), option.names.end());
  for (const std::string_view word : std::vector<std::string_view>(argv + 1, argv + argc)) {
    const std::string_view name = word.substr(0, word.find('='));
    if (word == "--") return;
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    const std::string_view nearest = nearest_word(name, known);
    if (!nearest.empty())
      throw UsageError(fmt::format("{0}: there is no option {1}: did you mean {2}?; see {0} --help",
                                   command.path_, shortened(name), nearest));
  }
}

std::optional<int> App::parse(int argc, const char* const* argv, std::string_view help,
                              const std::function<void(const std::string&)>& put_out) {
  // CLI11 would only say that a subcommand is missing.
  if (!subcommands_.empty() && argc > 1 && argv[1][0] != '-')
    static_cast<void>(subcommand(argv[1]));
  try {
    app_->parse(argc, argv);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::CallForHelp&) {
    put_out(help_page(deepest_parsed().describe(), help_width()));
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      explain_removed_option(argc, argv);
      if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        explain_missing_separator(argc, argv);
        explain_mistyped_option(argc, argv);
      }
      throw UsageError(fmt::format("{}; see {} --help", error.what(), help));
    }
    std::ostringstream text;
    const int status = app_->exit(error, text, text);
    put_out(text.str());
    return status;
  }
  return std::nullopt;
}

void throw_missing(const std::string& option) {
  throw CLI::RequiredError(option);
}

void end_with(int status) {
  throw CLI::RuntimeError(status);
}

}  // namespace huddle::cli
