#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// `document`, JSON, with the value at `pointer` (RFC 6901, "/rank_records/0/rank") replaced by
/// `value`, JSON too; "NaN" and "inf", which JSON lacks, ask for CBOR. An empty `value` takes the
/// field away.
std::string with_field(std::string_view document, const std::string& pointer,
                       const std::string& value);

/// `document`, JSON, with the members of every object in reverse order.
std::string turned_round(std::string_view document);

/// The same document in CBOR, or in JSON.
std::string as_cbor(std::string_view json);
std::string as_json(std::string_view cbor);

/// A document with one field changed, and how a reader is expected to refuse it.
struct BrokenField {
  std::string pointer;
  /// As for with_field().
  std::string value;
  /// As the error says them.
  std::string place;
  std::string found;
  std::string expected;
};

/// "f.json: field ranks: found 0, expected 1 or more".
std::string message_of(const BrokenField& broken, std::string_view file);

}  // namespace huddle
