#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiles/traces/id_table.hpp"

namespace huddle::otf2 {

/// Names of things that there may be many of: one long string could be the name of them all.
inline std::string cut_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  return name.size() <= kLongest ? name : name.substr(0, kLongest);
}

/// The places of definitions by their numbers.
template <class Definition>
IdTable index_of(const std::vector<Definition>& definitions) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
  ids.reserve(definitions.size());
  for (const Definition& definition : definitions)
    ids.emplace_back(definition.id, static_cast<std::uint32_t>(ids.size()));
  return IdTable(std::move(ids));
}

}  // namespace huddle::otf2
