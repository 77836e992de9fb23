#include "aggregator/forecast/table/detail/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{1} << 14U;
constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::size_t kLongestRecord = std::size_t{16} << 20U;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool separates(char c, char separator) {
  if (separator == 0) return c == ',' || c == ';' || c == '|' || is_blank(c);
  return separator == ' ' ? is_blank(c) : c == separator;
}

std::size_t end_of_blanks(std::string_view text, std::size_t at, char separator) {
  while (at < text.size() && is_blank(text[at]) && text[at] != separator) ++at;
  return at;
}

// Behind the quote that closes the one at `open`; beyond the text if none does.
std::size_t behind_quotes(std::string_view text, std::size_t open) {
  std::size_t at = open + 1;
  while (true) {
    at = text.find('"', at);
    if (at == std::string_view::npos) return text.size() + 1;
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
    at += 2;
  }
}

std::size_t next_separator(std::string_view text, std::size_t at, char separator) {
  if (separator != ' ' && separator != 0) return std::min(text.find(separator, at), text.size());
  while (at < text.size() && !separates(text[at], separator)) ++at;
  return at;
}

// Whether a line ends within a quoted field, so that its record goes on in the next line. A quote
// opens a field only where one begins. `separator` 0: any of , ; | blank and tab.
bool ends_in_quotes(std::string_view line, char separator) {
  if (line.find('"') == std::string_view::npos) return false;
  for (std::size_t at = 0; at < line.size();) {
    at = end_of_blanks(line, at, separator);
    if (at < line.size() && line[at] == '"') at = behind_quotes(line, at);
    if (at > line.size()) return true;
    at = next_separator(line, at, separator) + 1;
  }
  return false;
}

}  // namespace

std::string_view take_field(std::string_view& rest, char separator, bool& more) {
  std::size_t first = end_of_blanks(rest, 0, separator == ' ' ? '\0' : separator);
  std::size_t end = first;
  if (first < rest.size() && rest[first] == '"')
    end = std::min(behind_quotes(rest, first), rest.size());
  end = next_separator(rest, end, separator);
  const std::string_view field = rest.substr(first, end - first);
  more = end < rest.size();
  std::size_t next = more ? end + 1 : end;
  if (separator == ' ') {
    next = end_of_blanks(rest, end, '\0');
    more = next < rest.size();
  }
  rest.remove_prefix(next);
  return field;
}

std::vector<std::string_view> fields_of(std::string_view record, char separator) {
  std::vector<std::string_view> fields;
  if (is_blank_record(record)) return fields;
  for (bool more = true; more;) fields.push_back(take_field(record, separator, more));
  return fields;
}

std::string_view content_of(std::string_view field, std::string& buffer) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  field = field.substr(1, field.size() - 2);
  if (field.find('"') == std::string_view::npos) return field;
  buffer.clear();
  for (std::size_t at = 0; at < field.size(); ++at) {
    buffer += field[at];
    if (field[at] == '"' && at + 1 < field.size() && field[at + 1] == '"') ++at;
  }
  return buffer;
}

bool is_blank_record(std::string_view record) {
  return std::ranges::all_of(record, is_blank);
}

bool is_empty_line(std::string_view record) {
  if (record.find_first_not_of(" \t-=+|:") != std::string_view::npos) return false;
  return record.find("---") != std::string_view::npos ||
         record.find("===") != std::string_view::npos || is_blank_record(record);
}

RecordSource::RecordSource(Read read, std::string file)
    : read_(std::move(read)), file_(std::move(file)), buffer_(kFirstBlock) {}

// Reads once. What is before the next record is given up for it.
bool RecordSource::fill() {
  if (at_end_) return false;
  if (next_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
    filled_ -= next_;
    begin_ = end_ = next_ = 0;
  }
  if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = read_(buffer_.data() + filled_, buffer_.size() - filled_);
  filled_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

std::string_view RecordSource::ahead() {
  while (filled_ - next_ < kBlock && fill()) {
  }
  return {buffer_.data() + next_, filled_ - next_};
}

// From the next record's `from`-th byte on; the end of the file if there is none before it.
std::size_t RecordSource::find_line_end(std::size_t from) {
  while (true) {
    const char* begin = buffer_.data() + next_ + from;
    const std::size_t size = filled_ - next_ - from;
    if (const void* found = size > 0 ? std::memchr(begin, '\n', size) : nullptr)
      return from + static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    from += size;
    if (from > kLongestRecord)
      throw FormatError(file_, fmt::format("line {}", line_),
                        fmt::format("more than {} MiB without an end", kLongestRecord >> 20U),
                        "lines of some numbers: a text file with a row in each line");
    if (!fill()) return from;
  }
}

bool RecordSource::next() {
  line_ = lines_ + 1;
  if (next_ == filled_ && !fill()) {
    begin_ = end_ = next_;
    return false;
  }
  std::size_t length = find_line_end(0);
  ++lines_;
  while (ends_in_quotes({buffer_.data() + next_, length}, separator_)) {
    if (next_ + length >= filled_)
      throw FormatError(file_, fmt::format("line {}", line_), "a quote that is not closed",
                        "a second \" where the quoted field ends: the file may be cut short");
    length = find_line_end(length + 1);
    ++lines_;
  }
  begin_ = next_;
  end_ = begin_ + length;
  has_line_end_ = end_ < filled_;
  next_ = std::min(end_ + 1, filled_);
  if (end_ > begin_ && buffer_[end_ - 1] == '\r') --end_;
  return true;
}

void RecordSource::restart_record() {
  next_ = begin_;
  lines_ = line_ - 1;
}

}  // namespace huddle
