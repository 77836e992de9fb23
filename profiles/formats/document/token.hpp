#pragma once

// Internal to the reader of profiles.

#include <cstdint>
#include <string_view>

namespace huddle {

/// A piece of a document, the same for JSON and CBOR.
struct Token {
  enum class Kind : std::uint8_t {
    kNull,
    kBoolean,   ///< `boolean`
    kWhole,     ///< `whole`
    kNegative,  ///< a whole number below 0: `whole` is its distance from -1
    kReal,      ///< `real`
    kText,      ///< `text`
    kBinary,    ///< bytes, which no huddle document has
    kArray,     ///< its elements follow, then kClose
    kObject,    ///< pairs of kKey and a value follow, then kClose
    kKey,       ///< `text`
    kClose,
    kEnd,  ///< of the document; nothing stands behind it
  };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::uint64_t whole = 0;
  double real = 0;
  /// Valid until the next token is read.
  std::string_view text;
};

}  // namespace huddle
