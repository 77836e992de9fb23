#include "profiles/formats/profile/detail/document_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

// Major types of RFC 8949 section 3.1.
constexpr unsigned kCborUnsigned = 0;
constexpr unsigned kCborText = 3;
constexpr unsigned kCborArray = 4;
constexpr char kCborEmptyMap = '\xa0';
constexpr char kCborFullMap = '\xb7';
constexpr char kCborCountedMap = '\xb8';  // by the byte behind it
// RFC 8949 section 3.2.2: pieces can be put one behind another.
constexpr char kCborEndlessArray = '\x9f';
constexpr char kCborBreak = '\xff';
constexpr char kCborFalse = '\xf4';
constexpr char kCborTrue = '\xf5';
constexpr char kCborNull = '\xf6';
constexpr char kCborFloat = '\xfa';
constexpr char kCborDouble = '\xfb';

template <class Number>
void append_big_endian(std::string& out, Number number) {
  for (int shift = static_cast<int>(sizeof number) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>(std::uint64_t{number} >> static_cast<unsigned>(shift) & 0xffU);
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool fits_float(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(value)) == value;
}

}  // namespace

void DocumentWriter::begin_line() {
  out_ += '\n';
  out_.append(depth_, ' ');
}

// JSON: of an object's member or an array's element.
void DocumentWriter::begin_item() {
  if (!first_) out_ += ',';
  first_ = false;
  if (depth_ > 0 && depth_ <= broken_levels_) begin_line();
}

void DocumentWriter::begin_value() {
  if (encoding_ == Encoding::kCbor) return;
  if (!after_key_) begin_item();
  after_key_ = false;
}

void DocumentWriter::open_json(char bracket) {
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void DocumentWriter::close_json(char bracket) {
  --depth_;
  if (!first_ && depth_ < broken_levels_) begin_line();
  out_ += bracket;
  first_ = false;
}

void DocumentWriter::cbor_head(unsigned major, std::uint64_t argument) {
  const auto put = [&](std::uint64_t low) {
    out_ += static_cast<char>(static_cast<unsigned char>(major << 5U | low));
  };
  if (argument < 24) {
    put(argument);
  } else if (argument <= 0xff) {
    put(24);
    append_big_endian(out_, static_cast<std::uint8_t>(argument));
  } else if (argument <= 0xffff) {
    put(25);
    append_big_endian(out_, static_cast<std::uint16_t>(argument));
  } else if (argument <= 0xffffffff) {
    put(26);
    append_big_endian(out_, static_cast<std::uint32_t>(argument));
  } else {
    put(27);
    append_big_endian(out_, argument);
  }
}

void DocumentWriter::open_object(std::size_t later_members) {
  begin_value();
  if (encoding_ == Encoding::kJson) return open_json('{');
  open_objects_.push_back(out_.size());
  out_ += static_cast<char>(kCborEmptyMap + static_cast<int>(later_members));
}

void DocumentWriter::close_object() {
  if (encoding_ == Encoding::kJson) return close_json('}');
  if (!open_objects_.empty()) open_objects_.pop_back();
}

// The few objects that have more members than the byte at `head` can count get another byte.
void DocumentWriter::count_member(std::size_t head) {
  if (out_[head] == kCborCountedMap) {
    if (out_[head + 1] == '\xff') throw std::logic_error("an object of more than 255 members");
    ++out_[head + 1];
  } else if (out_[head] == kCborFullMap) {
    out_[head] = kCborCountedMap;
    out_.insert(head + 1, 1, static_cast<char>(24));
  } else {
    ++out_[head];
  }
}

void DocumentWriter::key(std::string_view name) {
  if (encoding_ == Encoding::kJson) {
    begin_item();
    out_ += '"';
    out_ += name;
    out_ += depth_ <= broken_levels_ ? "\": " : "\":";
    after_key_ = true;
    return;
  }
  if (!open_objects_.empty()) count_member(open_objects_.back());
  cbor_head(kCborText, name.size());
  out_ += name;
}

void DocumentWriter::open_array(std::size_t elements) {
  begin_value();
  if (encoding_ == Encoding::kJson) return open_json('[');
  cbor_head(kCborArray, elements);
}

void DocumentWriter::close_array() {
  if (encoding_ == Encoding::kJson) close_json(']');
}

void DocumentWriter::open_endless_array() {
  begin_value();
  if (encoding_ == Encoding::kJson) return open_json('[');
  out_ += kCborEndlessArray;
}

void DocumentWriter::close_endless_array() {
  if (encoding_ == Encoding::kJson) return close_json(']');
  out_ += kCborBreak;
}

void DocumentWriter::unsigned_integer(std::uint64_t value) {
  if (encoding_ == Encoding::kCbor) {
    cbor_head(kCborUnsigned, value);
    return;
  }
  begin_value();
  std::array<char, 24> digits{};
  out_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
}

void DocumentWriter::real(double value) {
  if (!std::isfinite(value)) return null();  // no reader takes another number
  if (encoding_ == Encoding::kCbor) {
    if (fits_float(value)) {
      out_ += kCborFloat;
      append_big_endian(out_, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else {
      out_ += kCborDouble;
      append_big_endian(out_, std::bit_cast<std::uint64_t>(value));
    }
    return;
  }
  begin_value();
  std::array<char, 32> digits{};
  const std::string_view shortest(
      digits.data(), static_cast<std::size_t>(
                         std::to_chars(digits.begin(), digits.end(), value).ptr - digits.data()));
  out_ += shortest;
  // Other readers shall see that it is no integer.
  if (shortest.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void DocumentWriter::boolean(bool value) {
  begin_value();
  if (encoding_ == Encoding::kCbor)
    out_ += value ? kCborTrue : kCborFalse;
  else
    out_ += value ? "true" : "false";
}

void DocumentWriter::text(std::string_view value) {
  if (encoding_ == Encoding::kJson) {
    begin_value();
    quoted(value);
    return;
  }
  if (!is_ascii(value)) {
    const std::string valid = utf8(value);
    cbor_head(kCborText, valid.size());
    out_ += valid;
    return;
  }
  cbor_head(kCborText, value.size());
  out_ += value;
}

void DocumentWriter::quoted(std::string_view value) {
  if (!is_plain(value)) {
    out_ += nlohmann::json(std::string(value))
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out_ += '"';
  out_ += value;
  out_ += '"';
}

void DocumentWriter::null() {
  begin_value();
  if (encoding_ == Encoding::kCbor)
    out_ += kCborNull;
  else
    out_ += "null";
}

}  // namespace huddle
