#include "aggregator/forecast/sizes/sized_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::forecast {
namespace {

bool is_letter_option(std::string_view name) {
  return name.size() == 2 && name[0] == '-' && name[1] != '-';
}

}  // namespace

SizeArgument::SizeArgument(std::string text) : text_(std::move(text)) {
  const char* const end = text_.data() + text_.size();
  const auto [rest, failure] = std::from_chars(text_.data(), end, place_);
  const bool is_number = failure == std::errc{} && rest == end;
  if (!is_number) place_ = 0;
  if (text_.empty() || text_ == "=" || (is_number && place_ == 0))
    throw UsageError(
        fmt::format("{}: expected the number of an argument, from 1 "
                    "on, or the name of an option such as -n or --grid",
                    shortened(text_)));
}

std::optional<std::string_view> SizeArgument::text_in(
    const std::vector<std::string>& arguments) const {
  if (place_ != 0)
    return place_ <= arguments.size() ? std::optional<std::string_view>(arguments[place_ - 1])
                                      : std::nullopt;
  std::optional<std::string_view> found;
  const bool ends_in_equals = text_.ends_with('=');
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == text_ && !ends_in_equals && i + 1 < arguments.size())
      found = arguments[i + 1];
    else if (!argument.starts_with(text_) || argument.size() == text_.size())
      continue;
    else if (ends_in_equals)
      found = argument.substr(text_.size());
    else if (argument[text_.size()] == '=')
      found = argument.substr(text_.size() + 1);
    else if (is_letter_option(text_) && parse_problem_size(argument.substr(text_.size())))
      found = argument.substr(text_.size());  // -n64
  }
  return found;
}

double SizeArgument::in(const std::vector<std::string>& arguments) const {
  const std::optional<std::string_view> text = text_in(arguments);
  if (!text)
    throw Error(place_ == 0
                    ? fmt::format("has no {} with a value among its arguments", text_)
                    : fmt::format("has {} arguments, and no number {}", arguments.size(), place_));
  const std::optional<double> size = parse_problem_size(*text);
  if (!size)
    throw Error(fmt::format("has \"{}\" as its argument {}, which is not {}", shortened(*text),
                            text_, kProblemSizes));
  return *size;
}

double problem_size_of(const Profile& profile, const std::vector<SizeArgument>& places) {
  if (places.empty()) {
    if (profile.problem_size) return *profile.problem_size;
    throw Error(
        "has no problem size: name the argument that holds it, or record the program with its "
        "size");
  }
  double product = 1;
  for (const SizeArgument& place : places) product *= place.in(profile.arguments);
  if (product <= 0 || !std::isfinite(product))
    throw Error("has sizes among its arguments whose product is too large or too small");
  return product;
}

double event_total(const RankRecord& record, const std::string& event) {
  const auto place = static_cast<std::size_t>(
      std::find(record.events.begin(), record.events.end(), event) - record.events.begin());
  return place < record.event_totals.size() ? record.event_totals[place]
                                            : std::numeric_limits<double>::quiet_NaN();
}

bool same_program(const Profile& a, const Profile& b) {
  if (!a.build_id.empty() && !b.build_id.empty()) return a.build_id == b.build_id;
  return a.executable == b.executable;
}

}  // namespace huddle::forecast
