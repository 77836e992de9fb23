#include "profiles/formats/document/json_tokens.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Stands for the end of the document, where no JSON has it.
constexpr char kNothing = '\0';

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_part_of_number(char c) {
  return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - begin;
  };
  const auto take = [&](std::string_view any_of) {
    if (at == text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
    ++at;
    return true;
  };
  take("-");
  const std::size_t begin = at;
  const std::size_t length = digits();
  if (length == 0 || (length > 1 && text[begin] == '0')) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

void JsonTokens::fail(std::string_view expected) {
  const char c = peek();
  throw FormatError(
      file_, fmt::format("byte {}", source_.position() + 1),
      source_.left() == 0 ? std::string("the end of the file") : fmt::format("'{}'", c), expected);
}

void JsonTokens::restart() {
  levels_.clear();
  begun_ = false;
}

char JsonTokens::peek() {
  return source_.require(1) ? source_.unread().front() : kNothing;
}

char JsonTokens::peek_behind_space() {
  char c = peek();
  while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
    source_.advance(1);
    c = peek();
  }
  return c;
}

void JsonTokens::next(Token& token) {
  if (levels_.empty() && begun_) {
    peek_behind_space();
    if (source_.left() > 0) fail("the end of the document");
    token.kind = Token::Kind::kEnd;
    return;
  }
  begun_ = true;
  if (!levels_.empty() && !levels_.back().value_next) {
    if (close_or_separate(token)) return;
    if (levels_.back().object) return key(token);
  }
  if (!levels_.empty()) levels_.back().value_next = false;
  value(token);
}

// Before an element or a key.
bool JsonTokens::close_or_separate(Token& token) {
  Level& level = levels_.back();
  const char end = level.object ? '}' : ']';
  const char c = peek_behind_space();
  if (c == end) {
    close(token);
    return true;
  }
  if (level.first) {
    level.first = false;
    return false;
  }
  if (c != ',') fail(fmt::format("',' or '{}'", end));
  source_.advance(1);
  return false;
}

void JsonTokens::key(Token& token) {
  if (peek_behind_space() != '"') fail("a name in quotes");
  string(token);
  decoded_ = token.text;  // looking for the colon may move the window
  token.text = decoded_;
  token.kind = Token::Kind::kKey;
  if (peek_behind_space() != ':') fail("':'");
  source_.advance(1);
  levels_.back().value_next = true;
}

void JsonTokens::value(Token& token) {
  switch (peek_behind_space()) {
    case '{':
      return open(true, token);
    case '[':
      return open(false, token);
    case '"':
      string(token);
      token.kind = Token::Kind::kText;
      return;
    case 't':
    case 'f':
      token.boolean = peek() == 't';
      word(token.boolean ? "true" : "false");
      token.kind = Token::Kind::kBoolean;
      return;
    case 'n':
      word("null");
      token.kind = Token::Kind::kNull;
      return;
    default:
      return number(token);
  }
}

void JsonTokens::open(bool object, Token& token) {
  if (levels_.size() >= nesting_)
    throw FormatError(file_, "the document", "values nested too deeply",
                      fmt::format("at most {} levels", nesting_));
  source_.advance(1);
  levels_.push_back({object});
  token.kind = object ? Token::Kind::kObject : Token::Kind::kArray;
}

void JsonTokens::close(Token& token) {
  source_.advance(1);
  levels_.pop_back();
  token.kind = Token::Kind::kClose;
}

void JsonTokens::word(std::string_view word) {
  source_.require(word.size());
  if (!source_.unread().starts_with(word)) fail("a value");
  source_.advance(word.size());
}

void JsonTokens::number(Token& token) {
  std::size_t length = 0;
  while (source_.require(length + 1) && is_part_of_number(source_.unread()[length])) ++length;
  const std::string_view text = source_.unread().substr(0, length);
  if (!is_number(text)) fail("a value");
  const char* const end = text.data() + text.size();
  const bool negative = text.front() == '-';
  const auto [behind, failure] =
      std::from_chars(text.data() + (negative ? 1 : 0), end, token.whole);
  if (failure == std::errc{} && behind == end && !(negative && token.whole == 0)) {
    token.kind = negative ? Token::Kind::kNegative : Token::Kind::kWhole;
    if (negative) --token.whole;
  } else {
    token.kind = Token::Kind::kReal;
    if (std::from_chars(text.data(), end, token.real).ec != std::errc{})
      fail(fmt::format("a number that is in range, not {}", shortened(text)));
  }
  source_.advance(length);
}

void JsonTokens::string(Token& token) {
  std::size_t at = 1;  // behind the quote
  bool plain = true;
  for (;; ++at) {
    if (at >= source_.unread().size() && !source_.require(at + 1)) {
      source_.advance(source_.unread().size());  // `at` may be behind it, after a backslash
      fail("the end of a text");
    }
    const char c = source_.unread()[at];
    if (c == '"') break;
    plain = plain && c >= ' ' && c <= '~' && c != '\\';
    if (c == '\\') ++at;
  }
  const std::string_view quoted = source_.unread().substr(0, at + 1);
  if (plain)
    token.text = quoted.substr(1, at - 1);
  else
    decode(quoted, token);
  source_.advance(at + 1);
}

// A text that is more than printable ASCII.
void JsonTokens::decode(std::string_view quoted, Token& token) {
  const auto text = nlohmann::json::parse(quoted.begin(), quoted.end(), nullptr, false);
  if (!text.is_string()) fail("a text of valid escapes and UTF-8 without control characters");
  decoded_ = text.get_ref<const std::string&>();
  token.text = decoded_;
}

}  // namespace huddle
