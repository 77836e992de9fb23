#include "profiles/formats/profile/document_writer.hpp"

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

// In JSON a comma stands between values and after nothing that opens.
void DocumentWriter::separate() {
  if (encoding_ == Encoding::kCbor || out_.empty()) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
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

void DocumentWriter::open_object() {
  separate();
  if (encoding_ == Encoding::kCbor) open_objects_.push_back(out_.size());
  out_ += encoding_ == Encoding::kCbor ? kCborEmptyMap : '{';
}

void DocumentWriter::close_object() {
  if (encoding_ == Encoding::kCbor)
    open_objects_.pop_back();
  else
    out_ += '}';
}

void DocumentWriter::key(std::string_view name) {
  if (encoding_ == Encoding::kJson) {
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    return;
  }
  if (!open_objects_.empty()) {
    char& head = out_[open_objects_.back()];
    if (head == kCborFullMap) throw std::logic_error("an object of more than 23 members");
    ++head;
  }
  cbor_head(kCborText, name.size());
  out_ += name;
}

void DocumentWriter::open_array(std::size_t elements) {
  separate();
  if (encoding_ == Encoding::kCbor)
    cbor_head(kCborArray, elements);
  else
    out_ += '[';
}

void DocumentWriter::close_array() {
  if (encoding_ == Encoding::kJson) out_ += ']';
}

void DocumentWriter::unsigned_integer(std::uint64_t value) {
  if (encoding_ == Encoding::kCbor) {
    cbor_head(kCborUnsigned, value);
    return;
  }
  separate();
  std::array<char, 24> digits{};
  out_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
}

void DocumentWriter::real(double value) {
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
  if (!std::isfinite(value)) return null();
  separate();
  std::array<char, 32> digits{};
  const std::string_view shortest(
      digits.data(), static_cast<std::size_t>(
                         std::to_chars(digits.begin(), digits.end(), value).ptr - digits.data()));
  out_ += shortest;
  // Other readers shall see that it is no integer.
  if (shortest.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void DocumentWriter::text(std::string_view value) {
  if (encoding_ == Encoding::kJson) {
    separate();
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
  separate();
  if (encoding_ == Encoding::kCbor)
    out_ += kCborNull;
  else
    out_ += "null";
}

}  // namespace huddle
