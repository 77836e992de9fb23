#include "profiles/programs/calibration/collective_calls.hpp"

#include <mpi.h>

#include <algorithm>
#include <tuple>

namespace huddle::calibration {
namespace {

// The most bytes that one rank may have to send or to receive in a call.
constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

std::vector<int> powers_of_two_and(int most) {
  std::vector<int> counts;
  for (int power = 1; power < most; power *= 2) counts.push_back(power);
  counts.push_back(most);
  return counts;
}

// Empty unless every core of the pattern has a rank.
std::vector<int> ranks_on(const Layout& pattern, int nodes, const RankPlaces& places) {
  const Layout& layout = places.layout();
  std::vector<int> ranks;
  for (int node = 0; node < nodes; ++node)
    for (int package = 0; package < pattern.packages; ++package)
      for (int die = 0; die < pattern.dies; ++die)
        for (int core = 0; core < pattern.cores; ++core) {
          const int rank =
              places.rank_at(node, (package * layout.dies + die) * layout.cores + core);
          if (rank < 0) return {};
          ranks.push_back(rank);
        }
  return ranks;
}

/// Buffers of one rank for one case.
struct Call {
  MPI_Comm comm;
  int ranks = 0;
  /// Bytes that a rank contributes, and the part of them that is for each other one.
  int bytes = 0;
  int part = 0;
  std::vector<char> out;
  std::vector<char> in;
};

using Caller = void (*)(Call&);

struct Operation {
  const char* name;
  Caller call;
  /// Bytes that a rank sends, and receives, for one that it contributes.
  bool receives_from_all = false;
  bool has_part_for_each = false;
  bool has_size = true;
};

const Operation kOperations[] = {
    {"allreduce",
     [](Call& c) {
       MPI_Allreduce(c.out.data(), c.in.data(), c.bytes / 8, MPI_DOUBLE, MPI_SUM, c.comm);
     }},
    {"barrier", [](Call& c) { MPI_Barrier(c.comm); }, false, false, false},
    {"bcast", [](Call& c) { MPI_Bcast(c.out.data(), c.bytes, MPI_CHAR, 0, c.comm); }},
    {"alltoall",
     [](Call& c) {
       MPI_Alltoall(c.out.data(), c.part, MPI_CHAR, c.in.data(), c.part, MPI_CHAR, c.comm);
     },
     false, true},
    {"allgather",
     [](Call& c) {
       MPI_Allgather(c.out.data(), c.bytes, MPI_CHAR, c.in.data(), c.bytes, MPI_CHAR, c.comm);
     },
     true},
    {"reduce",
     [](Call& c) {
       MPI_Reduce(c.out.data(), c.in.data(), c.bytes / 8, MPI_DOUBLE, MPI_SUM, 0, c.comm);
     }},
    {"gather",
     [](Call& c) {
       MPI_Gather(c.out.data(), c.bytes, MPI_CHAR, c.in.data(), c.bytes, MPI_CHAR, 0, c.comm);
     },
     true},
    {"scatter",
     [](Call& c) {
       MPI_Scatter(c.out.data(), c.part, MPI_CHAR, c.in.data(), c.part, MPI_CHAR, 0, c.comm);
     },
     false, true},
    {"reduce_scatter_block",
     [](Call& c) {
       MPI_Reduce_scatter_block(c.out.data(), c.in.data(), c.part / 8, MPI_DOUBLE, MPI_SUM, c.comm);
     },
     false, true},
};

const Operation& operation_named(const std::string& name) {
  return *std::find_if(std::begin(kOperations), std::end(kOperations),
                       [&](const Operation& operation) { return operation.name == name; });
}

// The mean over calls of what each takes this rank, all of them beginning at the same time.
double repeated(const Operation& operation, Call& call, int repetitions) {
  double inside = 0;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(call.comm);
    const double begin = MPI_Wtime();
    operation.call(call);
    inside += MPI_Wtime() - begin;
  }
  return inside / repetitions;
}

double seconds_of(const CollectiveCase& what, const Team& team, double seconds) {
  const Operation& operation = operation_named(what.operation);
  Call call{team.comm(), team.size(), static_cast<int>(what.bytes), 0, {}, {}};
  call.part = call.bytes / call.ranks;
  call.out.assign(what.bytes, 0);
  call.in.assign(
      what.bytes * (operation.receives_from_all ? static_cast<std::size_t>(call.ranks) : 1), 0);
  return undisturbed_seconds(team.comm(), seconds, MPI_MAX, [&](int repetitions) {
    return repeated(operation, call, repetitions);
  });
}

}  // namespace

std::vector<PatternGroup> pattern_groups(const RankPlaces& places) {
  const Layout& layout = places.layout();
  // Groups, each with the turn in which it is to be measured.
  std::vector<std::tuple<int, PatternGroup>> ranked;
  for (const int packages : powers_of_two_and(layout.packages))
    for (const int dies : powers_of_two_and(layout.dies))
      for (const int cores : powers_of_two_and(layout.cores))
        for (const int nodes : powers_of_two_and(places.nodes())) {
          const Layout pattern{packages, dies, cores};
          const std::vector<int> ranks = ranks_on(pattern, nodes, places);
          if (ranks.size() < 2) continue;
          const bool is_end = pattern.size() == 1 || pattern.size() == layout.size();
          const bool on_all = nodes == places.nodes();
          ranked.push_back(
              {is_end && on_all ? 0 : (is_end || on_all ? 1 : 2), {pattern.name(), ranks}});
        }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  std::vector<PatternGroup> groups;
  for (const auto& [late, group] : ranked) groups.push_back(group);
  return groups;
}

std::vector<CollectiveCase> collective_cases(std::size_t ranks, std::size_t largest) {
  std::vector<CollectiveCase> cases;
  for (const Operation& operation : kOperations) {
    if (!operation.has_size) {
      cases.push_back({operation.name, 0});
      continue;
    }
    // So many bytes for each other one, or for all.
    const std::size_t times = operation.has_part_for_each ? ranks : 1;
    for (std::size_t bytes = 8; bytes * times <= std::max(largest, 8 * times); bytes *= 16) {
      const std::size_t received = bytes * (operation.receives_from_all ? ranks : times);
      if (received <= kMostBytes) cases.push_back({operation.name, bytes * times});
    }
  }
  return cases;
}

void measure_collectives(Session& session, const PatternGroup& group, std::size_t largest) {
  const Team team(group.ranks);
  for (const CollectiveCase& what : collective_cases(group.ranks.size(), largest)) {
    const std::string key = R"("kind":"collective","operation":")" + what.operation +
                            R"(","pattern":")" + group.pattern + R"(","ranks":)" +
                            std::to_string(group.ranks.size()) + R"(,"bytes":)" +
                            std::to_string(what.bytes);
    session.measure(team, key, "time_s",
                    [&](double seconds) { return seconds_of(what, team, seconds); });
  }
}

}  // namespace huddle::calibration
