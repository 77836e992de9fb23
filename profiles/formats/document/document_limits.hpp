#pragma once

#include <cstdint>

namespace huddle {

/// How much a reader accepts before it calls a file hostile.
struct DocumentLimits {
  std::uint64_t file_bytes = std::uint64_t{8} << 30U;
  unsigned nesting = 32;
};

/// Whether a document that begins with `first` is JSON; CBOR otherwise. No CBOR document of ours,
/// which is a map, begins so.
constexpr bool begins_json(char first) {
  return first == '{' || first == '[' || first == '"' || first == ' ' || first == '\t' ||
         first == '\r' || first == '\n';
}

}  // namespace huddle
