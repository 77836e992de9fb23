#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// Makes logs by hand: calls of ranks, and what they depend on. Times in ticks, a thousand a
/// second.
class LogBuilder {
 public:
  explicit LogBuilder(std::uint32_t ranks, std::size_t in_memory = 16U << 20U);

  /// An MPI call of `rank`; both paths are like "main/solve". Returns its number in the rank.
  std::uint64_t call(std::uint32_t rank, std::uint64_t enter, std::uint64_t leave,
                     const std::string& before = "main", const std::string& path = "main/MPI_Call");
  /// A computation of `rank` from its last call, or piece of computation, until then. Counts as a
  /// call.
  std::uint64_t computed(std::uint32_t rank, std::uint64_t until, const std::string& path) {
    return call(rank, until, until, path, path);
  }
  /// `to`'s call ends with a message that `from`'s call sends.
  void message(std::uint32_t from, std::uint64_t send, std::uint32_t to, std::uint64_t receive);
  /// `from`'s call waits until `to`'s call begins.
  void rendezvous(std::uint32_t from, std::uint64_t send, std::uint32_t to, std::uint64_t receive);

  struct Member {
    std::uint32_t rank;
    std::uint64_t call;
    std::uint64_t begun_by;
    DependencyKind kind;
  };
  /// A collective, its members by place.
  void collective(const std::vector<Member>& members, std::uint32_t root = 0);
  /// All wait for all.
  void barrier(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& calls);
  /// Where the rank's first thread begins and ends.
  void span(std::uint32_t rank, std::uint64_t begin, std::uint64_t end);

  /// The report's number of a path that was named before.
  [[nodiscard]] std::uint32_t path(const std::string& name) const;
  ActivityLog build();

  // Arguments of make_activity_log().
  ActivityBuffer buffer;
  WaitReport report;
  traces::TraceDefinitions definitions;

 private:
  std::uint32_t path_of(std::uint32_t rank, const std::string& name);
  std::uint32_t add_path(const std::string& name);

  std::map<std::string, std::uint32_t> paths_;
  std::vector<std::map<std::string, std::uint32_t>> rank_paths_;  // by rank: its own numbers
  std::vector<std::uint64_t> calls_;
  std::uint64_t collectives_ = 0;
};

}  // namespace huddle::waitstates
