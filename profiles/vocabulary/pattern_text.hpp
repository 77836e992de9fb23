#pragma once

// Patterns as files and users write them: numbers parted by colons.

#include <cstdint>
#include <string_view>
#include <vector>

namespace huddle {

/// The numbers of a pattern such as "2:1:2" (packages, dies in each, cores in each die), "2:1:2:2"
/// (and ranks on each core) or "2:4:1:8:1" (packages, NUMA nodes in each, dies, cores, ranks on
/// each core): three to five, each from 1 to 1024; one rank on each core is three numbers, however
/// it is written. Empty if the text is none.
std::vector<std::uint32_t> pattern_numbers(std::string_view text);

}  // namespace huddle
