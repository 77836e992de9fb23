#include "aggregator/commands/common/size_options.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::cli {

std::optional<double> asked_size(std::string_view option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<double> size = parse_problem_size(text);
  if (!size)
    throw UsageError(fmt::format("{} {}: expected {}", option, shortened(text), kProblemSizes));
  return size;
}

void SizeArgumentOption::add_to(cli::App& command) {
  command
      .add_option("--size-argument", texts,
                  "where the problem size stands among a program's arguments: 2 (the second one), "
                  "-n or --grid (what follows, or stands behind a =) or nx= (the rest of it); said "
                  "several times, the product counts (default: the size that was recorded)")
      ->allow_extra_args(false);
}

std::vector<forecast::SizeArgument> SizeArgumentOption::places() const {
  std::vector<forecast::SizeArgument> places;
  try {
    for (const std::string& text : texts) places.emplace_back(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--size-argument {}", error.what()));
  }
  return places;
}

}  // namespace huddle::cli
