#pragma once

#include <string>

namespace huddle {

/// `text` as a cell of comma-separated values (RFC 4180).
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace huddle
