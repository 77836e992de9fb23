#pragma once

// Internal to commgraph/mapping.

#include <cstdint>
#include <functional>
#include <string_view>

namespace huddle {

/// What a search is told from outside.
struct SearchControl {
  std::uint64_t seed = 1;
  /// Whether a mapping nearly as good will do in a quarter of the time.
  bool quick = false;
  /// Changes the time, never the result.
  unsigned threads = 1;
  /// Asked now and then, from any thread; once it says true, the best so far is returned.
  std::function<bool()> stop = [] { return false; };
  /// Told what begins, by the thread that called.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

}  // namespace huddle
