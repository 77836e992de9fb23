#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle {

/// Writes a value, JSON or CBOR, member by member into a text: for the many records of a profile,
/// of which no tree is built. Members and elements are written in the order of the calls; the
/// caller opens and closes in pairs. Owned by one thread.
class DocumentWriter {
 public:
  explicit DocumentWriter(Encoding encoding) : encoding_(encoding) {}

  /// Of at most 23 members, so that its length fits the byte that opens it in CBOR.
  void open_object();
  void close_object();
  /// The name of the member whose value is written next; of ASCII letters, digits and '_'.
  void key(std::string_view name);
  /// `elements` values follow, then close_array().
  void open_array(std::size_t elements);
  void close_array();

  void unsigned_integer(std::uint64_t value);
  /// In CBOR in 4 bytes where these hold it exactly. What is not finite is null in JSON.
  void real(double value);
  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  void null();

  /// An array of what `write(element)` writes for each element of `range`: one value each.
  template <class Range, class Write>
  void array(const Range& range, Write&& write) {
    open_array(range.size());
    for (const auto& element : range) write(element);
    close_array();
  }

  /// What was written, which may be less than a whole value.
  std::string take() { return std::move(out_); }

 private:
  void separate();
  void cbor_head(unsigned major, std::uint64_t argument);
  void quoted(std::string_view value);

  Encoding encoding_;
  std::string out_;
  std::vector<std::size_t> open_objects_;  // CBOR: where their first bytes are
};

}  // namespace huddle
