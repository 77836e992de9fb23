#include "profiles/formats/document/document.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/document/detail/document_parser.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Kind = ValueTape::Kind;

void check_head(const Field& root, std::string_view name, unsigned version) {
  const std::string expected = fmt::format("huddle/{}", name);
  if (const Field format = root.at("format"); format.text() != expected)
    format.fail(fmt::format("\"{}\"", expected));
  if (const Field found = root.at("version"); found.unsigned_integer() != version)
    found.fail(fmt::format("{}, the version that this huddle reads", version));
}

// A file of another format shall not be taken apart before that is noticed.
StreamedArray with_head_checked(const StreamedArray& streamed, std::string_view name,
                                unsigned version) {
  StreamedArray checked = streamed;
  checked.begin = [&streamed, name, version](const Field& before, std::uint64_t bytes_left) {
    if (before.has("format") && before.has("version")) check_head(before, name, version);
    return streamed.begin(before, bytes_left);
  };
  return checked;
}

void read(ByteSource source, std::string_view name, unsigned version, const DocumentLimits& limits,
          const StreamedArray* streamed, ValueTape& tape) {
  if (streamed == nullptr) {
    parse_document(source, limits, nullptr, tape);
  } else {
    const StreamedArray checked = with_head_checked(*streamed, name, version);
    parse_document(source, limits, &checked, tape);
  }
  check_head(Field(tape, 0), name, version);
}

}  // namespace

// Looks at all members, since one that is there twice is an error.
std::size_t Field::find(std::string_view key) const {
  if (value().kind != Kind::kObject) fail("an object");
  const std::size_t end = tape_->behind(index_);
  std::size_t found = 0;
  for (std::size_t at = index_ + 1; at + 1 < end; at = tape_->behind(at + 1)) {
    if (tape_->text(tape_->values[at]) != key) continue;
    if (found != 0) Field(*tape_, at + 1).fail("this field a second time", "it only once");
    found = at + 1;
  }
  return found;
}

Field Field::at(std::string_view key) const {
  const std::size_t found = find(key);
  if (found != 0) return {*tape_, found};
  const std::string outer = place();
  throw FormatError(tape_->file, fmt::format("field {}{}{}", outer, outer.empty() ? "" : ".", key),
                    "nothing", "this field");
}

bool Field::has(std::string_view key) const {
  const std::size_t found = find(key);
  return found != 0 && tape_->values[found].kind != Kind::kNull;
}

void Field::fail_unsigned(std::uint64_t largest) const {
  fail(largest == std::numeric_limits<std::uint64_t>::max()
           ? std::string("a whole number, 0 or more")
           : fmt::format("a whole number from 0 to {}", largest));
}

double Field::number() const {
  const ValueTape::Value& found = value();
  double number = std::numeric_limits<double>::quiet_NaN();
  if (found.kind == Kind::kReal) number = std::bit_cast<double>(found.bits);
  if (found.kind == Kind::kUnsigned) number = static_cast<double>(found.bits);
  if (found.kind == Kind::kSigned)
    number = static_cast<double>(static_cast<std::int64_t>(found.bits));
  if (!std::isfinite(number)) fail("a finite number");
  return number;
}

double Field::non_negative() const {
  const double value = number();
  if (value < 0) fail("a number, 0 or more");
  return value;
}

bool Field::boolean() const {
  if (value().kind != Kind::kTrue && value().kind != Kind::kFalse) fail("true or false");
  return value().kind == Kind::kTrue;
}

std::string Field::text() const {
  if (value().kind != Kind::kText) fail("a text");
  return std::string(tape_->text(value()));
}

std::size_t Field::array_size() const {
  if (!is_array()) fail("an array");
  return value().size;
}

Field Field::element(std::size_t index) const {
  if (array_size() <= index) fail(fmt::format("an array of at least {} elements", index + 1));
  std::size_t at = index_ + 1;
  if (tape_->behind(index_) - at == value().size) return {*tape_, at + index};  // numbers, texts
  for (std::size_t i = 0; i < index; ++i) at = tape_->behind(at);
  return {*tape_, at};
}

