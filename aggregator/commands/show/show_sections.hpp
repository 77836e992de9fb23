#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/commands/show/place_names.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/efficiency/scaling.hpp"
#include "aggregator/render/heatmap/pair_matrix.hpp"
#include "aggregator/render/summary/run_summary.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::cli {

// The output of huddle show for people, section by section: lines, each ended by a newline, or
// nothing at all where a profile has nothing to say. Each is short, however many ranks there are.

/// The run that it is of, and its totals.
std::string identity_text(const Profile& profile, const render::RunSummary& summary);
/// Computation, and MPI by sort of call and by call.
std::string times_text(const Profile& profile, const render::RunSummary& summary);
/// The phase groups with most computation, between which functions.
std::string phases_text(const render::RunSummary& summary, const PlaceNames& names);
/// The efficiency of the run, of nodes, and of the phase groups that phases_text() numbers.
std::string run_efficiency_text(const std::optional<efficiency::RunEfficiency>& run,
                                const render::RunSummary& summary);
std::string collectives_text(const render::RunSummary& summary);
/// Says how long ranks waited for each other, by a trace of the program, and what slack there
/// is.
std::string traced_waiting_text(const WaitSummary& waits);
/// The OpenMP regions with most time.
std::string regions_text(const render::RunSummary& summary, const PlaceNames& names);
/// The times of OpenMP regions with their teams on fewer cores.
std::string packed_text(const render::RunSummary& summary, const PlaceNames& names);
/// `ranks`: how many the program had.
std::string periods_text(const render::RunSummary& summary, std::uint32_t ranks);
/// Clocks that followed loads.
std::string balancing_text(const render::RunSummary& summary);
/// Hardware counters and energy.
std::string meters_text(const render::RunSummary& summary);
/// A line for each of the first ranks.
std::string ranks_text(const Profile& profile, const std::optional<efficiency::RunEfficiency>& run);
/// Gaps: what was not measured, and why.
std::string gaps_text(const Profile& profile, const render::RunSummary& summary);

/// All of it as JSON.
std::string show_json(const Profile& profile, const render::RunSummary& summary,
                      const PlaceNames& names);

/// Runs of one program side by side, for people or as JSON.
std::string show_scaling(const efficiency::Scaling& scaling, bool json);

/// A page of the run's efficiency. Throws Error if the profile, which `file` names, has no times.
std::string run_efficiency_page(const Profile& profile, const render::RunSummary& summary,
                                const PlaceNames& places, const std::string& file);

/// The name of a program's file, or the job's where it is not known, for people.
std::string program_name(const Profile& profile);

/// Throws UsageError if the name ends in neither .csv nor .svg.
void check_matrix_file(const std::string& path);

/// Writes the matrix of `traffic` atomically, in the format that the name ends in: .csv, N lines of
/// N numbers with commas between, row = sender; or .svg, a heat map. Throws SystemError,
/// and Error if a .csv file would have more than 131,072 lines.
/// Precondition: check_matrix_file(path).
void write_matrix(const Profile& profile, render::PairMatrix traffic, commgraph::Weight weight,
                  const std::string& path);

/// Waiting in one pattern, of all ranks.
render::TimeSpread spread_of(const std::vector<Seconds>& by_rank);
render::TimeSpread slack_of(const WaitSummary& waits);

/// `text` without what a terminal would obey: a profile may be a stranger's.
std::string printable(std::string_view text);

/// True if `path` is a trace rather than a profile: a folder, or a file that ends in .otf2.
bool names_a_trace(const std::filesystem::path& path);

enum class TraceOutput : std::uint8_t { kText, kJson, kCheck };

/// The output of huddle show for a trace; reads all of it. kCheck: one line for a sound trace, else
/// throws Error.
std::string show_trace(const std::filesystem::path& path, TraceOutput output);

}  // namespace huddle::cli
