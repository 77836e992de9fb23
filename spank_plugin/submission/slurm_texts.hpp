#pragma once

#include <optional>
#include <string_view>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// A value of --mem or --mem-per-cpu: a number with K, M, G or T, or MiB without. Nothing for 0,
/// which stands for all of a node's memory and not for an amount, and for any other text. Slurm's
/// own form of it may end in "?".
std::optional<Bytes> parse_memory(std::string_view text);

/// A value of --time: minutes, minutes:seconds, hours:minutes:seconds, and days with a "-" in front
/// of hours. Nothing for UNLIMITED and for any other text.
std::optional<Seconds> parse_time_limit(std::string_view text);

}  // namespace huddle
