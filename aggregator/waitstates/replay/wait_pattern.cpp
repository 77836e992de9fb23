#include "aggregator/waitstates/replay/wait_pattern.hpp"

namespace huddle {
namespace {

struct Names {
  std::string_view title;
  std::string_view name;
};

constexpr std::array<Names, kWaitPatterns> kNames{{
    {"Late Sender", "late_sender"},
    {"Late Receiver", "late_receiver"},
    {"Wait at Barrier", "wait_at_barrier"},
    {"Wait at N x N", "wait_at_nxn"},
    {"Late Broadcast", "late_broadcast"},
    {"Early Reduce", "early_reduce"},
    {"Early Scan", "early_scan"},
    {"Late Post", "late_post"},
    {"Late Complete", "late_complete"},
    {"Wait at Fence", "wait_at_fence"},
    {"Wait at OpenMP Barrier", "wait_at_openmp_barrier"},
}};

}  // namespace

std::string_view title_of(WaitPattern pattern) {
  return kNames.at(static_cast<std::size_t>(pattern)).title;
}

std::string_view name_of(WaitPattern pattern) {
  return kNames.at(static_cast<std::size_t>(pattern)).name;
}

}  // namespace huddle
