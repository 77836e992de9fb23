#include "profiles/vocabulary/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace huddle {
namespace {

// Number of letters added, left out, changed, or changing places with the next (optimal string
// alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::vector<std::size_t>;
  Row before_last(b.size() + 1);
  Row last(b.size() + 1);
  Row row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& words) {
  constexpr std::size_t kMostLetters = 64;
  if (word.empty() || word.size() > kMostLetters) return {};
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view other : words) {
    const std::size_t far = distance(word, other);
    if (far >= least || 2 * far > std::min(word.size(), other.size())) continue;
    least = far;
    nearest = other;
  }
  return nearest;
}

}  // namespace huddle
