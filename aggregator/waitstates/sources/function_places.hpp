#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "aggregator/waitstates/sources/elf_links.hpp"

namespace huddle {

/// Where a function is declared in the source.
struct SourcePlace {
  std::string file;        ///< as the compiler was given it, absolute if that is known
  std::uint32_t line = 0;  ///< from 1 on
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// The places of those functions among `names` that the file's own debug information (DWARF) knows.
/// Names are as readable_function() makes them of symbols. A name that stands for functions at
/// several places has none, since it is not known which one is meant. Empty for a file without
/// debug information, one that is no ELF file, and one that can't be read. Where the file has none,
/// that of split_debug_file() counts. Time grows with the debug information, memory with the names.
std::map<std::string, SourcePlace> function_places(
    const std::filesystem::path& file, const std::set<std::string>& names,
    const std::filesystem::path& debug_folder = kDebugFolder);

}  // namespace huddle
