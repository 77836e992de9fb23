#include "aggregator/commands/common/removed_options.hpp"

#include <array>

namespace huddle::cli {
namespace {

struct RemovedOption {
  std::string_view command;
  std::string_view name;
  std::string_view replacement;
};

constexpr std::string_view kInRequest =
    "a request has it: --request FILE, see docs/formats/plan-request.md";

constexpr auto kRemovedOptions = std::to_array<RemovedOption>({
    {"huddle plan", "--user", kInRequest},
    {"huddle plan", "--keep-nodes", kInRequest},
    {"huddle plan", "--cores-per-rank", kInRequest},
    {"huddle plan", "--pack-threads", kInRequest},
    {"huddle plan", "--pack-ranks", kInRequest},
    {"huddle plan", "--size", kInRequest},
    {"huddle plan", "--profile", kInRequest},
    {"huddle plan", "--model", kInRequest},
    {"huddle plan", "--samples", kInRequest},
    {"huddle plan", "--explore", kInRequest},
    {"huddle plan", "--grouping", kInRequest},
    {"huddle plan", "--slowdown", kInRequest},
    {"huddle plan", "--risk", kInRequest},
    {"huddle plan", "--objective", kInRequest},
    {"huddle plan", "--least-nodes", kInRequest},
    {"huddle plan", "--computation", kInRequest},
    {"huddle plan", "--frequency", kInRequest},
    {"huddle plan", "--dry-run", kInRequest},
    {"huddle plan", "--keep-days", kInRequest},
    {"huddle plan", "--quota-files", kInRequest},
    {"huddle plan", "--quota-bytes", kInRequest},
    {"huddle plan", "--answer-within", kInRequest},
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
