#pragma once

#include <cstdint>

#include "aggregator/balance/load_table.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balance {

/// Loads from a profile.
struct ProfileLoads {
  LoadTable table;
  /// Time of an iteration that the rank with most computation spent in MPI.
  Seconds besides;
  /// Ratio of the program's iterations to those of the table: long runs are shortened.
  double repeats = 1;
};

/// The iterations of a program, by its phases: as many as the phases come that take most of its
/// time. What a rank computes in one is the mean of what it computed outside MPI; its phases'
/// variances make iterations differ, each rank for itself, by random numbers that are always the
/// same. At most `most_iterations`. Throws Error if the profile has no phases or is not complete,
/// with what to do.
ProfileLoads loads_of_profile(const Profile& profile, std::uint64_t most_iterations = 500);

}  // namespace huddle::balance
