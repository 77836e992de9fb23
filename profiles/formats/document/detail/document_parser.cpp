#include "profiles/formats/document/detail/document_parser.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <iterator>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using nlohmann::json;
using Kind = ValueTape::Kind;

constexpr std::size_t kWindowBytes = std::size_t{1} << 20U;

// The library's CBOR reader recurses into texts and byte strings of indefinite length without
// asking its caller. No writer of documents needs them. Heads follow one another without regard to
// nesting, so one look at all bytes finds them; what is otherwise broken is left to the library.
class EndlessStrings {
 public:
  // Throws FormatError if `bytes`, which come next, begin such a string.
  void refuse_in(std::string_view bytes, std::uint64_t document_bytes, std::string_view file) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (passed_ > 0) {
        const std::size_t skipped = std::min<std::uint64_t>(passed_, bytes.size() - at);
        passed_ -= skipped;
        at += skipped;
      } else if (argument_bytes_ > 0) {
        argument_ = argument_ << 8U | static_cast<unsigned char>(bytes[at++]);
        if (--argument_bytes_ == 0 && is_string_) passed_ = std::min(argument_, document_bytes);
      } else {
        const auto head = static_cast<unsigned char>(bytes[at++]);
        take_head(head, position_ + at, file);
        if (!is_string_ && argument_bytes_ <= bytes.size() - at) {  // as most are
          at += argument_bytes_;
          argument_bytes_ = 0;
        }
      }
    }
    position_ += bytes.size();
  }

 private:
  void take_head(unsigned head, std::uint64_t position, std::string_view file) {
    const unsigned major = head >> 5U;
    const unsigned info = head & 0x1fU;
    is_string_ = major == 2 || major == 3;
    if (is_string_ && info == 0x1f)
      throw FormatError(file, fmt::format("byte {}", position), "a string of indefinite length",
                        "a string that begins with its length");
    argument_ = 0;
    if (info >= 24 && info <= 27) argument_bytes_ = 1U << (info - 24);
    if (is_string_ && info < 24) passed_ = info;
  }

  std::uint64_t position_ = 0;
  std::uint64_t passed_ = 0;  // bytes of a string that are still to come
  std::uint64_t argument_ = 0;
  unsigned argument_bytes_ = 0;
  bool is_string_ = false;
};

// The range of bytes that the library reads from.
class Bytes {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  struct Input {
    ByteSource& source;
    std::string_view file;
    EndlessStrings* endless = nullptr;  // CBOR only

    bool fetch() {
      if (!source.fetch()) return false;
      if (endless != nullptr) endless->refuse_in({source.at, source.end}, source.size(), file);
      return true;
    }
  };

  Bytes() = default;
  explicit Bytes(Input& input) : input_(&input) {}

  reference operator*() const { return *input_->source.at; }
  Bytes& operator++() {
    ++input_->source.at;
    return *this;
  }
  Bytes operator++(int) {
    const Bytes before = *this;
    ++*this;
    return before;
  }
  // Only ever compared with the end.
  friend bool operator==(const Bytes& a, const Bytes& b) {
    if (a.input_ == b.input_) return true;
    Input& input = a.input_ != nullptr ? *a.input_ : *b.input_;
    return input.source.at == input.source.end && !input.fetch();
  }

 private:
  Input* input_ = nullptr;
};

// Puts what the library finds onto the tape, and counts nesting: the library's CBOR reader recurses
// as deep as a hostile file says.
class TapeWriter {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  TapeWriter(const ByteSource& source, bool cbor, unsigned nesting, const StreamedArray* streamed,
             ValueTape& tape)
      : source_(source), cbor_(cbor), nesting_(nesting), streamed_(streamed), tape_(tape) {}

  bool null() { return scalar(Kind::kNull); }
  bool boolean(bool value) { return scalar(value ? Kind::kTrue : Kind::kFalse); }
  bool number_integer(number_integer_t value) {
    // It lets numbers overflow that are below what it can hold.
    if (cbor_ && value >= 0) fail("a number below -9223372036854775808", "a number of 64 bits");
    return scalar(Kind::kSigned, 0, static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) { return scalar(Kind::kUnsigned, 0, value); }
  bool number_float(number_float_t value, const string_t& /*text*/) {
    return scalar(Kind::kReal, 0, std::bit_cast<std::uint64_t>(value));
  }
  bool string(string_t& value) {
    const std::uint64_t begin = tape_.texts.size();
    tape_.texts += value;
    return scalar(Kind::kText, value.size(), begin);
  }
  bool binary(binary_t& value) { return scalar(Kind::kBinary, value.size()); }
  bool key(string_t& value) {
    count_in(open_.back());
    push(Kind::kText, value.size(), tape_.texts.size());
    tape_.texts += value;
    return true;
  }
  bool start_object(std::size_t /*members*/) {
    open(Kind::kObject);
    return true;
  }
  bool start_array(std::size_t /*elements*/) {
    const bool streamed = begins_streamed();
    open(Kind::kArray);
    if (streamed) begin_streaming();
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    std::string_view reason = error.what();
    if (const auto colon = reason.find("syntax error"); colon != std::string_view::npos)
      reason.remove_prefix(colon);
    throw FormatError(tape_.file, fmt::format("byte {}", position),
                      source_.ended() ? "the end of the file" : reason,
                      cbor_ ? "a complete CBOR document" : "a complete JSON document");
  }

 private:
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(tape_.file, fmt::format("byte {}", source_.size() - source_.left()), found,
                      expected);
  }

