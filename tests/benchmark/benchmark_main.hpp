#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace huddle {

/// `text` as a whole number. Throws UsageError if it is none, below `least` or above `most`.
std::uint64_t number_from(std::string_view text, std::uint64_t least = 1,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Runs the benchmark `name`; returns what its main() returns: 0 if `body` has done its work with
/// the arguments. An exception is printed on stderr: 2 for a UsageError, with `usage` behind it,
/// and otherwise 1. --help alone prints `usage`.
int benchmark_main(std::string_view name, std::string_view usage, int argc, const char* const* argv,
                   const std::function<void(const std::vector<std::string_view>&)>& body);

}  // namespace huddle
