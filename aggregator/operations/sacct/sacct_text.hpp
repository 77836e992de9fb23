#pragma once

// The text that sacct prints: cells of a row, times, sizes, and lists of resources.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace huddle::operations {

/// Returns the part before `mark`, and takes it off `rest` with the mark; all of it if there is
/// none.
inline std::string_view next_part(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// The number that all of `text` is; nothing if it is none, or too large.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The seconds of "3-04:05:06", "04:05:06" or "05:06.789". Nothing for anything else.
std::optional<double> seconds_in(std::string_view text);

/// The bytes of "512", "1.5K", "20M", "3G", "1T" or "1P", powers of 1024. A number without a letter
/// is in units of `unit` bytes. Nothing for anything else.
std::optional<double> bytes_in(std::string_view text, double unit = 1);

/// The value of `resource` in a list of trackable resources, such as
/// "billing=96,cpu=96,gres/gpu=2,mem=180G,node=2"; empty if the list does not name it.
std::string_view resource_in(std::string_view list, std::string_view resource);

/// True if such a list has a resource whose name begins with `beginning` and that is not 0.
bool has_resource(std::string_view list, std::string_view beginning);

}  // namespace huddle::operations
