#pragma once

// Internal to the reader of profiles.

#include <array>
#include <bitset>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiles/formats/document/byte_source.hpp"
#include "profiles/formats/document/cbor_tokens.hpp"
#include "profiles/formats/document/document_limits.hpp"
#include "profiles/formats/document/json_tokens.hpp"

namespace huddle {

/// Reads a JSON or CBOR document (told apart by the first byte) value by value from its begin to
/// its end, and keeps none of it: for documents too large for a tree (see Document for others).
/// Every function reads the value that is next. All throw FormatError naming the file, the field
/// ("rank_records[3].sent.bytes[7]") or the byte, what was found and what was expected, and
/// SystemError. Owned by one thread.
class DocumentReader {
 public:
  /// `bytes` must outlive it; `file` is what errors call them.
  DocumentReader(std::string_view bytes, std::string_view file, const DocumentLimits& limits = {});
  explicit DocumentReader(const std::filesystem::path& path, const DocumentLimits& limits = {});

  enum class Need : std::uint8_t { kRequired, kOptional };

  /// A member of an object, and how it gets into what `Into` stands for: `read` reads one value.
  template <class Into>
  struct Member {
    /// Of static lifetime.
    std::string_view name;
    /// An optional member may also be null.
    Need need;
    void (*read)(DocumentReader& in, Into& into);
  };

  /// Reads an object by the table of its `members`. A member that is not in the table is passed
  /// over; one that is there twice is refused, and so is an object that lacks a required one.
  template <class Into, std::size_t kCount>
  void object(const std::array<Member<Into>, kCount>& members, Into& into);
  /// The same for the whole document, whose members are read in the order of the table, wherever
  /// they stand; passes over the document once before that, and so knows that it is complete.
  template <class Into, std::size_t kCount>
  void document(const std::array<Member<Into>, kCount>& members, Into& into);
  /// Calls `visit(index)`, which reads one value, for each element of an array. Returns their
  /// number.
  template <class Visit>
  std::size_t array(Visit&& visit);

  [[nodiscard]] std::uint64_t unsigned_integer(
      std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());
  [[nodiscard]] std::uint32_t unsigned_32(
      std::uint32_t largest = std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(unsigned_integer(largest));
  }
  /// Finite.
  [[nodiscard]] double number();
  /// Finite and not negative.
  [[nodiscard]] double non_negative();
  [[nodiscard]] bool boolean();
  /// Valid until the next value is read.
  [[nodiscard]] std::string_view text();
  /// Whether the value is null; if so, it is read.
  [[nodiscard]] bool null();

  /// How many bytes there are from here to the end of the document, which bounds the number of
  /// values that can follow.
  [[nodiscard]] std::uint64_t bytes_left() const { return source_.left(); }

  /// For the number, text or boolean that was read last.
  [[noreturn]] void fail_value(std::string_view expected);
  /// For a value that is read, or of which a part is. `inside` is put behind the place:
  /// ".bytes[7]".
  [[noreturn]] void fail(std::string_view found, std::string_view expected,
                         std::string_view inside = "") const;
  /// An object lacks `name`.
  [[noreturn]] void fail_missing(std::string_view name) const;
  /// For an array of which `visited` elements were visited, the last of which is not read: one too
  /// many. Reads the rest to say how many there are.
  [[noreturn]] void fail_too_many(std::size_t visited, std::string_view expected);

 private:
  // A step on the way from the document to a value: a member, or an element if `name` is empty.
  struct Step {
    std::string_view name = {};
    std::size_t index = 0;
  };

  using Tokens = std::variant<CborTokens, JsonTokens>;
  Tokens choose_tokens(const DocumentLimits& limits);
  template <class Into>
  void read_member(const Member<Into>& member, Into& into, bool twice);
  template <class Into, std::size_t kCount>
  static std::size_t find(const std::array<Member<Into>, kCount>& members, std::string_view key,
                          std::size_t next);
  const Token& peek();
  Token::Kind take();
  void skip();
  void open(Token::Kind kind, std::string_view expected);
  bool next_key(std::string_view& key);
  std::size_t children();
  [[nodiscard]] std::string found();
  [[nodiscard]] std::string place(std::string_view inside) const;
  [[noreturn]] void fail_type(std::string_view expected);
  [[noreturn]] void fail_twice() const;
  void finish();
  void return_to(std::uint64_t position);

  std::string file_;
  ByteSource source_;
  Tokens tokens_;
  Token token_;
  bool peeked_ = false;
  std::vector<Step> path_;
};

template <class Into, std::size_t kCount>
void DocumentReader::object(const std::array<Member<Into>, kCount>& members, Into& into) {
  open(Token::Kind::kObject, "an object");
  std::bitset<kCount> seen;
  std::size_t next = 0;
  for (std::string_view key; next_key(key);) {
    const std::size_t i = find(members, key, next);
    if (i == kCount) {
      skip();
      continue;
    }
    read_member(members[i], into, seen[i]);
    seen.set(i);
    next = i + 1;
  }
  for (std::size_t i = 0; i < kCount; ++i)
    if (!seen[i] && members[i].need == Need::kRequired) fail_missing(members[i].name);
}

template <class Into, std::size_t kCount>
void DocumentReader::document(const std::array<Member<Into>, kCount>& members, Into& into) {
  std::array<std::optional<std::uint64_t>, kCount> positions;
  std::bitset<kCount> twice;
  open(Token::Kind::kObject, "an object");
  for (std::string_view key; next_key(key);) {
    const std::size_t i = find(members, key, 0);
    if (i < kCount) {
      twice[i] = positions[i].has_value();
      positions[i] = source_.position();
    }
    skip();
  }
  finish();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (positions[i]) {
      return_to(*positions[i]);
      read_member(members[i], into, twice[i]);
    } else if (members[i].need == Need::kRequired) {
      fail_missing(members[i].name);
    }
  }
}

template <class Into>
void DocumentReader::read_member(const Member<Into>& member, Into& into, bool twice) {
  path_.push_back({member.name});
  if (twice) fail_twice();
  if (member.need == Need::kRequired || !null()) member.read(*this, into);
  path_.pop_back();
}

// Writers keep to one order: the next one is tried first.
template <class Into, std::size_t kCount>
std::size_t DocumentReader::find(const std::array<Member<Into>, kCount>& members,
                                 std::string_view key, std::size_t next) {
  if (next < kCount && members[next].name == key) return next;
  std::size_t i = 0;
  while (i < kCount && members[i].name != key) ++i;
  return i;
}

template <class Visit>
std::size_t DocumentReader::array(Visit&& visit) {
  open(Token::Kind::kArray, "an array");
  path_.emplace_back();
  std::size_t index = 0;
  for (; peek().kind != Token::Kind::kClose; ++index) {
    path_.back().index = index;
    visit(index);
  }
  take();
  path_.pop_back();
  return index;
}

}  // namespace huddle
