#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/traces/event.hpp"

namespace huddle::otf2 {

/// Maps the ids of a trace's definitions to indices. Ids are mostly small and dense, but need not
/// be: EZTrace derives them from the process.
class IdTable {
 public:
  IdTable() = default;
  /// Of equal ids the first counts.
  explicit IdTable(std::vector<std::pair<std::uint64_t, std::uint32_t>> entries);

  /// kNobody if there is none.
  [[nodiscard]] std::uint32_t at(std::uint64_t id) const {
    if (id < dense_.size()) return dense_[static_cast<std::size_t>(id)];
    if (sparse_.empty()) return traces::kNobody;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? traces::kNobody : found->second;
  }
  [[nodiscard]] bool empty() const { return dense_.empty() && sparse_.empty(); }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

/// Shortens names that many definitions may share: one long string could name them all.
inline std::string cut_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  return name.size() <= kLongest ? name : name.substr(0, kLongest);
}

/// The indices of definitions by their ids.
template <class Definition>
IdTable index_of(const std::vector<Definition>& definitions) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
  ids.reserve(definitions.size());
  for (const Definition& definition : definitions)
    ids.emplace_back(definition.id, static_cast<std::uint32_t>(ids.size()));
  return IdTable(std::move(ids));
}

}  // namespace huddle::otf2
