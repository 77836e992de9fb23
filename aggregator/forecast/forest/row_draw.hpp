#pragma once

#include <cstdint>
#include <vector>

namespace huddle {

/// Which rows a tree saw, a bit for each place.
class DrawnRows {
 public:
  DrawnRows() = default;
  explicit DrawnRows(const std::vector<std::uint16_t>& times);
  [[nodiscard]] bool drawn(std::size_t place) const {
    return ((words_[place / 64] >> (place % 64)) & 1U) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Draws as many rows as there are, with replacement: how often each was drawn, into `times`.
void draw_rows(std::uint64_t key, std::uint32_t rows, std::vector<std::uint16_t>& times);

}  // namespace huddle
