#pragma once

#include <cstdint>
#include <vector>

#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {

struct Message {
  std::uint32_t peer = 0;
  double bytes = 0;
};

/// Messages of one rank that are under way together.
struct Round {
  std::vector<Message> sends;
  std::vector<Message> receives;
};

/// The messages of a rank in an exchange that is made of messages (not all-to-alls), in order.
/// `ranks` is a power of two. For a wavefront: the rounds of one block, first what is received,
/// then what is sent.
std::vector<Round> rounds_of(const Exchange& exchange, std::uint32_t rank, std::uint32_t ranks);

/// With whom a rank is in an all-to-all, ascending, itself included.
std::vector<std::uint32_t> members_of(Shape shape, std::uint32_t rank, std::uint32_t ranks);

}  // namespace huddle::evaluation
