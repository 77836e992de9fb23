#include "aggregator/forecast/table/csv_record.hpp"

#include <algorithm>

namespace huddle {
namespace {

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

}  // namespace

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
  if (std::ranges::all_of(record, is_blank)) return fields;
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

}  // namespace huddle
