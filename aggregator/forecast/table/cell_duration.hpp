#pragma once

// Internal to the reader of measured rows.

#include <optional>
#include <string_view>

namespace huddle {

/// Seconds of a duration as Slurm writes it: "1-02:03:04.5" are days, hours, minutes, seconds; the
/// days and what is behind the point may be absent. Nothing if the cell is anything else: two
/// numbers ("02:03") may be hours or minutes.
std::optional<double> duration_in(std::string_view cell);

}  // namespace huddle
