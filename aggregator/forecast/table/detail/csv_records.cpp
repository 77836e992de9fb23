#include "aggregator/forecast/table/detail/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::size_t kLongestRecord = std::size_t{16} << 20U;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// The view is of `separator` itself, or lasts for ever.
std::string_view separators_of(const char& separator) {
  return separator == 0 ? std::string_view(",;|\t") : std::string_view(&separator, 1);
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
  return std::min(text.find_first_of(separators_of(separator), at), text.size());
}

// True if a line ends within a quoted field, so that its record goes on in the next line. A quote
// opens a field only where one begins. `separator` 0: any of , ; | and tab.
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
  const std::size_t first = end_of_blanks(rest, 0, separator);
  std::size_t end = first;
  if (first < rest.size() && rest[first] == '"')
    end = std::min(behind_quotes(rest, first), rest.size());
  end = next_separator(rest, end, separator);
  const std::string_view field = rest.substr(first, end - first);
  more = end < rest.size();
  rest.remove_prefix(more ? end + 1 : end);
  return field;
}

std::vector<std::string_view> fields_of(std::string_view record, char separator) {
  std::vector<std::string_view> fields;
  if (trimmed(record).empty()) return fields;
  for (bool more = true; more;) fields.push_back(take_field(record, separator, more));
  return fields;
}

std::string_view content_of(std::string_view field, std::string& buffer) {
  field = trimmed(field);
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

RecordSource::RecordSource(Read read, std::string file)
    : read_(std::move(read)), file_(std::move(file)) {}

// Reads once. What is before the next record is given up for it.
bool RecordSource::fill() {
  buffer_.erase(0, std::exchange(next_, 0));
  const std::size_t before = buffer_.size();
  buffer_ += read_(kBlock);
  return buffer_.size() > before;
}

// From the next record's `from`-th byte on; the end of the file if there is none before it.
std::size_t RecordSource::find_line_end(std::size_t from) {
  while (true) {
    const std::size_t end = buffer_.find('\n', next_ + from);
    if (end != std::string::npos) return end - next_;
    from = buffer_.size() - next_;
    if (from > kLongestRecord)
      throw FormatError(file_, fmt::format("line {}", line_),
                        fmt::format("more than {} MiB without an end", kLongestRecord >> 20U),
                        "lines of some numbers: a text file with a row in each line");
    if (!fill()) return from;
  }
}

bool RecordSource::next() {
  line_ = lines_ + 1;
  record_ = {};
  if (next_ == buffer_.size() && !fill()) return false;
  std::size_t length = find_line_end(0);
  if (line_ == 1 && std::string_view(buffer_).substr(next_).starts_with(kUtf8Mark)) {
    next_ += kUtf8Mark.size();
    length -= std::min(length, kUtf8Mark.size());
  }
  ++lines_;
  while (ends_in_quotes({buffer_.data() + next_, length}, separator_)) {
    if (next_ + length >= buffer_.size())
      throw FormatError(file_, fmt::format("line {}", line_), "a quote that is not closed",
                        "a second \" where the quoted field ends: the file may be cut short");
    length = find_line_end(length + 1);
    ++lines_;
  }
  record_ = std::string_view(buffer_).substr(next_, length);
  if (record_.ends_with('\r')) record_.remove_suffix(1);
  is_cut_ = next_ + length == buffer_.size();
  next_ = std::min(next_ + length + 1, buffer_.size());
  return true;
}

}  // namespace huddle::forecast
