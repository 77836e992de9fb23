#include "spank_plugin/submission/asked/slurm_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::submission {
namespace {

// Returns what follows a number at the front of `text`, which goes to `number`; nothing without a
// number.
std::optional<std::string_view> read_number(std::string_view text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return std::nullopt;
  return std::string_view(rest, static_cast<std::size_t>(end - rest));
}

// Number of bits by which a unit's letter shifts; -1: there is no such unit.
int shift_of(std::string_view unit) {
  if (unit.empty()) return 20;
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t place = kUnits.find(static_cast<char>(unit[0] & ~0x20));
  const bool is_unit = unit.size() == 1 || unit.substr(1) == "B" || unit.substr(1) == "b";
  return is_unit && place != std::string_view::npos ? 10 * (static_cast<int>(place) + 1) : -1;
}

// The kind that one part of a value of --tres-per-task counts: "cpu" of "cpu=8", "gres/gpu" of
// "gres/gpu:a100=1".
std::string_view kind_of_tres(std::string_view part) {
  return part.substr(0, part.find_first_of(":="));
}

// The members that a part of a value of --array names: "7", "1-1000", "1-1000:2".
std::optional<std::uint64_t> members_in(std::string_view part) {
  std::uint64_t first = 0;
  auto rest = read_number(part, first);
  if (!rest || rest->empty()) return rest ? std::optional<std::uint64_t>(1) : std::nullopt;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
  if (!rest->starts_with('-') || !(rest = read_number(rest->substr(1), last))) return std::nullopt;
  if (rest->starts_with(':')) rest = read_number(rest->substr(1), step);
  if (!rest || !rest->empty() || last < first || step == 0) return std::nullopt;
  return (last - first) / step + 1;
}

}  // namespace

std::optional<Bytes> parse_memory(std::string_view text) {
  if (text.ends_with('?')) text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto unit = read_number(text, number);
  if (!unit || number == 0) return std::nullopt;
  const int shift = shift_of(*unit);
  if (shift < 0 || number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return Bytes{number << shift};
}

std::optional<Seconds> parse_time_limit(std::string_view text) {
  constexpr double kDay = 86400;
  std::uint64_t days = 0;
  const bool has_days = text.find('-') != std::string_view::npos;
  if (has_days) {
    const auto rest = read_number(text, days);
    if (!rest || !rest->starts_with('-')) return std::nullopt;
    text = rest->substr(1);
  }
  std::array<std::uint64_t, 3> parts{};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == parts.size()) return std::nullopt;
    const auto rest = read_number(text, parts[count]);
    if (!rest || (!rest->empty() && rest->front() != ':')) return std::nullopt;
    more = !rest->empty();
    text = more ? rest->substr(1) : *rest;
  }
  const auto [a, b, c] = parts;
  // "5" and "5:30" are minutes, unless days stand in front.
  const double hours = static_cast<double>(has_days || count == 3 ? a : 0);
  const double minutes = static_cast<double>(has_days || count == 3 ? b : a);
  const double seconds = static_cast<double>(has_days || count == 3 ? c : b);
  return Seconds{static_cast<double>(days) * kDay + hours * 3600 + minutes * 60 + seconds};
}

std::optional<std::vector<std::uint32_t>> parse_tasks_per_node(std::string_view text) {
  constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 20U;
  std::vector<std::uint32_t> tasks;
  for (;;) {
    std::uint64_t count = 0;
    auto rest = read_number(text, count);
    if (!rest || count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    std::uint64_t nodes = 1;
    if (rest->starts_with("(x")) {
      rest = read_number(rest->substr(2), nodes);
      if (!rest || !rest->starts_with(')')) return std::nullopt;
      rest->remove_prefix(1);
    }
    if (nodes > kMostNodes - tasks.size()) return std::nullopt;
    tasks.insert(tasks.end(), nodes, static_cast<std::uint32_t>(count));
    if (rest->empty()) return tasks;
    if (!rest->starts_with(',')) return std::nullopt;
    text = rest->substr(1);
  }
}

std::string text_of_tasks_per_node(const std::vector<std::uint32_t>& tasks) {
  std::string text;
  for (std::size_t begin = 0; begin < tasks.size();) {
    std::size_t end = begin + 1;
    while (end < tasks.size() && tasks[end] == tasks[begin]) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[begin]);
    if (end - begin > 1) text += fmt::format("(x{})", end - begin);
    begin = end;
  }
  return text;
}

std::optional<std::uint32_t> parse_array_size(std::string_view text) {
  text = text.substr(0, text.find('%'));
  std::uint64_t members = 0;
  while (!text.empty()) {
    const auto more = members_in(take_until(text, ','));
    if (!more || *more > std::numeric_limits<std::uint32_t>::max() - members) return std::nullopt;
    members += *more;
  }
  return members == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(members));
}

std::string tres_without_cpus(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::string_view part = take_until(text, ',');
    if (kind_of_tres(part) == "cpu") continue;
    if (!rest.empty()) rest += ',';
    rest += part;
  }
  return rest;
}

TresPerTask parse_tres_per_task(std::string_view text) {
  TresPerTask tres;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view kind = kind_of_tres(part);
    std::uint64_t count = 0;
    if (kind == "cpu" && part.size() > kind.size()) {
      const auto rest = read_number(part.substr(kind.size() + 1), count);
      if (rest && rest->empty() && count > 0 && count <= std::numeric_limits<std::uint32_t>::max())
        tres.cpus = static_cast<std::uint32_t>(count);
    }
    tres.has_devices = tres.has_devices || kind.starts_with("gres");
  }
  return tres;
}

}  // namespace huddle::submission
