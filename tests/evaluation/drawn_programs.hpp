#pragma once

#include <cstdint>
#include <vector>

#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {

/// Programs drawn at random, for questions that nobody looked at while predictions were made: one
/// to three steps of any shape, and numbers from the range that test_programs() span. The same seed
/// gives the same.
std::vector<Program> drawn_programs(std::uint64_t seed);

}  // namespace huddle::evaluation
