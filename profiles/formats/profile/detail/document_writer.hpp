#pragma once

// Writes profiles member by member, without a tree of the whole document in memory.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle {

/// Writes a value, JSON or CBOR, member by member into a text. Members and elements are written in
/// the order of the calls; the caller opens and closes in pairs. A document may be written in
/// pieces, each by a writer of its own. Owned by one thread.
class DocumentWriter {
 public:
  static constexpr std::size_t kAllLevels = std::numeric_limits<std::size_t>::max();

  /// In JSON, each member and element of the outermost `broken_levels` objects and arrays begins a
  /// line. `open_levels` of them were opened by the writer of the piece before.
  explicit DocumentWriter(Encoding encoding, std::size_t broken_levels = 0,
                          std::size_t open_levels = 0)
      : encoding_(encoding),
        broken_levels_(broken_levels),
        depth_(open_levels),
        first_(open_levels == 0) {}

  /// Begins an object of at most 255 members; `later_members` of them, at most 23, are written by
  /// other writers.
  void open_object(std::size_t later_members = 0);
  void close_object();
  /// The name of the member whose value is written next; of ASCII letters, digits and '_'.
  void key(std::string_view name);
  /// `elements` values follow, then close_array().
  void open_array(std::size_t elements);
  void close_array();
  /// For an array whose elements other writers write, however many.
  void open_endless_array();
  void close_endless_array();

  void unsigned_integer(std::uint64_t value);
  /// In CBOR in 4 bytes where these hold it exactly. What is not finite is null.
  void real(double value);
  void boolean(bool value);
  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  void null();

  /// One of the above, by its type.
  template <class Value>
  void value(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>)
      boolean(value);
    else if constexpr (std::is_unsigned_v<Value>)
      unsigned_integer(value);
    else if constexpr (std::is_same_v<Value, double>)
      real(value);
    else
      text(value);
  }
  template <class Value>
  void member(std::string_view name, const Value& value) {
    key(name);
    this->value(value);
  }
  /// An array of what `write(element)` writes for each element of `range`: one value each.
  template <class Range, class Write>
  void array(const Range& range, Write&& write) {
    open_array(range.size());
    for (const auto& element : range) write(element);
    close_array();
  }
  /// A member that is an array of `value_of(element)` for each element of `range`.
  template <class Range, class ValueOf>
  void column(std::string_view name, const Range& range, ValueOf value_of) {
    key(name);
    array(range, [&](const auto& element) { value(value_of(element)); });
  }

  /// Returns the text that was written, which may be less than a whole value.
  std::string take() { return std::move(out_); }

 private:
  void begin_item();
  void begin_value();
  void open_json(char bracket);
  void close_json(char bracket);
  void begin_line();
  void cbor_head(unsigned major, std::uint64_t argument);
  void count_member(std::size_t head);
  void quoted(std::string_view value);

  Encoding encoding_;
  std::string out_;
  // JSON
  std::size_t broken_levels_;
  std::size_t depth_;
  bool first_;  // in its object or array
  bool after_key_ = false;
  // CBOR
  std::vector<std::size_t> open_objects_;  // where their first bytes are
};

}  // namespace huddle
