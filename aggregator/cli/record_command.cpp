// huddle record: runs an MPI program under the recorder, without Slurm's help.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "aggregator/cli/commands.hpp"
#include "profiles/formats/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Options {
  std::string output = "profile.json";
  std::string recorder;
  std::vector<std::string> command;
};

// NOLINTBEGIN(concurrency-mt-unsafe): one thread

void set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

// Open MPI's mpirun hands only its own variables on to other nodes; on this one they are inherited.
[[noreturn]] void run(const Options& options) {
  const std::string recorder =
      options.recorder.empty() ? Policy::defaults().recorder : options.recorder;
  if (::access(recorder.c_str(), R_OK) != 0)
    throw Error(
        fmt::format("can't read the recorder {}: install it, or name it by --recorder", recorder));
  const char* preloaded = std::getenv("LD_PRELOAD");
  set_variable("LD_PRELOAD", preloaded == nullptr || *preloaded == '\0'
                                 ? recorder
                                 : fmt::format("{}:{}", recorder, preloaded));
  set_variable("HUDDLE_PROFILE", std::filesystem::absolute(options.output).string());
  std::vector<char*> argv;
  for (const std::string& word : options.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  throw SystemError("start", options.command.front(), errno);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

void add_record_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "record", "Run an MPI program under the recorder: huddle record -- mpirun -n 16 ./app");
  command
      ->add_option("-o,--output", options->output,
                   "where the profile goes; .cbor for the compact form")
      ->capture_default_str();
  command->add_option("--recorder", options->recorder,
                      "the recorder's library (default: the installed one)");
  command->add_option("COMMAND", options->command, "what to run, behind --")->required();
  command->callback([options] { run(*options); });
}

}  // namespace huddle
