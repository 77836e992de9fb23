#pragma once

// Texts of lines with fields in them, as Huddle's own processes write them for each other.

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// The text as a decimal number, all of it; nothing if it is anything else, or too large.
template <class Number>
std::optional<Number> number_in(std::string_view text) noexcept {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Takes what is before the next `mark` away from the front of `text`, and the mark; all of it if
/// there is none.
inline std::string_view take_until(std::string_view& text, char mark) noexcept {
  const std::string_view taken = text.substr(0, text.find(mark));
  text.remove_prefix(taken.size() < text.size() ? taken.size() + 1 : text.size());
  return taken;
}

/// Takes the lines of a text from its front, and the fields of each. One `mark` parts two fields.
/// Anything unexpected is refused by a FormatError, which names the source, the line, what was
/// found and what was expected. Views what it was given.
class FieldReader {
 public:
  FieldReader(std::string_view text, std::string_view source, char mark = ' ')
      : text_(text), source_(source), mark_(mark) {}

  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw FormatError(source_, fmt::format("line {}", number_),
                      fmt::format("\"{}\"", shortened(found)), expected);
  }
  /// The same of the whole line.
  [[noreturn]] void refuse(std::string_view expected) const { refuse(line_, expected); }

  /// Begins the next line, which must have an end.
  void next_line() {
    ++number_;
    line_ = text_.substr(0, text_.find('\n'));
    if (line_.size() == text_.size()) refuse("a whole line; the text is cut off");
    text_.remove_prefix(line_.size() + 1);
    rest_ = line_;
    over_ = false;
  }
  /// The same of one whose first field must be `key`.
  void next_line(std::string_view key) {
    next_line();
    if (field() != key) refuse(key);
  }
  /// The number of a line that has nothing else behind `key`.
  template <class Number>
  Number number_of(std::string_view key, Number most = std::numeric_limits<Number>::max()) {
    next_line(key);
    const Number value = number<Number>(most);
    end_of_line();
    return value;
  }
  /// All of the line.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// The rest of it.
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool has_more() const { return !over_; }
  void end_of_line() const {
    if (has_more()) refuse("nothing more on this line");
  }
  /// The lines behind it.
  [[nodiscard]] std::string_view remaining() const { return text_; }
  /// The text must end here.
  void end() {
    end_of_line();
    if (text_.empty()) return;
    next_line();
    refuse("nothing more");
  }

  /// The next field, which may be empty.
  std::string_view field() {
    if (over_) refuse("another field");
    over_ = rest_.find(mark_) == std::string_view::npos;
    return take_until(rest_, mark_);
  }
  template <class Number>
  Number number(Number most = std::numeric_limits<Number>::max()) {
    const std::string_view digits = field();
    const auto value = number_in<Number>(digits);
    if (!value || *value > most) refuse(digits, fmt::format("a number of at most {}", most));
    return *value;
  }

 private:
  std::string_view text_;
  std::string_view source_;
  char mark_;
  std::size_t number_ = 0;
  std::string_view line_;
  std::string_view rest_;
  bool over_ = true;
};

}  // namespace huddle
