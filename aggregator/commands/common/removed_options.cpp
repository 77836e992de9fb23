#include "aggregator/commands/common/removed_options.hpp"

#include <array>

namespace huddle::cli {
namespace {

struct RemovedOption {
  std::string_view command;
  std::string_view name;
  std::string_view replacement;
};

constexpr auto kRemovedOptions = std::to_array<RemovedOption>({
    {"huddle show", "--width",
     "no heat map is drawn in a terminal any more: --matrix FILE.svg draws one"},
});

}  // namespace

std::string_view replacement_of(std::string_view command, std::string_view option) {
  for (const RemovedOption& removed : kRemovedOptions)
    if (removed.command == command && removed.name == option) return removed.replacement;
  return {};
}

}  // namespace huddle::cli
