#include "aggregator/forecast/forest/row_draw.hpp"

#include "aggregator/forecast/forest/random_stream.hpp"

namespace huddle {

DrawnRows::DrawnRows(const std::vector<std::uint16_t>& times) : words_((times.size() + 63) / 64) {
  for (std::size_t place = 0; place < times.size(); ++place)
    words_[place / 64] |= static_cast<std::uint64_t>(times[place] != 0) << (place % 64);
}

void draw_rows(std::uint64_t key, std::uint32_t rows, std::vector<std::uint16_t>& times) {
  times.assign(rows, 0);
  RandomStream random(key);
  for (std::uint32_t i = 0; i < rows; ++i) ++times[random.below(rows)];
}

}  // namespace huddle
