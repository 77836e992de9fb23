// huddle waitstates: where the ranks of a traced program wait, and what that costs.

#include <memory>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/recovered_trace.hpp"
#include "aggregator/commands/waitstates/single_process.hpp"
#include "aggregator/commands/waitstates/waitstates_run.hpp"

namespace huddle {

void add_waitstates_command(cli::App& app) {
  auto options = std::make_shared<WaitstatesOptions>();
  cli::App* command = app.add_subcommand(
      "waitstates",
      "Say where the ranks of a traced program wait for each other, and what energy that costs");
  declare_waitstates_options(*command, *options);
  command->add_example("huddle waitstates trace");
  command->add_example("huddle waitstates trace --html page.html --critical-path");
  command->add_example("huddle waitstates before after", "what changed between two runs");
  command->callback([options] {
    expect_single_process();
    check_waitstates_options(*options);  // before traces are recovered
    for (std::string& trace : options->traces) {
      trace = trace_to_open(trace);
      expect_kind(trace, {FileKind::kTrace},
                  "huddle waitstates reads traces, which huddle record --trace writes");
    }
    run_waitstates(*options);
  });
}

}  // namespace huddle
