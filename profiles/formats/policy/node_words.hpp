#pragma once

// Words about a node of TOML, for errors.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "profiles/formats/policy/throwing_toml.hpp"

namespace huddle {

/// The line, the column and the key of a node.
inline std::string place_of(const toml::node& node, std::string_view key) {
  const toml::source_position& begin = node.source().begin;
  return fmt::format("line {}, column {}, key {}", begin.line, begin.column, key);
}

/// The value of a node, as errors show it. Not by toml++'s own formatter, which casts the negative
/// width of a number below 0.1 to unsigned.
inline std::string found_in(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (const auto text = node.value_exact<std::string>()) return fmt::format("\"{}\"", *text);
  if (const auto number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  return "a date or a time";
}

}  // namespace huddle
