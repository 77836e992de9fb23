#include "aggregator/render/output_width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace huddle::render {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the command line's, set once.
std::size_t chosen_width = 0;

// 0 where COLUMNS is not set, or no number.
std::size_t width_of_environment() {
  const char* const variable = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe)
  if (variable == nullptr) return 0;
  const std::string_view text = variable;
  std::size_t columns = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return failure == std::errc{} && end == text.data() + text.size() ? columns : 0;
}

// 0 where the standard output is no terminal.
std::size_t width_of_terminal() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80;
}

// The scripts of East Asia and pictures, from U+1100 on; text that is no UTF-8 counts as narrow.
bool is_wide(std::string_view character) {
  const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3FU; };
  std::uint32_t code = 0;
  if (character.size() == 3)
    code = (static_cast<unsigned char>(character[0]) & 0x0FU) << 12U | bits(1) << 6U | bits(2);
  if (character.size() == 4)
    code = (static_cast<unsigned char>(character[0]) & 0x07U) << 18U | bits(1) << 12U |
           bits(2) << 6U | bits(3);
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0x1F300 && code <= 0x1F64F) || (code >= 0x20000 && code <= 0x3FFFD);
}

// The bytes of the first character.
std::size_t size_of_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && !begins_character(text[size])) ++size;
  return size;
}

// The bytes of the longest beginning that takes at most `width` columns, one character at least.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t columns = 0; bytes < text.size();) {
    const std::size_t size = size_of_character(text.substr(bytes));
    columns += is_wide(text.substr(bytes, size)) ? 2U : 1U;
    if (columns > width && bytes > 0) break;
    bytes += size;
  }
  return bytes;
}

constexpr std::string_view kMarks = "/,:;._-+&@(";

// Where a line that may have `most` bytes of `text` ends.
std::size_t end_of_line(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text.size();
  if (const std::size_t blank = text.rfind(' ', most); blank != std::string_view::npos && blank > 0)
    return blank;
  // Not behind the signs that a word begins with, as in "--nodes".
  for (std::size_t i = most; i > 1; --i)
    if (kMarks.find(text[i - 1]) != std::string_view::npos &&
        kMarks.find(text[i - 2]) == std::string_view::npos)
      return i;
  return most;
}

}  // namespace

void set_output_width(std::size_t columns) {
  chosen_width = columns;
}

std::optional<std::size_t> output_width() {
  std::size_t width = chosen_width;
  if (width == 0) width = width_of_environment();
  if (width == 0) width = width_of_terminal();
  if (width == 0) return std::nullopt;
  return std::clamp(width, kLeastWidth, kMostWidth);
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t size = size_of_character(text);
    width += is_wide(text.substr(0, size)) ? 2U : 1U;
    text.remove_prefix(size);
  }
  return width;
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width, std::size_t hanging) {
  std::vector<std::string> lines;
  std::string indent(std::min(text.find_first_not_of(' '), text.size()), ' ');
  if (indent.size() + 2 >= width) indent.clear();
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  do {
    const std::size_t end = end_of_line(text, bytes_within(text, width - indent.size()));
    lines.push_back(indent + std::string(text.substr(0, end)));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (lines.size() == 1 && indent.size() + hanging + 2 < width) indent.append(hanging, ' ');
  } while (!text.empty());
  return lines;
}

}  // namespace huddle::render
