#pragma once

#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "tests/evaluation/simulation.hpp"

namespace huddle::evaluation {

/// Adds what a recorder counts of the rank's calls: messages by receiver and size class,
/// collectives, calls of each function. `repeated`: iterations of the program for each simulated
/// one.
void add_messages(RankRecord& record, const Program& program, std::uint32_t ranks,
                  const RankTimes& times, double repeated);

/// The communicators of the program besides MPI_COMM_WORLD.
std::vector<Communicator> communicators_of(const Program& program, std::uint32_t ranks);

}  // namespace huddle::evaluation
