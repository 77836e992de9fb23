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
#include <vector>

#include "profiles/formats/document/document_limits.hpp"

namespace huddle {

/// A value inside a document, together with the words that say where it stands: every accessor
/// throws FormatError naming file, field, what was found and what was expected. It views the
/// document and must not outlive it.
class Field {
 public:
  Field(const nlohmann::json& value, std::string_view file, std::string place)
      : value_(&value), file_(file), place_(std::move(place)) {}

  /// The member `key` of an object; absent is an error.
  [[nodiscard]] Field at(std::string_view key) const;
  /// Whether an object has `key` with a value other than null.
  [[nodiscard]] bool has(std::string_view key) const;

  [[nodiscard]] std::uint64_t unsigned_integer(
      std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] std::uint32_t unsigned_32(
      std::uint32_t largest = std::numeric_limits<std::uint32_t>::max()) const {
    return static_cast<std::uint32_t>(unsigned_integer(largest));
  }
  /// Finite.
  [[nodiscard]] double number() const;
  /// Finite and not negative.
  [[nodiscard]] double non_negative() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::string& text() const;
  /// Calls `visit` with each element of an array.
  void for_each(const std::function<void(const Field&)>& visit) const;
  /// Calls `visit` with the name and value of each member of an object, in the order of the names.
  void for_each_member(
      const std::function<void(const std::string& name, const Field& value)>& visit) const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] std::size_t array_size() const;
  /// Element `index` of an array of at least `index` + 1 elements.
  [[nodiscard]] Field element(std::size_t index) const;

  [[noreturn]] void fail(std::string_view expected) const;

 private:
  [[nodiscard]] std::string found() const;

  const nlohmann::json* value_;
  std::string_view file_;
  std::string place_;
};

/// A parsed document whose first two fields were checked.
class Document {
 public:
  /// Reads JSON or CBOR (told apart by the first byte) from `path`. Throws SystemError, or
  /// FormatError if the content is neither, is larger or more deeply nested than `limits` allow, or
  /// does not begin with
  /// `"format": "huddle/<name>", "version": <version>`.
  static Document load(const std::filesystem::path& path, std::string_view name, unsigned version,
                       const DocumentLimits& limits = {});
  /// The same from memory; `file` is what errors call it.
  static Document parse(std::string_view bytes, std::string_view file, std::string_view name,
                        unsigned version, const DocumentLimits& limits = {});

  [[nodiscard]] Field root() const { return {json_, file_, ""}; }

 private:
  nlohmann::json json_;
  std::string file_;
};

/// A new document with its first two fields set; ordered, so that they come first in the file.
nlohmann::ordered_json new_document(std::string_view name, unsigned version);

/// Writes `document` as indented JSON, atomically (see atomic_file.hpp).
void save_json(const std::filesystem::path& path, const nlohmann::ordered_json& document);

/// `text` as valid UTF-8 for a JSON string: bytes that are not become U+FFFD.
std::string utf8(std::string_view text);

}  // namespace huddle
