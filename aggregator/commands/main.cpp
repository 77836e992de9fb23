#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output_width.hpp"
#include "profiles/files/trusted_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

// Those that start Slurm's commands and launchers by themselves. What huddle record starts is its
// caller's.
bool looks_up_programs(std::string_view command) {
  constexpr std::array kCommands = {"doctor",  "setup",  "plan",  "explain",
                                    "machine", "report", "study", "train"};
  return std::find(kCommands.begin(), kCommands.end(), command) != kCommands.end();
}

// Why nothing is looked up there; empty if it is, or if nothing is there.
std::string why_passed_over(const std::string& folder) {
  if (!folder.starts_with('/')) return "it depends on the current directory";
  return huddle::files::why_untrusted(folder);
}

// As root, leaves in PATH only folders that nobody but root could put a program into: what is
// looked up there runs with root's rights.
void trust_search_path() {
  const char* const variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  if (::geteuid() != 0 || variable == nullptr) return;
  std::string trusted;
  std::set<std::string> seen;  // a folder that is there twice is complained of once
  for (std::string_view rest = variable;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    std::error_code unknown;
    const bool is_new = seen.insert(folder).second;
    const std::string why = is_new ? why_passed_over(folder) : std::string();
    if (!why.empty())
      fmt::print(stderr,
                 "huddle: no program is looked up in \"{}\" of PATH, since root must not: {}\n",
                 folder, why);
    else if (is_new && std::filesystem::is_directory(folder, unknown))
      trusted += (trusted.empty() ? "" : ":") + folder;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  // An empty PATH would mean the current directory; in this one there are no programs.
  if (trusted.empty()) trusted = "/";
  if (::setenv("PATH", trusted.c_str(), 1) != 0) throw huddle::SystemError("set", "PATH", errno);
}

void complain(const std::string& what) {
  fmt::print(stderr, "huddle: {}\n", what);
}

void add_width_option(huddle::cli::App& app) {
  using huddle::render::kLeastWidth;
  using huddle::render::kMostWidth;
  app.add_option_function(
         "--width",
         [](const std::string& columns) {
           huddle::render::set_output_width(std::strtoul(columns.c_str(), nullptr, 10));
         },
         "columns that tables may have, with any command (default: COLUMNS of the environment, "
         "else the terminal's)")
      ->value("N")
      ->check(huddle::cli::Range(std::uint64_t{kLeastWidth}, std::uint64_t{kMostWidth}));
}

int run(int argc, char** argv) {
  huddle::cli::App app{
      "Packs the ranks of an MPI job onto fewer nodes when that saves energy and costs (almost) no "
      "time.\nEach command explains itself: huddle help COMMAND, or its manual page, "
      "huddle-COMMAND(1).",
      "huddle"};
  app.set_version_flag("--version", "huddle " HUDDLE_VERSION);
  app.require_subcommand(1);
  app.let_options_follow();
  add_width_option(app);
  huddle::cli::add_record_command(app);
  huddle::cli::add_show_command(app);
  huddle::cli::add_import_command(app);
  huddle::cli::add_machine_command(app);
  huddle::cli::add_train_command(app);
  huddle::cli::add_recommend_command(app);
  huddle::cli::add_map_command(app);
  huddle::cli::add_balance_command(app);
  huddle::cli::add_threads_command(app);
  huddle::cli::add_emit_command(app);
  huddle::cli::add_plan_command(app);
  huddle::cli::add_clocks_command(app);
  huddle::cli::add_energy_command(app);
  huddle::cli::add_doctor_command(app);
  huddle::cli::add_setup_command(app);
  huddle::cli::add_policy_command(app);
  huddle::cli::add_report_command(app);
  huddle::cli::add_explain_command(app);
  huddle::cli::add_study_command(app);
  huddle::cli::add_forecast_command(app);
  huddle::cli::add_waitstates_command(app);
  huddle::cli::add_help_commands(app);
  try {
    if (argc > 1 && looks_up_programs(argv[1])) trust_search_path();
    const auto put_out = [](const std::string& text) { fmt::print("{}", text); };
    if (argc == 1) {
      put_out(huddle::cli::overview());
      return 0;
    }
    // A status is that of the command that huddle record ran, or 0 after --help.
    return app.parse(argc, argv, "huddle", put_out).value_or(0);
  } catch (const huddle::UsageError& error) {
    complain(error.what());
    return kBadArguments;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    std::fputs("huddle: out of memory or worse while it stopped\n", stderr);
    return kFailed;
  }
}
