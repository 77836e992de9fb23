// huddle help, huddle version and huddle completion: what the command says of itself.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string shell;
};

std::string page_of(const cli::App& app, const std::vector<std::string>& words) {
  const cli::App* command = &app;
  for (const std::string& word : words) command = &command->subcommand(word);
  return cli::help_page(command->describe(), cli::help_width());
}

std::string completion_for(const std::string& shell, const cli::CommandDescription& command) {
  if (shell == "fish") return cli::fish_completion(command);
  // zsh understands scripts for bash after bashcompinit.
  const std::string first = shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  return first + cli::bash_completion(command);
}

}  // namespace

void add_help_commands(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* help = app.add_subcommand("help", "Say what a command does and which options it has");
  help->add_option("COMMAND", options->words, "the command, such as plan or forecast collect");
  help->callback([&app, options] { render::put_out(page_of(app, options->words)); });

  cli::App* version = app.add_subcommand("version", "Say which version of Huddle this is");
  version->callback([] { render::put_out("huddle " HUDDLE_VERSION "\n"); });

  cli::App* completion = app.add_subcommand(
      "completion", "Print a script by which a shell completes huddle's commands and options");
  completion->add_option("SHELL", options->shell, "bash, zsh or fish")
      ->required()
      ->check(cli::IsMember({"bash", "zsh", "fish"}));
  completion->add_example("source <(huddle completion bash)", "in this shell");
  completion->add_example("huddle completion fish > ~/.config/fish/completions/huddle.fish");
  completion->callback(
      [&app, options] { render::put_out(completion_for(options->shell, app.describe())); });
}

std::string overview() {
  return "Huddle packs the ranks of MPI jobs onto fewer nodes where that saves energy and costs "
         "almost no\n"
         "time. Where Slurm has its plugin, sbatch --energy-aggregate job.sh is all there is to "
         "learn.\n"
         "\n"
         "  measure          record, import, show\n"
         "  decide           recommend, plan, map, emit\n"
         "  look at jobs     report, explain, policy, study\n"
         "  analyse          waitstates, balance, threads, forecast\n"
         "  run a site       setup, doctor, machine, train, energy, clocks\n"
         "\n"
         "huddle help COMMAND explains a command, and huddle help lists them all.\n";
}

}  // namespace huddle::cli
