#pragma once

// Internal to the format readers and writers: this header brings nlohmann/json, so only .cpp files
// include it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/document/value_tape.hpp"

namespace huddle {

/// Limits beyond which a reader calls a file hostile.
struct DocumentLimits {
  std::uint64_t file_bytes = std::uint64_t{8} << 30U;
  unsigned nesting = 32;
};

/// A value inside a document: every accessor throws FormatError naming file, field, what was found
/// and what was expected. As cheap to copy as two pointers. It views the document and must not
/// outlive it.
class Field {
 public:
  Field(const ValueTape& tape, std::size_t index) : tape_(&tape), index_(index) {}

  /// The member `key` of an object; absent is an error, and so is one that is there twice.
  [[nodiscard]] Field at(std::string_view key) const;
  /// True if an object has `key` with a value other than null.
  [[nodiscard]] bool has(std::string_view key) const;

  [[nodiscard]] std::uint64_t unsigned_integer(
      std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) const {
    const ValueTape::Value& found = value();
    if (found.kind != ValueTape::Kind::kUnsigned || found.bits > largest) fail_unsigned(largest);
    return found.bits;
  }
  [[nodiscard]] std::uint32_t unsigned_32(
      std::uint32_t largest = std::numeric_limits<std::uint32_t>::max()) const {
    return static_cast<std::uint32_t>(unsigned_integer(largest));
  }
  /// Finite.
  [[nodiscard]] double number() const;
  /// Finite and not negative.
  [[nodiscard]] double non_negative() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_null() const { return value().kind == ValueTape::Kind::kNull; }
  [[nodiscard]] bool is_array() const { return value().kind == ValueTape::Kind::kArray; }
  [[nodiscard]] std::size_t array_size() const;
  /// Calls `visit` with each element of an array.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::size_t size = array_size();
    std::size_t at = index_ + 1;
    for (std::size_t i = 0; i < size; ++i, at = tape_->behind(at)) visit(Field(*tape_, at));
  }
  /// Calls `visit` with the name and value of each member of an object, in the order of the names.
  void for_each_member(
      const std::function<void(const std::string& name, const Field& value)>& visit) const;
  /// Element `index` of an array of at least `index` + 1 elements. Passes those before it, unless
  /// all are numbers, texts and the like.
  [[nodiscard]] Field element(std::size_t index) const;

  /// The value is not what was expected.
  [[noreturn]] void fail(std::string_view expected) const { fail(found(), expected); }
  /// Something in it is not: `found` says what.
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;

 private:
  [[nodiscard]] const ValueTape::Value& value() const { return tape_->values[index_]; }
  [[nodiscard]] std::size_t find(std::string_view key) const;
  [[nodiscard]] std::string found() const;
  [[nodiscard]] std::string place() const;
  [[noreturn]] void fail_unsigned(std::uint64_t largest) const;

  const ValueTape* tape_;
  std::size_t index_;
};

/// A member of a document that is too large for memory as a whole: an array whose elements are read
/// one by one.
struct StreamedArray {
  std::string_view name;
  /// Called when the array begins, with the members that stand before it and the number of bytes
  /// that follow. Returns whether the elements are to be visited.
  std::function<bool(const Field& before, std::uint64_t bytes_left)> begin;
  /// Called with each element, which is forgotten afterwards.
  std::function<void(const Field& element)> visit;
};

/// A document that was read.
class Document {
 public:
  /// Reads JSON or CBOR (distinguished by the first byte) from `path`. Throws SystemError, or
  /// FormatError if the content is neither, is larger or more deeply nested than `limits` allow, or
  /// does not begin with `"format": "huddle/<name>", "version": <version>`. Of a `streamed` array
  /// only the number of its elements stays in the document.
  static Document load(const std::filesystem::path& path, std::string_view name, unsigned version,
                       const DocumentLimits& limits = {}, const StreamedArray* streamed = nullptr);
  /// The same from memory; `file` is what errors call it.
  static Document parse(std::string_view bytes, std::string_view file, std::string_view name,
                        unsigned version, const DocumentLimits& limits = {},
                        const StreamedArray* streamed = nullptr);
  /// Any value in JSON or CBOR, with no format or version of its own. Errors call it `place`.
  static Document parse_value(std::string_view bytes, std::string_view file,
                              std::string_view place = "");

  [[nodiscard]] Field root() const { return {tape_, 0}; }

 private:
  ValueTape tape_;
};

/// A new document with its first two fields set; ordered, so that they come first in the file.
nlohmann::ordered_json new_document(std::string_view name, unsigned version);

/// Writes `document` as indented JSON, atomically (see atomic_file.hpp).
void save_json(const std::filesystem::path& path, const nlohmann::ordered_json& document);

/// `text` as valid UTF-8 for a JSON string: bytes that are not become U+FFFD.
std::string utf8(std::string_view text);

}  // namespace huddle
