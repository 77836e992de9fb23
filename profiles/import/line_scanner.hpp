#pragma once

// Internal to the readers of foreign files.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace huddle::imports {

/// A text as lines of fields, for readers that name line and column of what they refuse. A mark of
/// UTF-8 at its begin is no part of it. Copies nothing: what it views must outlive it.
class LineScanner {
 public:
  /// `file` is what errors call it.
  LineScanner(std::string_view text, std::string_view file)
      : text_(text.starts_with(kUtf8Mark) ? text.substr(kUtf8Mark.size()) : text), file_(file) {}

  /// Goes to the next line; false at the end of the text. A carriage return at the end of a line
  /// does not belong to it.
  bool next_line();
  /// Goes back to the first field of this line.
  void restart_line();
  /// The line without its end.
  [[nodiscard]] std::string_view line() const { return text_.substr(begin_, end_ - begin_); }

  /// Goes to the line's next field: what lies before the next `separator` or the end of the line,
  /// without blanks around it. False if there is none; a line that ends in a separator has an empty
  /// last field, and an empty line has none. Afterwards fail() blames that place.
  bool next_field(char separator);
  [[nodiscard]] std::string_view field() const { return field_; }

  /// The field as a number in decimal digits of at most `most`. Throws FormatError; `expected`
  /// continues "expected ...".
  [[nodiscard]] std::uint64_t number(
      std::string_view expected,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  /// The same in any notation of a whole number below 2^53: "1000.0", "1e3", "1.5E+02", maybe in
  /// quotes; without a fraction, and not below 0.
  [[nodiscard]] std::uint64_t whole_number(std::string_view expected) const;
  /// The same of a field that ends in `unit`, such as "12 bytes" of " bytes".
  [[nodiscard]] std::uint64_t number_of(std::string_view unit, std::string_view expected) const;

  /// Blames the field.
  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;

 private:
  static constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

  std::string_view text_;
  std::string_view file_;
  std::size_t next_ = 0;   // where the next line begins
  std::size_t begin_ = 0;  // of this line
  std::size_t end_ = 0;
  std::size_t at_ = 0;  // where the next field begins; behind end_ if there is none
  std::size_t line_ = 0;
  std::string_view field_;
};

}  // namespace huddle::imports
