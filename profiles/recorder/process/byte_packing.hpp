#pragma once

// Packs values into one string of bytes, for other processes of the same run or machine: numbers as
// they are in memory, strings, paths, vectors, and structs for which there is, in their namespace,
//   template <class Archive> void visit_members(Archive& archive, Struct& whole) { archive(whole.a,
//   whole.b); }

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

/// Appends what it is called with to a string.
class BytePacker {
 public:
  /// The string begins with `mark`.
  explicit BytePacker(std::string_view mark) : bytes_(mark) {}

  template <class... Things>
  void operator()(const Things&... things) {
    (put(things), ...);
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <class Thing>
  void put(const Thing& thing) {
    if constexpr (std::is_arithmetic_v<Thing>)
      bytes_.append(reinterpret_cast<const char*>(&thing), sizeof thing);  // NOLINT: its bytes
    else
      visit_members(*this, const_cast<Thing&>(thing));  // NOLINT: which only reads it
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void put(const std::filesystem::path& path) { put(path.native()); }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put(std::uint64_t{items.size()});
    for (const Item& item : items) put(item);
  }

  std::string bytes_;
};

/// Fills what it is called with from such a string. Throws FormatError naming `origin` where the
/// string is not what a packer with the same mark made of values of these types.
class ByteUnpacker {
 public:
  /// Keeps a view of `bytes`.
  ByteUnpacker(std::string_view mark, std::string_view bytes, std::string_view origin)
      : bytes_(bytes), origin_(origin), expected_(mark.substr(0, mark.find('\n'))) {
    if (!bytes.starts_with(mark)) refuse("something else");
    at_ = mark.size();
  }

  template <class... Things>
  void operator()(Things&... things) {
    (get(things), ...);
  }
  void expect_end() const {
    if (at_ != bytes_.size()) refuse(fmt::format("{} bytes more", bytes_.size() - at_));
  }

 private:
  template <class Thing>
  void get(Thing& thing) {
    if constexpr (std::is_same_v<Thing, bool>) {
      std::uint8_t number = 0;
      get(number);
      thing = number != 0;
    } else if constexpr (std::is_arithmetic_v<Thing>) {
      std::memcpy(&thing, take(sizeof thing).data(), sizeof thing);
    } else {
      visit_members(*this, thing);
    }
  }
  void get(std::string& text) { text = take(length()); }
  void get(std::filesystem::path& path) { path = take(length()); }
  template <class Item>
  void get(std::vector<Item>& items) {
    items.resize(length());  // each takes a byte at least
    for (Item& item : items) get(item);
  }

  [[noreturn]] void refuse(std::string_view found) const {
    throw FormatError(origin_, fmt::format("byte {}", at_), found, expected_);
  }
  std::size_t length() {
    std::uint64_t size = 0;
    get(size);
    if (size > bytes_.size() - at_) refuse(fmt::format("a length of {}", size));
    return static_cast<std::size_t>(size);
  }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) refuse("the end");
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view bytes_;
  std::string_view origin_;
  std::string_view expected_;
  std::size_t at_ = 0;
};

template <class Thing>
std::string packed_bytes(std::string_view mark, const Thing& thing) {
  BytePacker packer(mark);
  packer(thing);
  return packer.take();
}
/// Throws as ByteUnpacker does, also if there is more than one `Thing`.
template <class Thing>
Thing unpacked_bytes(std::string_view mark, std::string_view bytes, std::string_view origin) {
  Thing thing;
  ByteUnpacker unpacker(mark, bytes, origin);
  unpacker(thing);
  unpacker.expect_end();
  return thing;
}

}  // namespace huddle::recorder
