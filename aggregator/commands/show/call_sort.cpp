#include "aggregator/commands/show/call_sort.hpp"

#include <algorithm>
#include <array>

namespace huddle {
namespace {

// How their names begin, with or without an i in front.
constexpr std::array<std::string_view, 11> kCollectives = {
    "allgather", "allreduce", "alltoall",  "barrier", "bcast",  "exscan",
    "gather",    "scan",      "neighbor_", "reduce",  "scatter"};
// And all whose names begin with win_.
constexpr std::array<std::string_view, 10> kOneSided = {
    "put",  "get",  "accumulate",  "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget", "raccumulate", "rget_accumulate"};
constexpr std::array<std::string_view, 3> kCompletion = {"wait", "test", "probe"};

bool one_of_families(std::string_view operation) {
  return std::any_of(kCollectives.begin(), kCollectives.end(),
                     [&](std::string_view name) { return operation.starts_with(name); });
}

bool holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

}  // namespace

CallSort sort_of_call(std::string_view operation) {
  if (operation.starts_with("file_")) return CallSort::kFiles;
  if (operation.starts_with("win_") ||
      std::find(kOneSided.begin(), kOneSided.end(), operation) != kOneSided.end())
    return CallSort::kOneSided;
  if (one_of_families(operation) ||
      (operation.starts_with("i") && one_of_families(operation.substr(1))))
    return CallSort::kCollectives;
  for (const std::string_view word : kCompletion)
    if (holds(operation, word)) return CallSort::kCompletion;
  if (holds(operation, "send") || holds(operation, "recv") || operation.starts_with("start"))
    return CallSort::kMessages;
  return CallSort::kOthers;
}

std::string_view name_of(CallSort sort) {
  constexpr std::array<std::string_view, kCallSorts> kNames = {"sending and receiving",
                                                               "waiting and testing",
                                                               "collectives",
                                                               "one-sided",
                                                               "files",
                                                               "other calls"};
  return kNames[static_cast<std::size_t>(sort)];
}

}  // namespace huddle
