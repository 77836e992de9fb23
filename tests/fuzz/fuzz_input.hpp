#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The result of `parse` for a hostile input, or nothing if it refuses it; any exception but Error
/// is a finding.
template <class Parse>
auto parsed(Parse&& parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A broken promise is a finding.
inline void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace huddle
