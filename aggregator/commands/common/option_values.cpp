#include "aggregator/commands/common/option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle {
namespace {

constexpr std::string_view kCounts =
    "whole numbers of at least 1, such as 1,2,4 or 1-48 or 1-48:4 (each fourth)";
constexpr std::string_view kFrequencies =
    "frequencies such as 1.2GHz,2.4GHz or 1.2GHz-2.4GHz:200MHz (with a step)";
// Beyond it a list is a mistake.
constexpr std::size_t kMostNumbers = 100'000;

std::optional<double> count_of(std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0) return std::nullopt;
  return count;
}

std::optional<double> gigahertz_of(std::string_view text) {
  const std::optional<Hertz> frequency = parse_frequency(text);
  if (!frequency || !(frequency->value >= 1e6)) return std::nullopt;
  return frequency->value / 1e9;
}

// "1.2-2.4GHz": the unit of the second one counts for the first one, too.
std::string with_unit_of(std::string_view number, std::string_view other) {
  const std::size_t unit = other.find_last_of(".0123456789");
  const bool bare = number.find_first_not_of(" .0123456789") == std::string_view::npos;
  return std::string(number) + std::string(bare && unit != std::string_view::npos
                                               ? other.substr(unit + 1)
                                               : std::string_view());
}

// How one kind of number is read.
struct Kind {
  std::function<std::optional<double>(std::string_view)> parse;
  /// Step of a range without one; 0: it needs one.
  double step = 0;
  std::string_view expected;
};

class List {
 public:
  List(const std::string& option, const std::string& text, const Kind& kind)
      : option_(option), text_(text), kind_(kind) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      take(rest.substr(0, comma));
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  [[nodiscard]] std::vector<double> numbers() const { return {numbers_.begin(), numbers_.end()}; }

 private:
  [[noreturn]] void refuse() const {
    throw UsageError(fmt::format("{} {}: expected {}", option_, shortened(text_), kind_.expected));
  }

  double number(std::string_view text) const {
    const std::optional<double> parsed = kind_.parse(text);
    if (!parsed) refuse();
    return *parsed;
  }

  void take(std::string_view part) {
    const std::size_t dash = part.find('-', 1);
    if (dash == std::string_view::npos) {
      numbers_.insert(number(part));
      return;
    }
    const std::size_t colon = part.find(':', dash);
    const std::string_view last =
        part.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1);
    const double step =
        colon == std::string_view::npos ? kind_.step : number(part.substr(colon + 1));
    take_range(number(with_unit_of(part.substr(0, dash), last)), number(last), step);
  }

  void take_range(double first, double last, double step) {
    if (!(step > 0) || first > last) refuse();
    const double steps = (last - first) / step + 1e-9;
    if (!(steps < kMostNumbers))
      throw UsageError(fmt::format("{} {}: these are more than {} numbers", option_,
                                   shortened(text_), kMostNumbers));
    // Rounded to what was meant: 1.2 + 3 x 0.2 is 1.8.
    for (std::size_t i = 0; static_cast<double>(i) <= steps; ++i)
      numbers_.insert(std::round((first + static_cast<double>(i) * step) * 1e9) / 1e9);
  }

  const std::string& option_;
  const std::string& text_;
  const Kind& kind_;
  std::set<double> numbers_;
};

}  // namespace

double share_from(const std::string& option, const std::string& text) {
  const auto share = parse_share(text);
  if (!share)
    throw UsageError(fmt::format("{} {}: expected a share from 0 to 1 such as 5% or 0.05", option,
                                 shortened(text)));
  return *share;
}

Seconds duration_from(const std::string& option, const std::string& text) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double factor = unit.empty() || unit == "s" ? 1
                        : unit == "m"               ? kMinute
                        : unit == "h"               ? kHour
                                                    : 0;
  const double seconds = number * factor;
  if (failure != std::errc{} || !(seconds > 0) || !std::isfinite(seconds))
    throw UsageError(
        fmt::format("{} {}: expected a time such as 90s, 10m or 1h", option, shortened(text)));
  return Seconds{seconds};
}

std::vector<double> counts_from(const std::string& option, const std::string& text) {
  return List(option, text, {count_of, 1, kCounts}).numbers();
}

std::vector<double> frequencies_listed(const std::string& option, const std::string& text) {
  return List(option, text, {gigahertz_of, 0, kFrequencies}).numbers();
}

ProcessesThreads processes_and_threads_from(const std::string& option, const std::string& text) {
  const std::string_view all = text;
  const std::size_t at = all.find('@');
  const std::string_view counts = all.substr(0, at);
  const std::size_t x = counts.find('x');
  const std::optional<double> processes = count_of(counts.substr(0, x));
  const std::optional<double> threads =
      x == std::string_view::npos ? std::nullopt : count_of(counts.substr(x + 1));
  const std::optional<double> frequency =
      at == std::string_view::npos ? std::optional<double>(0) : gigahertz_of(all.substr(at + 1));
  if (!processes || !threads || !frequency)
    throw UsageError(fmt::format(
        "{} {}: expected processes x threads such as 16x4, maybe with a frequency: 16x4@2.4GHz",
        option, shortened(text)));
  return {*processes, *threads, *frequency};
}

Error with_option(const NotFound& error) {
  switch (error.which()) {
    case NotFound::What::kHosts:
      return Error(fmt::format("{}: name them by --hosts", error.what()));
    case NotFound::What::kRecorder:
      return Error(fmt::format("{}: install it, or name it by --recorder", error.what()));
    case NotFound::What::kProgram:
      break;
  }
  return Error(fmt::format("{}: install it, or name it by --program", error.what()));
}

}  // namespace huddle
