#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/traces/event.hpp"

namespace huddle::otf2 {

/// From numbers that a trace gives its things to their indices here. Numbers are mostly small and
/// close to each other, but need not be: EZTrace's go by the process.
class IdTable {
 public:
  IdTable() = default;
  /// Of equal numbers the first counts.
  explicit IdTable(std::vector<std::pair<std::uint64_t, std::uint32_t>> entries);

  /// kNobody if there is none.
  [[nodiscard]] std::uint32_t at(std::uint64_t id) const {
    if (id < dense_.size()) return dense_[static_cast<std::size_t>(id)];
    if (sparse_.empty()) return kNobody;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kNobody : found->second;
  }
  [[nodiscard]] bool empty() const { return dense_.empty() && sparse_.empty(); }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

}  // namespace huddle::otf2
