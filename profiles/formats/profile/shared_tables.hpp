#pragma once

// Internal to the profile's reader and writer.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/formats/document/document_reader.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// How many members the shared tables are in a profile; a writer writes all of them.
inline constexpr std::size_t kSharedTables = 3;

/// Each reads the table that is next in `in`, and puts it in order. `ranks`: of the run. Throws
/// FormatError.
std::vector<Communicator> read_communicators(DocumentReader& in, std::uint32_t ranks);
std::vector<PhaseGroup> read_phase_groups(DocumentReader& in);
std::vector<AbsentEvent> read_absent_events(DocumentReader& in, std::uint32_t ranks);

}  // namespace huddle
