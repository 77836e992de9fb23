#pragma once

#include <cstdint>
#include <filesystem>

namespace huddle::traces {

/// Writes an archive of two ranks by OTF2 itself, in the way of a tool that knows a location's
/// things by numbers of its own: with mappings, dense and sparse, and with clock offsets. Its
/// events are random, of all kinds that wait states need and of many that they don't, with
/// attributes on some. `events`: how many steps for each location; some are several events.
/// Returns the anchor.
std::filesystem::path write_mapped_archive(const std::filesystem::path& folder, unsigned seed,
                                           int events);

}  // namespace huddle::traces
