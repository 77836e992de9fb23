#pragma once

// One function for each subcommand, in the file of its name: it declares the options and what to do
// with them, and does nothing else. The work happens while the command line is parsed, after all
// options were checked; it throws Error.

namespace CLI {
class App;
}

namespace huddle {

void add_record_command(CLI::App& app);
void add_show_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_machine_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_recommend_command(CLI::App& app);
void add_map_command(CLI::App& app);
void add_emit_command(CLI::App& app);
void add_plan_command(CLI::App& app);
void add_clocks_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_forecast_command(CLI::App& app);
/// A subcommand of huddle forecast.
void add_forecast_best(CLI::App& forecast);
void add_forecast_collect(CLI::App& forecast);
void add_waitstates_command(CLI::App& app);

}  // namespace huddle
