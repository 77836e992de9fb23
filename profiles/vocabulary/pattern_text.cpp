#include "profiles/vocabulary/pattern_text.hpp"

#include <charconv>

namespace huddle {

std::vector<std::uint32_t> pattern_numbers(std::string_view text) {
  constexpr std::uint32_t kMost = 1U << 10U;
  constexpr std::size_t kFewestNumbers = 3;
  constexpr std::size_t kMostNumbers = 5;
  std::vector<std::uint32_t> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (numbers.size() < kMostNumbers) {
    if (!numbers.empty() && *at++ != ':') return {};
    const auto [next, failure] = std::from_chars(at, end, numbers.emplace_back());
    if (failure != std::errc{} || numbers.back() == 0 || numbers.back() > kMost) return {};
    at = next;
    if (at == end) break;
  }
  if (at != end || numbers.size() < kFewestNumbers) return {};
  if (numbers.size() == kFewestNumbers + 1 && numbers.back() == 1) numbers.pop_back();
  return numbers;
}

}  // namespace huddle
