#pragma once

// A simulated truth for hybrid programs: what their regions take on any cores at any clock, and
// what the nodes draw. It was written before the strategies were, and shares no code with their
// model.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {

/// Watts of a busy part at a clock are at_rest + per_cube x (clock in GHz)^3.
struct TruePower {
  double at_rest = 0;
  double per_cube = 0;
};

/// A type of node.
struct TrueNode {
  std::string name;
  std::uint32_t packages = 1;
  std::uint32_t dies_per_package = 1;
  std::uint32_t cores_per_die = 1;
  std::vector<double> clocks_ghz;  ///< ascending
  bool clock_of_package = false;
  double idle_watts = 0;
  TruePower package;
  TruePower die;
  TruePower core;
  double package_flow = 0;   ///< bytes/s from memory that a package takes
  double core_flow = 0;      ///< bytes/s that one core can ask for
  double crowding = 0;       ///< how much of package_flow is lost for each time it is overasked
  double die_cache = 0;      ///< bytes
  double barrier_s = 0;      ///< for each doubling of the team
  double shared_core_s = 0;  ///< for each further thread on a core, at each barrier
  double binding_s = 0;      ///< a team that goes to other cores
  double clock_s = 0;        ///< a clock that changes
};

/// A region of one rank. All of one pass.
struct TrueRegion {
  std::string name;
  double gigacycles = 0;    ///< of all threads together
  double serial_share = 0;  ///< of the cycles: Amdahl's
  double bytes = 0;         ///< touched
  double working_set = 0;   ///< bytes that it would like to find in caches
  double reuse = 0;         ///< share of `bytes` that caches save if all of it fits
  double sharing = 0;       ///< how much more is fetched for each further core of a full die
  double barriers = 1;
  std::uint32_t threads = 1;
  double passes = 1;  ///< in one pass of its group
};

struct TrueRank {
  std::uint32_t node = 0;
  std::vector<std::uint32_t> cores;
  std::vector<std::vector<TrueRegion>> groups;  ///< regions by group
  std::vector<double> send_s;                   ///< by group, of one pass
};

struct TrueProgram {
  std::string name;
  TrueNode node;
  std::vector<double> group_passes;
  std::vector<TrueRank> ranks;
};

/// The setting of a region: a configuration, on these cores.
struct TrueSetting {
  TeamConfiguration configuration;
  std::vector<std::uint32_t> cores;
};

/// The settings by rank, group, region.
using TrueSettings = std::vector<std::vector<std::vector<TrueSetting>>>;

/// Seconds of a pass on these cores, once caches are warm:
///   cycles:   c = W / f x (s + (1 - s) x ceil(T / C) / T)
///   misses:   m = 1 - reuse x min(1, dies x cache / working set)
///   fetched:  b = bytes x m x (1 + sharing x (C / dies - 1) / (cores a die - 1))
///   flow:     sum over packages of min(cores there x core_flow, F / (1 + crowding x over)), where
///   F
///             is package_flow x the rank's part of the package's cores, and
///             over = max(0, cores there x core_flow / F - 1)
///   time:     max(c, b / flow) + 0.15 x min(c, b / flow)
///             + barriers x (barrier_s x log2 T + shared_core_s x (ceil(T / C) - 1))
/// with T threads on C cores of `dies` dies at clock f. Memory and barriers don't follow the clock.
double pass_seconds(const TrueProgram& program, const TrueRank& rank, const TrueRegion& region,
                    const TrueSetting& setting);

/// Seconds that the first pass after another setting takes longer: binding_s if its cores differ,
/// clock_s if its clock does, and the part of its working set (as far as caches hold it) that its
/// new cores' dies must fetch: held x new cores / C / flow. Serial code (a team of one thread)
/// leaves the team where it was.
double switch_seconds(const TrueProgram& program, const TrueRank& rank, const TrueRegion& region,
                      const TrueSetting& before, const TrueSetting& now);

/// The time and energy of a run, and what they consist of.
struct TrueRun {
  double seconds = 0;
  double joules = 0;
  std::vector<double> group_seconds;       ///< of the run
  std::vector<std::vector<double>> waits;  ///< by rank and group, of the run
  double switches = 0;
};

/// Runs a program: groups in order, each `group_passes` times, again and again; regions of a group
/// in order, all passes of one before the next; all ranks meet after each group. A rank that waits
/// keeps its first core busy at the clock of its last region, and so does its sending. A group is
/// entered from the one before as often as the rarer of the two runs, and otherwise from itself.
/// A pass of group g takes `at_least`[g] seconds, where given: then all ranks wait for others that
/// are not in the program.
TrueRun run_truth(const TrueProgram& program, const TrueSettings& settings,
                  const std::vector<double>& at_least = {});

}  // namespace huddle::hybrid
