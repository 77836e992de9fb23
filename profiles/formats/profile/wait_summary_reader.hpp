#pragma once

// Internal to the reader of profiles.

#include <cstdint>

#include "profiles/formats/document/document_reader.hpp"
#include "profiles/formats/profile/wait_summary.hpp"

namespace huddle {

/// Reads the summary of wait states that is next in `in`, of a run of `ranks` ranks. Throws
/// FormatError.
WaitSummary read_wait_summary(DocumentReader& in, std::uint32_t ranks);

}  // namespace huddle