  void push(Kind kind, std::size_t size, std::uint64_t bits) {
    if (size > std::numeric_limits<std::uint32_t>::max())
      fail(fmt::format("a text of {} bytes", size), "a shorter one");
    tape_.values.push_back({kind, static_cast<std::uint32_t>(size), bits});
  }

  // A member or an element of what is open at `index`.
  void count_in(std::size_t index) {
    if (++tape_.values[index].size == 0) fail("2^32 values", "fewer in one array or object");
  }

  void add(Kind kind, std::size_t size, std::uint64_t bits) {
    if (!open_.empty() && tape_.values[open_.back()].kind == Kind::kArray) count_in(open_.back());
    push(kind, size, bits);
  }

  bool scalar(Kind kind, std::size_t size = 0, std::uint64_t bits = 0) {
    add(kind, size, bits);
    if (!open_.empty() && open_.back() == tape_.streamed) end_element();
    return true;
  }

  void open(Kind kind) {
    if (open_.size() >= nesting_)
      throw FormatError(tape_.file, "the document", "values nested too deeply",
                        fmt::format("at most {} levels", nesting_));
    add(kind, 0, ValueTape::kOpen);
    open_.push_back(tape_.values.size() - 1);
  }

  bool close() {
    const std::size_t index = open_.back();
    tape_.values[index].bits = tape_.values.size();
    open_.pop_back();
    if (!open_.empty() && open_.back() == tape_.streamed) end_element();
    return true;
  }

  // True if the array that begins is the streamed member of the document. If that is there twice,
  // the second one stays on the tape, where it will be found.
  [[nodiscard]] bool begins_streamed() const {
    return streamed_ != nullptr && open_.size() == 1 && tape_.streamed == ValueTape::kOpen &&
           tape_.values.front().kind == Kind::kObject &&
           tape_.text(tape_.values.back()) == streamed_->name;
  }

  void begin_streaming() {
    tape_.streamed = tape_.values.size() - 1;
    texts_kept_ = tape_.texts.size();
    visits_ = streamed_->begin(Field(tape_, 0), source_.left());
  }

  void end_element() {
    if (visits_) streamed_->visit(Field(tape_, tape_.streamed + 1));
    ++tape_.streamed_element;
    tape_.values.resize(tape_.streamed + 1);
    tape_.texts.resize(texts_kept_);
  }

  const ByteSource& source_;
  bool cbor_;
  unsigned nesting_;
  const StreamedArray* streamed_;
  ValueTape& tape_;
  std::vector<std::size_t> open_;  // arrays and objects, the innermost last
  std::size_t texts_kept_ = 0;     // before the streamed array
  bool visits_ = false;
};

// No CBOR document of ours, which is a map, begins so.
bool begins_json(char first) {
  return std::string_view("{[\" \t\r\n").find(first) != std::string_view::npos;
}

}  // namespace

ByteSource::ByteSource(std::string_view bytes)
    : at(bytes.data()), end(at + bytes.size()), size_(bytes.size()), fetched_(size_) {}

ByteSource::ByteSource(const std::filesystem::path& path, std::uint64_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw SystemError("open", path.string(), errno);
  file_ = std::make_unique<files::OpenFile>(descriptor, path.string());
  const struct stat status = file_->status();
  if (!S_ISREG(status.st_mode))
    throw FormatError(path.string(), "the file", "something that is not a regular file",
                      "a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ > limit)
    throw FormatError(path.string(), "the file", fmt::format("{} bytes", size_),
                      fmt::format("at most {} bytes", limit));
}

bool ByteSource::fetch() {
  if (file_ != nullptr && fetched_ < size_)
    window_ = file_->read(std::min<std::uint64_t>(kWindowBytes, size_ - fetched_));
  else
    window_.clear();
  if (window_.empty()) {  // the end, or where the file was cut while we read
    ended_ = true;
    return false;
  }
  fetched_ += window_.size();
  at = window_.data();
  end = at + window_.size();
  return true;
}

void parse_document(ByteSource& source, const DocumentLimits& limits, const StreamedArray* streamed,
                    ValueTape& tape) {
  if (source.at == source.end && !source.fetch())
    throw FormatError(tape.file, "the file", "nothing in it", "a huddle document");
  const char first = *source.at;
  const bool cbor = !begins_json(first);
  // CBOR would take the letters of any text for numbers and strings, and complain of bytes far
  // behind.
  if (cbor && first > ' ' && first < 0x7f)
    throw FormatError(tape.file, "byte 1", fmt::format("'{}'", first),
                      "a complete JSON or CBOR document");
  EndlessStrings endless;
  Bytes::Input input{source, tape.file, cbor ? &endless : nullptr};
  if (cbor) endless.refuse_in({source.at, source.end}, source.size(), tape.file);
  TapeWriter writer(source, cbor, limits.nesting, streamed, tape);
  json::sax_parse(Bytes(input), Bytes(), &writer,
                  cbor ? json::input_format_t::cbor : json::input_format_t::json);
}

}  // namespace huddle
