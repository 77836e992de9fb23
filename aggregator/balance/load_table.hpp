#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balance {

/// The time that each piece of work took, iteration by iteration, at the top clock.
struct LoadTable {
  /// Larger ones are refused, so that no file takes more than 400 MB of memory.
  static constexpr std::size_t kMostLoads = 50'000'000;
  static constexpr std::uint32_t kMostProcessors = 1U << 20U;

  /// Ranks, or what objects are distributed on.
  std::uint32_t processors = 0;
  /// The processor of each object at the beginning. Without objects each processor has one, which
  /// can't be moved: then the n-th is the n-th processor's.
  std::vector<std::uint32_t> processor_of;
  bool has_objects = false;
  /// In seconds: of object o in iteration i at [i x processor_of.size() + o].
  std::vector<double> loads;
  /// Sentences for people.
  std::vector<std::string> notes;

  [[nodiscard]] std::size_t objects() const { return processor_of.size(); }
  [[nodiscard]] std::size_t iterations() const {
    return objects() == 0 ? 0 : loads.size() / objects();
  }
  [[nodiscard]] double load(std::size_t iteration, std::size_t object) const {
    return loads[iteration * objects() + object];
  }
};

/// Reads a table of loads, in one of two forms:
/// - with names in the first line: columns "iteration", "rank" (or "processor", "pe"), a time
/// ("load", "seconds",
///   "time", each perhaps with a unit: "load_ms") and perhaps "object" (or "chare"). One line for
///   each iteration and rank, or object; what is missing took no time, but each rank must come
///   once. A line whose object is empty or "-" says that the rank is there, and has none. An object
///   that is on another rank later is taken to stay where it was first, with a
///   note.
/// - numbers only: a line for each iteration, with the seconds of each rank.
/// Separated by commas, semicolons, tabs or blanks. Throws FormatError, with line and column, and
/// SystemError.
LoadTable parse_load_table(std::string_view text, std::string_view file);
LoadTable load_load_table(const std::filesystem::path& path);

/// Makes a table with objects one of so many ranks: those that no line names have none. Throws
/// UsageError, naming --ranks, if it names more, has no objects, or that is too many.
void add_idle_ranks(LoadTable& table, std::uint32_t ranks);

}  // namespace huddle::balance
