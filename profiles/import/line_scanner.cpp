#include "profiles/import/line_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "profiles/vocabulary/error.hpp"

namespace huddle::imports {
namespace {

std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, value);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// "1000.0" and "1e3", too.
std::optional<std::uint64_t> whole_number_in(std::string_view text) {
  if (const auto digits = number_in(text)) return digits;
  constexpr double kMostExact = 9007199254740992;  // 2^53
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end || !(value >= 0) || value > kMostExact ||
      value != std::floor(value))
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

bool LineScanner::next_line() {
  ++line_;
  begin_ = at_ = end_ = std::min(next_, text_.size());
  field_ = text_.substr(begin_, 0);
  if (begin_ == text_.size()) {
    at_ = end_ + 1;
    return false;
  }
  end_ = std::min(text_.find('\n', begin_), text_.size());
  next_ = end_ + 1;
  if (end_ > begin_ && text_[end_ - 1] == '\r') --end_;
  restart_line();
  return true;
}

void LineScanner::restart_line() {
  at_ = end_ == begin_ ? end_ + 1 : begin_;  // an empty line has no field
  field_ = text_.substr(begin_, 0);
}

bool LineScanner::next_field(char separator) {
  if (at_ > end_) {
    field_ = text_.substr(end_, 0);
    return false;
  }
  std::size_t first = at_;
  std::size_t last = std::min(text_.find(separator, first), end_);
  at_ = last + 1;
  while (first < last && is_blank(text_[first])) ++first;
  while (first < last && is_blank(text_[last - 1])) --last;
  field_ = text_.substr(first, last - first);
  return true;
}

std::uint64_t LineScanner::number(std::string_view expected, std::uint64_t most) const {
  const auto value = number_in(field_);
  if (!value || *value > most) fail(expected);
  return *value;
}

std::uint64_t LineScanner::whole_number(std::string_view expected) const {
  std::string_view text = field_;
  if (text.size() > 2 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  const auto value = whole_number_in(text);
  if (!value) fail(expected);
  return *value;
}

std::uint64_t LineScanner::number_of(std::string_view unit, std::string_view expected) const {
  if (!field_.ends_with(unit)) fail(expected);
  const auto value = number_in(field_.substr(0, field_.size() - unit.size()));
  if (!value) fail(expected);
  return *value;
}

void LineScanner::fail(std::string_view expected) const {
  if (!field_.empty()) fail(fmt::format("\"{}\"", shortened(field_)), expected);
  if (begin_ == text_.size()) fail("the end of the file", expected);
  fail(begin_ == end_ ? "an empty line" : at_ > end_ ? "the end of the line" : "nothing", expected);
}

void LineScanner::fail(std::string_view found, std::string_view expected) const {
  const auto column = static_cast<std::size_t>(field_.data() - (text_.data() + begin_)) + 1;
  throw FormatError(file_, fmt::format("line {}, column {}", line_, column), found, expected);
}

}  // namespace huddle::imports
