#include "profiles/vocabulary/error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace huddle {

std::string shortened(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    line += (byte < 0x20 || byte == 0x7f) ? '?' : c;
  }
  if (text.size() > limit) line += "...";
  return line;
}

FormatError::FormatError(std::string_view file, std::string_view place, std::string_view found,
                         std::string_view expected)
    : Error(fmt::format("{}: {}: found {}, expected {}", file, place, shortened(found, 120),
                        expected)) {}

SystemError::SystemError(std::string_view action, std::string_view file, int error_number)
    : Error(fmt::format("can't {} {}: {}", action, file,
                        std::generic_category().message(error_number))),
      error_number_(error_number) {}

}  // namespace huddle
