// Accounts of a run by programs and by Open MPI's monitoring, read from their files.
#pragma once

#include <cstdint>
#include <string>

#include "tests/profiles/recorder/account.hpp"

/// The account of a program of its own run. Either lines "SENDER RECEIVER MESSAGES BYTES", which
/// tell only the point-to-point messages and no size classes, or those of
/// tests/programs/call_families/known_traffic.h, which tell everything.
struct Truth {
  Account account;
  Detail detail = Detail::kTotals;
};

/// Throws Error naming the file and the line.
Truth read_truth(const std::string& path, std::uint32_t ranks);

/// The program's own messages in the files PREFIX.<rank>.prof of Open MPI's monitoring, totals.
/// Throws Error naming the file and the line.
Account read_monitoring(const std::string& prefix, std::uint32_t ranks);
