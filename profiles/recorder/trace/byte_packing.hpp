#pragma once

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

/// For such functions: whether `Struct` is a `Plain` or a const one.
template <class Struct, class Plain>
inline constexpr bool kMaybeConst = std::is_same_v<std::remove_const_t<Struct>, Plain>;

/// Puts things one after the other into one text, between processes of one run or one machine:
/// numbers as they are in memory, texts, lists of such things, and structs for which there is
///   template <class Struct, class Each> for_all_parts(Struct& whole, Each each)
/// in their namespace that calls each(part) for all parts in one order; Struct may be const.
class BytePacker {
 public:
  /// `mark` stands at the begin of the text.
  explicit BytePacker(std::string_view mark) : text_(mark) {}

  template <class Thing>
  void put(const Thing& thing) {
    if constexpr (std::is_arithmetic_v<Thing>)
      text_.append(reinterpret_cast<const char*>(&thing), sizeof thing);  // NOLINT: its bytes
    else
      for_all_parts(thing, [this](const auto& part) { this->put(part); });
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    text_ += text;
  }
  void put(const std::filesystem::path& path) { put(path.native()); }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put(std::uint64_t{items.size()});
    for (const Item& item : items) put(item);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Takes them out again. Members throw FormatError naming `origin` where the text is not what a
/// packer of the same mark made of such things.
class ByteUnpacker {
 public:
  /// Views `text`.
  ByteUnpacker(std::string_view mark, std::string_view text, std::string_view origin)
      : text_(text), origin_(origin), expected_(mark.substr(0, mark.find('\n'))) {
    if (!text.starts_with(mark)) refuse("something else");
    at_ = mark.size();
  }

  template <class Thing>
  void get(Thing& thing) {
    if constexpr (std::is_same_v<Thing, bool>) {
      std::uint8_t number = 0;
      get(number);
      thing = number != 0;
    } else if constexpr (std::is_arithmetic_v<Thing>) {
      std::memcpy(&thing, take(sizeof thing).data(), sizeof thing);
    } else {
      for_all_parts(thing, [this](auto& part) { this->get(part); });
    }
  }
  void get(std::string& text) { text = take(length()); }
  void get(std::filesystem::path& path) { path = take(length()); }
  template <class Item>
  void get(std::vector<Item>& items) {
    items.resize(length());  // each takes a byte at least
    for (Item& item : items) get(item);
  }
  void end() const {
    if (at_ != text_.size()) refuse(fmt::format("{} bytes more", text_.size() - at_));
  }

 private:
  [[noreturn]] void refuse(std::string_view found) const {
    throw FormatError(origin_, fmt::format("byte {}", at_), found, expected_);
  }
  std::size_t length() {
    std::uint64_t size = 0;
    get(size);
    if (size > text_.size() - at_) refuse(fmt::format("a length of {}", size));
    return static_cast<std::size_t>(size);
  }
  std::string_view take(std::size_t size) {
    if (size > text_.size() - at_) refuse("the end");
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view text_;
  std::string_view origin_;
  std::string_view expected_;
  std::size_t at_ = 0;
};

/// The whole of a struct that has parts.
template <class Struct>
std::string packed_bytes(std::string_view mark, const Struct& whole) {
  BytePacker packer(mark);
  packer.put(whole);
  return packer.take();
}
template <class Struct>
Struct unpacked_bytes(std::string_view mark, std::string_view text, std::string_view origin) {
  Struct whole;
  ByteUnpacker unpacker(mark, text, origin);
  unpacker.get(whole);
  unpacker.end();
  return whole;
}

}  // namespace huddle::recorder
