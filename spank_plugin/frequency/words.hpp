#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace huddle {

/// Takes the words of a line from its front; one blank parts two words. Views what it was given.
class Words {
 public:
  explicit Words(std::string_view line = {}) : rest_(line) {}

  /// Nothing if the line is at its end, or two blanks follow one another.
  std::optional<std::string_view> word() {
    const std::size_t blank = rest_.find(' ');
    const std::string_view word = rest_.substr(0, blank);
    if (word.empty()) return std::nullopt;
    rest_.remove_prefix(blank == std::string_view::npos ? rest_.size() : blank + 1);
    return word;
  }

  /// The next word as a number in decimal digits; nothing if it is none.
  template <class Number>
  std::optional<Number> number() {
    const std::string_view text = word().value_or("");
    Number value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace huddle
