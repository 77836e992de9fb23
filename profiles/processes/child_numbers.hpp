#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace huddle::processes {

/// The numbers of the children that a process has now, those that ended and were not waited for
/// included. Empty if there is no such process. `proc` is for tests.
std::vector<std::uint32_t> children_of(std::uint32_t pid,
                                       const std::filesystem::path& proc = "/proc");

}  // namespace huddle::processes
