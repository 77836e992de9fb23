#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

namespace huddle::recorder {

/// How the environment answers: the value of a variable, or a null pointer.
using Environment = std::function<const char*(const char* name)>;

/// The variable's text, empty if there is none.
inline std::string_view text_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The variable as a decimal number; nothing if it is anything else, or too large.
template <class Number>
std::optional<Number> number_of(const Environment& environment, const char* name) {
  const std::string_view text = text_of(environment, name);
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace huddle::recorder
