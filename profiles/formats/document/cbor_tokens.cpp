#include "profiles/formats/document/cbor_tokens.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

enum Major : unsigned { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag, kSimple };
constexpr unsigned kEndless = 31;
constexpr unsigned char kBreak = 0xff;

// RFC 8949, appendix D.
double half(std::uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 10U & 0x1fU);
  const auto mantissa = static_cast<double>(bits & 0x3ffU);
  double value = 0;
  if (exponent == 0)
    value = std::ldexp(mantissa, -24);
  else if (exponent != 31)
    value = std::ldexp(mantissa + 1024, exponent - 25);
  else
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000U) != 0 ? -value : value;
}

}  // namespace

void CborTokens::fail(std::string_view found, std::string_view expected) const {
  throw FormatError(file_, fmt::format("byte {}", source_.position()), found, expected);
}

void CborTokens::fail_short() const {
  throw FormatError(file_, fmt::format("byte {}", source_.position() + source_.left()),
                    "the end of the file", "a complete CBOR document");
}

void CborTokens::restart() {
  levels_.clear();
  begun_ = false;
}

CborTokens::Head CborTokens::head() {
  if (!source_.require(1)) fail_short();
  const unsigned first = static_cast<unsigned char>(source_.unread().front());
  const Head head{first >> 5U, first & 0x1fU, first & 0x1fU};
  if (head.info >= 24) return long_head(head);
  source_.advance(1);
  return head;
}

CborTokens::Head CborTokens::long_head(Head head) {
  if (head.info > 27) {
    if (head.info != kEndless) fail(fmt::format("0x{:02x}", head.major << 5U | head.info), "CBOR");
    source_.advance(1);
    return head;
  }
  const std::size_t width = std::size_t{1} << (head.info - 24);
  if (!source_.require(1 + width)) fail_short();
  const char* const bytes = source_.unread().data() + 1;
  head.argument = 0;
  for (std::size_t i = 0; i < width; ++i)
    head.argument = head.argument << 8U | static_cast<unsigned char>(bytes[i]);
  source_.advance(1 + width);
  return head;
}

bool CborTokens::close_if_done(Token& token) {
  Level& level = levels_.back();
  if (!level.endless) {
    if (level.left > 0) return false;
  } else {
    if (!source_.require(1)) fail_short();
    if (static_cast<unsigned char>(source_.unread().front()) != kBreak) return false;
    if (level.map && !level.key_next) fail("the end of a map", "the value of its last key");
    source_.advance(1);
  }
  levels_.pop_back();
  token.kind = Token::Kind::kClose;
  return true;
}

void CborTokens::next(Token& token) {
  bool key = false;
  if (!levels_.empty()) {
    if (close_if_done(token)) return;
    Level& level = levels_.back();
    if (!level.endless) --level.left;
    key = level.key_next;
    if (level.map) level.key_next = !level.key_next;
  } else if (begun_) {
    if (source_.left() > 0)
      fail(fmt::format("{} more bytes", source_.left()), "the end of the document");
    token.kind = Token::Kind::kEnd;
    return;
  }
  begun_ = true;
  const Head head = this->head();
  if (key && head.major != kText) fail("a key of another kind", "a text as key");
  switch (head.major) {
    case kUnsigned:
    case kNegative:
      if (head.info == kEndless) fail("a number without value", "CBOR");
      token.kind = head.major == kUnsigned ? Token::Kind::kWhole : Token::Kind::kNegative;
      token.whole = head.argument;
      return;
    case kBytes:
    case kText:
      string(head, token);
      if (key) token.kind = Token::Kind::kKey;
      return;
    case kArray:
    case kMap:
      return open(head, token);
    case kTag:
      fail("a tag", "a value without tags");
    default:
      return simple(head, token);
  }
}

void CborTokens::skip() {
  const std::size_t depth = levels_.size();
  Token token;
  next(token);
  while (levels_.size() > depth) {
    skip_simple_items();
    next(token);
  }
}

// Those of the innermost level that the window holds; all else is left to next().
void CborTokens::skip_simple_items() {
  Level& level = levels_.back();
  const std::string_view bytes = source_.unread();
  std::size_t at = 0;
  while ((level.endless || level.left > 0) && at < bytes.size()) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const unsigned major = first >> 5U;
    const unsigned info = first & 0x1fU;
    const bool number =
        major == kUnsigned || major == kNegative || (major == kSimple && info >= 25 && info <= 27);
    if ((!number && major != kText) || (level.key_next && major != kText) || info > 27) break;
    const std::size_t width = info < 24 ? 0 : std::size_t{1} << (info - 24);
    if (bytes.size() - at <= width) break;
    std::uint64_t length = major == kText && width == 0 ? info : 0;
    for (std::size_t i = 1; major == kText && i <= width; ++i)
      length = length << 8U | static_cast<unsigned char>(bytes[at + i]);
    if (length > bytes.size() - at - 1 - width) break;
    at += 1 + width + length;
    if (!level.endless) --level.left;
    level.key_next = level.map && !level.key_next;
  }
  source_.advance(at);
}

void CborTokens::string(const Head& head, Token& token) {
  if (head.info == kEndless)
    fail("a string of indefinite length", "a string that begins with its length");
  if (head.argument > source_.left())
    fail(fmt::format("a string of {} bytes, of which {} are there", head.argument, source_.left()),
         "a complete CBOR document");
  if (!source_.require(head.argument)) fail_short();
  token.kind = head.major == kText ? Token::Kind::kText : Token::Kind::kBinary;
  token.text = source_.unread().substr(0, head.argument);
  source_.advance(head.argument);
}

void CborTokens::open(const Head& head, Token& token) {
  if (levels_.size() >= nesting_)
    throw FormatError(file_, "the document", "values nested too deeply",
                      fmt::format("at most {} levels", nesting_));
  const bool map = head.major == kMap;
  const bool endless = head.info == kEndless;
  // Each takes a byte at least.
  if (!endless && head.argument > source_.left() / (map ? 2 : 1))
    fail(fmt::format("{} of {} and {} bytes behind it", map ? "a map" : "an array", head.argument,
                     source_.left()),
         "a complete CBOR document");
  levels_.push_back({endless ? 0 : head.argument * (map ? 2 : 1), map, endless, map});
  token.kind = map ? Token::Kind::kObject : Token::Kind::kArray;
}

void CborTokens::simple(const Head& head, Token& token) {
  switch (head.info) {
    case 20:
    case 21:
      token.kind = Token::Kind::kBoolean;
      token.boolean = head.info == 21;
      return;
    case 22:
      token.kind = Token::Kind::kNull;
      return;
    case 25:
      token.real = half(head.argument);
      break;
    case 26:
      token.real = std::bit_cast<float>(static_cast<std::uint32_t>(head.argument));
      break;
    case 27:
      token.real = std::bit_cast<double>(head.argument);
      break;
    case kEndless:
      fail("the end of something that is not open", "a value");
    default:
      fail("a simple value that has no meaning", "a value");
  }
  token.kind = Token::Kind::kReal;
}

}  // namespace huddle
