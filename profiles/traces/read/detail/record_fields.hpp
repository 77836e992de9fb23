#pragma once

// The fields of a record of OTF2: numbers, texts and lists in either byte order.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace huddle::otf2 {

inline std::uint64_t load(const std::uint8_t* at, bool big_endian) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  if (big_endian != (std::endian::native == std::endian::big)) value = __builtin_bswap64(value);
  return value;
}

/// Reads a record's fields one after the other. Numbers are read without bounds checks, sound() has
/// the result afterwards: RecordWindow::kPadding readable bytes must follow the record.
class RecordFields {
 public:
  RecordFields(const std::uint8_t* begin, const std::uint8_t* end, bool big_endian)
      : at_(begin), end_(end), big_endian_(big_endian) {}

  std::uint8_t byte() { return at_ < end_ ? *at_++ : overrun(); }

  /// A compressed number: a length byte, then as many bytes as it needs; all bits set is one byte.
  std::uint64_t number() {
    if (at_ >= end_) return overrun();
    const unsigned bytes = *at_++;
    if (bytes == 0) return 0;
    if (bytes > 8) {
      sound_ = sound_ && bytes == 0xff;
      return UINT64_MAX;
    }
    const std::uint64_t raw = load(at_, big_endian_);
    at_ += bytes;
    const unsigned unused = 64 - 8 * bytes;
    return big_endian_ ? raw >> unused : raw << unused >> unused;
  }
  /// The same of 32 bits: more than four bytes are no good.
  std::uint32_t number32() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX && value != UINT64_MAX) sound_ = false;
    return static_cast<std::uint32_t>(value);
  }
  /// Eight bytes.
  std::uint64_t plain() {
    if (at_ + 8 > end_) return overrun();
    at_ += 8;
    return load(at_ - 8, big_endian_);
  }
  /// Four bytes.
  std::uint32_t plain32() {
    if (at_ + 4 > end_) return overrun();
    at_ += 4;
    const std::uint64_t wide = load(at_ - 4, big_endian_);
    return static_cast<std::uint32_t>(big_endian_ ? wide >> 32 : wide);
  }
  /// Up to its zero byte.
  std::string_view text() {
    const std::size_t most = at_ < end_ ? static_cast<std::size_t>(end_ - at_) : 0;
    const void* zero = most > 0 ? std::memchr(at_, 0, most) : nullptr;
    if (zero == nullptr) {
      overrun();
      return {};
    }
    const auto* last = static_cast<const std::uint8_t*>(zero);
    const std::string_view found(reinterpret_cast<const char*>(at_),
                                 static_cast<std::size_t>(last - at_));
    at_ = last + 1;
    return found;
  }

  /// Whether a record of an older OTF2 ends here.
  [[nodiscard]] bool at_end() const { return at_ >= end_; }
  [[nodiscard]] std::size_t left() const {
    return at_ < end_ ? static_cast<std::size_t>(end_ - at_) : 0;
  }
  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  /// Whether all that was read was there and a number of its kind.
  [[nodiscard]] bool sound() const { return sound_ && at_ <= end_; }

 private:
  std::uint8_t overrun() {
    sound_ = false;
    return 0;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool big_endian_;
  bool sound_ = true;
};

}  // namespace huddle::otf2
