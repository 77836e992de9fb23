#pragma once

// One function for each subcommand, in the file of its name: it declares the options and what to do
// with them, and does nothing else. The work happens while the command line is parsed, after all
// options were checked; it throws Error.

#include <string>

namespace huddle::cli {
class App;
}

namespace huddle::cli {

/// The text that bare `huddle` prints: what there is, in ten lines.
std::string overview();

/// huddle help, version and completion. To be called last: they describe what `app` has.
void add_help_commands(cli::App& app);
void add_record_command(cli::App& app);
void add_show_command(cli::App& app);
void add_import_command(cli::App& app);
void add_machine_command(cli::App& app);
/// Subcommands of huddle machine, which are returned.
cli::App* add_machine_calibrate_command(cli::App& machine);
cli::App* add_machine_power_command(cli::App& machine);
void add_train_command(cli::App& app);
void add_recommend_command(cli::App& app);
void add_map_command(cli::App& app);
void add_emit_command(cli::App& app);
void add_plan_command(cli::App& app);
void add_clocks_command(cli::App& app);
void add_doctor_command(cli::App& app);
void add_setup_command(cli::App& app);
void add_policy_command(cli::App& app);
void add_report_command(cli::App& app);
/// huddle study: what packing would free, by Slurm's accounting.
void add_study_command(cli::App& app);
void add_explain_command(cli::App& app);
void add_energy_command(cli::App& app);
/// Subcommands of huddle energy.
void add_energy_record(cli::App& energy);
void add_energy_job(cli::App& energy);
void add_energy_node(cli::App& energy);
/// huddle balance: what clocks that follow loads would save.
void add_balance_command(cli::App& app);
void add_threads_command(cli::App& app);
void add_forecast_command(cli::App& app);
/// A subcommand of huddle forecast.
void add_forecast_collect(cli::App& forecast);
void add_waitstates_command(cli::App& app);

}  // namespace huddle::cli
