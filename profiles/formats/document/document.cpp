#include "profiles/formats/document/document.hpp"

#include <fmt/format.h>

#include <cmath>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using nlohmann::json;

// Builds the value while it counts nesting: the library's own CBOR reader recurses as deep as a
// hostile file says.
class LimitedBuilder : public nlohmann::json_sax<json> {
 public:
  LimitedBuilder(std::string_view file, unsigned nesting) : file_(file), nesting_(nesting) {}

  bool null() override { return place(nullptr); }
  bool boolean(bool v) override { return place(v); }
  bool number_integer(number_integer_t v) override { return place(v); }
  bool number_unsigned(number_unsigned_t v) override { return place(v); }
  bool number_float(number_float_t v, const string_t&) override { return place(v); }
  bool string(string_t& v) override { return place(std::move(v)); }
  bool binary(binary_t& v) override { return place(json::binary(std::move(v))); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& v) override {
    keys_.push_back(std::move(v));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string_view reason = error.what();
    if (const auto colon = reason.find("syntax error"); colon != std::string_view::npos)
      reason.remove_prefix(colon);
    throw FormatError(file_, fmt::format("byte {}", position), reason,
                      "a complete JSON or CBOR document");
  }

  json take() { return std::move(root_); }

 private:
  json* attach(json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *stack_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    const std::string name = std::move(keys_.back());
    keys_.pop_back();
    return &(parent[name] = std::move(value));
  }
  bool place(json value) {
    attach(std::move(value));
    return true;
  }
  bool open(json value) {
    if (stack_.size() >= nesting_)
      throw FormatError(file_, "the document", "values nested too deeply",
                        fmt::format("at most {} levels", nesting_));
    stack_.push_back(attach(std::move(value)));
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  std::string_view file_;
  unsigned nesting_;
  json root_;
  std::vector<json*> stack_;
  std::vector<std::string> keys_;
};

// The library's CBOR reader recurses into texts and byte strings of indefinite length without
// asking the builder. No writer of profiles needs them. Heads follow one another without regard to
// nesting, so one pass finds them; what is otherwise broken is left to the parser.
void refuse_endless_strings(std::string_view bytes, std::string_view file) {
  constexpr unsigned kByteString = 2;
  constexpr unsigned kText = 3;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto head = static_cast<unsigned char>(bytes[at++]);
    const unsigned major = head >> 5U;
    const unsigned argument = head & 0x1fU;
    const bool string = major == kByteString || major == kText;
    if (string && argument == 0x1f)
      throw FormatError(file, fmt::format("byte {}", at), "a string of indefinite length",
                        "a string that begins with its length");
    std::uint64_t value = argument;
    if (argument >= 24 && argument <= 27) {
      const std::size_t width = std::size_t{1} << (argument - 24);
      value = 0;
      for (const char c : bytes.substr(at, width))
        value = value << 8U | static_cast<unsigned char>(c);
      at += width;
    }
    if (string && value > bytes.size()) return;
    if (string) at += value;
  }
}

// CBOR would take the letters of any text for numbers and strings, and complain of bytes far
// behind.
void refuse_other_text(std::string_view bytes, std::string_view file) {
  if (bytes.front() > ' ' && bytes.front() < 0x7f)
    throw FormatError(file, "byte 1", fmt::format("'{}'", bytes.front()),
                      "a complete JSON or CBOR document");
}

json parse_bytes(std::string_view bytes, std::string_view file, const DocumentLimits& limits) {
  LimitedBuilder builder(file, limits.nesting);
  const auto form =
      begins_json(bytes.front()) ? json::input_format_t::json : json::input_format_t::cbor;
  if (form == json::input_format_t::cbor) {
    refuse_other_text(bytes, file);
    refuse_endless_strings(bytes, file);
  }
  json::sax_parse(bytes.begin(), bytes.end(), &builder, form);
  return builder.take();
}

}  // namespace

Field Field::at(std::string_view key) const {
  const std::string inner = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  if (!value_->is_object()) fail("an object");
  const auto member = value_->find(std::string(key));
  if (member == value_->end())
    throw FormatError(file_, fmt::format("field {}", inner), "nothing", "this field");
  return {*member, file_, inner};
}

bool Field::has(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto member = value_->find(std::string(key));
  return member != value_->end() && !member->is_null();
}

std::uint64_t Field::unsigned_integer(std::uint64_t largest) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > largest)
    fail(largest == std::numeric_limits<std::uint64_t>::max()
             ? std::string("a whole number, 0 or more")
             : fmt::format("a whole number from 0 to {}", largest));
  return value_->get<std::uint64_t>();
}

double Field::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) fail("a finite number");
  return value_->get<double>();
}

double Field::non_negative() const {
  const double value = number();
  if (value < 0) fail("a number, 0 or more");
  return value;
}

bool Field::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

const std::string& Field::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get_ref<const std::string&>();
}

bool Field::is_array() const {
  return value_->is_array();
}

std::size_t Field::array_size() const {
  if (!value_->is_array()) fail("an array");
  return value_->size();
}

Field Field::element(std::size_t index) const {
  if (array_size() <= index) fail(fmt::format("an array of at least {} elements", index + 1));
  return {(*value_)[index], file_, fmt::format("{}[{}]", place_, index)};
}

void Field::for_each(const std::function<void(const Field&)>& visit) const {
  const std::size_t size = array_size();
  for (std::size_t i = 0; i < size; ++i) visit(element(i));
}

void Field::for_each_member(
    const std::function<void(const std::string& name, const Field& value)>& visit) const {
  if (!value_->is_object()) fail("an object");
  for (const auto& [name, value] : value_->items())
    visit(name, {value, file_, place_.empty() ? name : fmt::format("{}.{}", place_, name)});
}

std::string Field::found() const {
  if (value_->is_structured())
    return fmt::format("an {} of {}", value_->is_array() ? "array" : "object", value_->size());
  return value_->dump(-1, ' ', false, json::error_handler_t::replace);
}

void Field::fail(std::string_view expected) const {
  throw FormatError(file_, place_.empty() ? "the document" : fmt::format("field {}", place_),
                    found(), expected);
}

Document Document::parse(std::string_view bytes, std::string_view file, std::string_view name,
                         unsigned version, const DocumentLimits& limits) {
  Document document;
  document.file_ = file;
  if (bytes.empty()) throw FormatError(file, "the file", "nothing in it", "a huddle document");
  document.json_ = parse_bytes(bytes, document.file_, limits);
  const Field root = document.root();
  const std::string expected = fmt::format("huddle/{}", name);
  if (const Field format = root.at("format"); format.text() != expected)
    format.fail(fmt::format("\"{}\"", expected));
  if (const Field found = root.at("version"); found.unsigned_integer() != version)
    found.fail(fmt::format("{}, the version that this huddle reads", version));
  return document;
}

Document Document::load(const std::filesystem::path& path, std::string_view name, unsigned version,
                        const DocumentLimits& limits) {
  return parse(read_file(path, limits.file_bytes), path.string(), name, version, limits);
}

nlohmann::ordered_json new_document(std::string_view name, unsigned version) {
  return {{"format", fmt::format("huddle/{}", name)}, {"version", version}};
}

void save_json(const std::filesystem::path& path, const nlohmann::ordered_json& document) {
  AtomicFile file(path);
  file.write(document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

std::string utf8(std::string_view text) {
  const json quoted = std::string(text);
  return json::parse(quoted.dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

}  // namespace huddle
