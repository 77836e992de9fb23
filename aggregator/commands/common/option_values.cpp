#include "aggregator/commands/common/option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {

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

Error with_option(const operations::NotFound& error) {
  switch (error.which()) {
    case operations::NotFound::What::kHosts:
      return Error(fmt::format("{}: name them by --hosts", error.what()));
    case operations::NotFound::What::kRecorder:
      return Error(fmt::format("{}: install it, or name it by --recorder", error.what()));
    case operations::NotFound::What::kProgram:
      break;
  }
  return Error(fmt::format("{}: install it, or name it by --program", error.what()));
}

}  // namespace huddle::cli
