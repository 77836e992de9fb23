#include "profiles/formats/document/document_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

using Kind = Token::Kind;

DocumentReader::DocumentReader(std::string_view bytes, std::string_view file,
                               const DocumentLimits& limits)
    : file_(file), source_(bytes), tokens_(choose_tokens(limits)) {}

DocumentReader::DocumentReader(const std::filesystem::path& path, const DocumentLimits& limits)
    : file_(path.string()), source_(path, limits.file_bytes), tokens_(choose_tokens(limits)) {}

DocumentReader::Tokens DocumentReader::choose_tokens(const DocumentLimits& limits) {
  if (!source_.require(1))
    throw FormatError(file_, "the file", "nothing in it", "a huddle document");
  if (begins_json(source_.unread().front()))
    return Tokens(std::in_place_type<JsonTokens>, source_, file_, limits.nesting);
  return Tokens(std::in_place_type<CborTokens>, source_, file_, limits.nesting);
}

const Token& DocumentReader::peek() {
  if (peeked_) return token_;
  if (auto* const cbor = std::get_if<CborTokens>(&tokens_))
    cbor->next(token_);
  else
    std::get<JsonTokens>(tokens_).next(token_);
  peeked_ = true;
  return token_;
}

Kind DocumentReader::take() {
  const Kind kind = peek().kind;
  peeked_ = false;
  return kind;
}

void DocumentReader::skip() {
  auto* const cbor = std::get_if<CborTokens>(&tokens_);
  if (cbor != nullptr && !peeked_) return cbor->skip();
  std::size_t open = 0;
  do {
    const Kind kind = take();
    if (kind == Kind::kArray || kind == Kind::kObject) ++open;
    if (kind == Kind::kClose) --open;
  } while (open > 0);
}

void DocumentReader::open(Kind kind, std::string_view expected) {
  if (peek().kind != kind) fail_type(expected);
  peeked_ = false;
}

bool DocumentReader::next_key(std::string_view& key) {
  if (take() == Kind::kClose) return false;
  key = token_.text;
  return true;
}

// Taking it checks that there is nothing behind the document.
void DocumentReader::finish() {
  take();
}

void DocumentReader::return_to(std::uint64_t position) {
  source_.seek(position);
  peeked_ = false;
  std::visit([](auto& tokens) { tokens.restart(); }, tokens_);
}

std::uint64_t DocumentReader::unsigned_integer(std::uint64_t largest) {
  if (peek().kind != Kind::kWhole || token_.whole > largest)
    fail_type(largest == std::numeric_limits<std::uint64_t>::max()
                  ? std::string("a whole number, 0 or more")
                  : fmt::format("a whole number from 0 to {}", largest));
  peeked_ = false;
  return token_.whole;
}

double DocumentReader::number() {
  double value = 0;
  switch (peek().kind) {
    case Kind::kWhole:
      value = static_cast<double>(token_.whole);
      break;
    case Kind::kNegative:
      value = -1 - static_cast<double>(token_.whole);
      break;
    case Kind::kReal:
      value = token_.real;
      break;
    default:
      fail_type("a finite number");
  }
  if (!std::isfinite(value)) fail_type("a finite number");
  peeked_ = false;
  return value;
}

double DocumentReader::non_negative() {
  const double value = number();
  if (value < 0) fail_value("a number, 0 or more");
  return value;
}

bool DocumentReader::boolean() {
  if (peek().kind != Kind::kBoolean) fail_type("true or false");
  peeked_ = false;
  return token_.boolean;
}

std::string_view DocumentReader::text() {
  if (peek().kind != Kind::kText) fail_type("a text");
  peeked_ = false;
  return token_.text;
}

bool DocumentReader::null() {
  if (peek().kind != Kind::kNull) return false;
  peeked_ = false;
  return true;
}

// Of the array or object that was just opened.
std::size_t DocumentReader::children() {
  std::size_t count = 0;
  for (; take() != Kind::kClose; ++count) {
    // A key, or the begin of an element: what belongs to it goes as well.
    const Kind kind = token_.kind;
    if (kind == Kind::kKey) skip();
    if (kind == Kind::kArray || kind == Kind::kObject) {
      peeked_ = true;
      skip();
    }
  }
  return count;
}

std::string DocumentReader::found() {
  switch (token_.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return token_.boolean ? "true" : "false";
    case Kind::kWhole:
      return fmt::format("{}", token_.whole);
    case Kind::kNegative:
      return token_.whole == std::numeric_limits<std::uint64_t>::max()
                 ? std::string("-18446744073709551616")
                 : fmt::format("-{}", token_.whole + 1);
    case Kind::kReal:
      return fmt::format("{}", token_.real);
    case Kind::kText:
      return fmt::format("\"{}\"", shortened(token_.text, 100));
    case Kind::kBinary:
      return fmt::format("{} raw bytes", token_.text.size());
    case Kind::kArray:
      return fmt::format("an array of {}", children());
    case Kind::kObject:
      return fmt::format("an object of {}", children());
    default:
      return "nothing";
  }
}

std::string DocumentReader::place(std::string_view inside) const {
  std::string text;
  for (const Step& step : path_) {
    if (step.name.empty())
      text += fmt::format("[{}]", step.index);
    else
      text += fmt::format("{}{}", text.empty() ? "" : ".", step.name);
  }
  if (text.empty() && inside.starts_with('.')) inside.remove_prefix(1);
  text += inside;
  return text.empty() ? "the document" : "field " + text;
}

void DocumentReader::fail(std::string_view found, std::string_view expected,
                          std::string_view inside) const {
  throw FormatError(file_, place(inside), found, expected);
}

void DocumentReader::fail_missing(std::string_view name) const {
  fail("nothing", "this field", fmt::format(".{}", name));
}

void DocumentReader::fail_twice() const {
  fail("this field a second time", "it only once");
}

void DocumentReader::fail_value(std::string_view expected) {
  fail(found(), expected);
}

// Of the value that was looked at: to say how large it is, it is read.
void DocumentReader::fail_type(std::string_view expected) {
  peeked_ = false;
  fail(found(), expected);
}

void DocumentReader::fail_too_many(std::size_t visited, std::string_view expected) {
  path_.pop_back();
  for (; peek().kind != Kind::kClose; ++visited) skip();
  fail(fmt::format("an array of {}", visited), expected);
}

}  // namespace huddle
