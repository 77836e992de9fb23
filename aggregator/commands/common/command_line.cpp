#include "aggregator/commands/common/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// CLI11 takes numbers and enumerations differently.
enum class NamedNumber : int {};

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

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
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
  CLI::IsMember check(names.names);
  if (!names.shown) check.description("");
  option_->check(check);
  return this;
}

Option* Option::check(const Range& range) {
  if (range.is_whole_)
    option_->check(CLI::Range(range.whole_.least, range.whole_.most));
  else
    option_->check(CLI::Range(range.real_.least, range.real_.most));
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
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()) {}

App::App(CLI::App* app) : app_(app) {}

App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.emplace_back(new App(app_->add_subcommand(name, description)));
  return subcommands_.back().get();
}

void App::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version);
}

void App::require_subcommand(int number) {
  app_->require_subcommand(number);
}

void App::callback(std::function<void()> done) {
  app_->callback(std::move(done));
}

Option* App::added(CLI::Option* option) {
  return &options_.emplace_back(option);
}

Option* App::add_option(const std::string& name, std::string& value, const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::optional<std::string>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::filesystem::path& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::vector<std::string>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::uint32_t& value, const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::optional<std::uint32_t>& value,
                        const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, std::uint64_t& value, const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_option(const std::string& name, double& value, const std::string& text) {
  return added(app_->add_option(name, value, text));
}

Option* App::add_named_number(const std::string& name, const std::map<std::string, int>& numbers,
                              const std::function<void(int)>& take, const std::string& text) {
  std::map<std::string, NamedNumber> names;
  for (const auto& [key, number] : numbers) names.emplace(key, NamedNumber(number));
  CLI::Option* option = app_->add_option_function<NamedNumber>(
      name, [take](const NamedNumber& number) { take(static_cast<int>(number)); }, text);
  option->transform(CLI::CheckedTransformer(names).description(""));
  return added(option);
}

Option* App::add_option_function(const std::string& name,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& text) {
  return added(app_->add_option_function<std::string>(name, take, text));
}

Option* App::add_flag(const std::string& name, bool& value, const std::string& text) {
  return added(app_->add_flag(name, value, text));
}

Option* App::add_flag(const std::string& name, std::string& value, const std::string& text) {
  return added(app_->add_flag(name, value, text));
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

std::optional<int> App::parse(int argc, const char* const* argv, std::string_view help,
                              const std::function<void(const std::string&)>& put_out) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw UsageError(fmt::format("{}; see {} --help", error.what(), help));
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
