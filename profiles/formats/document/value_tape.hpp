#pragma once

// Internal to the reader of documents.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// The values of a document one behind another, as they stand in the file: 16 bytes each, no
/// pointers, nothing to free. An array is followed by its elements, an object by its members: a
/// text and a value each. Owned by one thread.
class ValueTape {
 public:
  enum class Kind : std::uint8_t {
    kNull,
    kFalse,
    kTrue,
    kUnsigned,  ///< `bits`
    kSigned,    ///< below 0 (or -0): `bits`, as std::int64_t
    kReal,      ///< `bits`, as double
    kText,      ///< `size` characters of `texts`, from `bits` on
    kBinary,    ///< `size` bytes, which are not kept: no document of ours has any
    kArray,     ///< `size` elements, up to the index `bits`
    kObject,    ///< `size` members, up to the index `bits`
  };
  struct Value {
    Kind kind = Kind::kNull;
    std::uint32_t size = 0;
    std::uint64_t bits = 0;
  };
  /// `bits` of an array or object whose end was not read yet.
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};

  std::vector<Value> values;
  std::string texts;
  /// The document's name in errors, and its root; empty for "the document".
  std::string file;
  std::string root_place;
  /// The array whose elements are read one by one, and which of them is on the tape; see
  /// StreamedArray.
  std::size_t streamed = kOpen;
  std::size_t streamed_element = 0;

  [[nodiscard]] std::string_view text(const Value& value) const {
    return {texts.data() + value.bits, value.size};
  }
  /// The index behind the value at `index` and all that is in it.
  [[nodiscard]] std::size_t behind(std::size_t index) const {
    const Value& value = values[index];
    if (value.kind < Kind::kArray) return index + 1;
    return std::min<std::size_t>(value.bits, values.size());
  }
};

}  // namespace huddle
