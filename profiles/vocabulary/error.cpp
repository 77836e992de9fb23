#include "profiles/vocabulary/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace huddle {

namespace {

// Returns the bytes of well-formed UTF-8 that one character at the front of `text` takes; 0 if it
// is not well-formed.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0)
    length = 2;
  else if (byte(0) >= 0xe0 && byte(0) < 0xf0)
    length = 3;
  else if (byte(0) >= 0xf0 && byte(0) < 0xf5)
    length = 4;
  else if (byte(0) >= 0x80)
    return 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) >= 0xc0) return 0;
  return length;
}

// Characters that a terminal does not print but obeys: the C0 and C1 controls, and those that turn
// the direction of text, end lines or hide, so that a line would read as another one.
bool acts_on_terminal(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) {
    const std::uint32_t code = (byte(0) & 0x1fU) << 6U | (byte(1) & 0x3fU);
    return code < 0xa0 || code == 0x061c;
  }
  if (character.size() != 3) return false;
  const std::uint32_t code =
      (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

// A name is shown whole.
std::string one_line(std::string_view text) {
  return shortened(text, text.size());
}

}  // namespace

std::string shortened(std::string_view text, std::size_t limit) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (line.size() + std::max<std::size_t>(length, 1) > limit) return line + "...";
    if (length == 0 || acts_on_terminal(text.substr(0, length)))
      line += '?';
    else
      line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

FormatError::FormatError(std::string_view file, std::string_view place, std::string_view found,
                         std::string_view expected)
    : Error(fmt::format("{}: {}: found {}, expected {}", one_line(file), shortened(place, 200),
                        shortened(found, 120), expected)) {}

SystemError::SystemError(std::string_view action, std::string_view file, int error_number)
    : Error(fmt::format("can't {} {}: {}", action, one_line(file),
                        std::generic_category().message(error_number))),
      error_number_(error_number) {}

}  // namespace huddle
