#include "profiles/traces/read/detail/id_table.hpp"

namespace huddle::otf2 {

IdTable::IdTable(std::vector<std::pair<std::uint64_t, std::uint32_t>> entries) {
  const std::uint64_t dense = 4 * entries.size() + 64;
  for (const auto& [id, index] : entries) {
    if (id >= dense) {
      sparse_.emplace(id, index);
      continue;
    }
    if (id >= dense_.size()) dense_.resize(static_cast<std::size_t>(id) + 1, traces::kNobody);
    std::uint32_t& place = dense_[static_cast<std::size_t>(id)];
    if (place == traces::kNobody) place = index;
  }
}

}  // namespace huddle::otf2