void Field::for_each_member(
    const std::function<void(const std::string& name, const Field& value)>& visit) const {
  if (value().kind != Kind::kObject) fail("an object");
  std::vector<std::pair<std::string_view, std::size_t>> members;
  const std::size_t end = tape_->behind(index_);
  for (std::size_t at = index_ + 1; at + 1 < end; at = tape_->behind(at + 1))
    members.emplace_back(tape_->text(tape_->values[at]), at + 1);
  std::sort(members.begin(), members.end());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Field member(*tape_, members[i].second);
    if (i > 0 && members[i].first == members[i - 1].first)
      member.fail("this field a second time", "it only once");
    visit(std::string(members[i].first), member);
  }
}

std::string Field::found() const {
  const ValueTape::Value& found = value();
  switch (found.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
      return "false";
    case Kind::kTrue:
      return "true";
    case Kind::kUnsigned:
      return fmt::format("{}", found.bits);
    case Kind::kSigned:
      return fmt::format("{}", static_cast<std::int64_t>(found.bits));
    case Kind::kReal: {
      const auto real = std::bit_cast<double>(found.bits);  // 8.0 is no whole number
      return std::isfinite(real) ? nlohmann::json(real).dump() : fmt::format("{}", real);
    }
    case Kind::kText:
      return fmt::format("\"{}\"", shortened(tape_->text(found), 100));
    case Kind::kBinary:
      return fmt::format("{} raw bytes", found.size);
    case Kind::kArray:
      return fmt::format("an array of {}", found.size);
    case Kind::kObject:
      return fmt::format("an object of {}", found.size);
  }
  return "nothing";
}

// Nobody keeps it while a document is right: it is looked for from the root on.
std::string Field::place() const {
  const std::vector<ValueTape::Value>& values = tape_->values;
  std::string place = tape_->root_place;
  for (std::size_t outer = 0; outer != index_;) {
    const bool object = values[outer].kind == Kind::kObject;
    std::size_t element = outer == tape_->streamed ? tape_->streamed_element : 0;
    std::size_t at = outer + 1;
    const auto begins = [&] { return object ? at + 1 : at; };
    for (; tape_->behind(begins()) <= index_; ++element) at = tape_->behind(begins());
    if (object)
      place += fmt::format("{}{}", place.empty() ? "" : ".", tape_->text(values[at]));
    else
      place += fmt::format("[{}]", element);
    outer = begins();
  }
  return place;
}

void Field::fail(std::string_view found, std::string_view expected) const {
  const std::string place = this->place();
  throw FormatError(tape_->file, place.empty() ? "the document" : fmt::format("field {}", place),
                    found, expected);
}

Document Document::load(const std::filesystem::path& path, std::string_view name, unsigned version,
                        const DocumentLimits& limits, const StreamedArray* streamed) {
  Document document;
  document.tape_.file = path.string();
  read(ByteSource(path, limits.file_bytes), name, version, limits, streamed, document.tape_);
  return document;
}

Document Document::parse(std::string_view bytes, std::string_view file, std::string_view name,
                         unsigned version, const DocumentLimits& limits,
                         const StreamedArray* streamed) {
  Document document;
  document.tape_.file = file;
  if (bytes.size() > limits.file_bytes)
    throw FormatError(document.tape_.file, "the document", fmt::format("{} bytes", bytes.size()),
                      fmt::format("at most {}", limits.file_bytes));
  read(ByteSource(bytes), name, version, limits, streamed, document.tape_);
  return document;
}

Document Document::parse_value(std::string_view bytes, std::string_view file,
                               std::string_view place) {
  Document document;
  document.tape_.file = file;
  document.tape_.root_place = place;
  ByteSource source(bytes);
  parse_document(source, {}, nullptr, document.tape_);
  return document;
}

nlohmann::ordered_json new_document(std::string_view name, unsigned version) {
  return {{"format", fmt::format("huddle/{}", name)}, {"version", version}};
}

void save_json(const std::filesystem::path& path, const nlohmann::ordered_json& document) {
  files::AtomicFile file(path);
  file.write(document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

std::string utf8(std::string_view text) {
  const nlohmann::json quoted = std::string(text);
  return nlohmann::json::parse(
             quoted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

}  // namespace huddle
