#include "profiles/programs/calibration/memory_streams.hpp"

#include <mpi.h>

#include <utility>

namespace huddle::calibration {
namespace {

// The ranks of some packages and dies in the order in which they are taken: first cores of all dies
// before second ones, and of all packages before the next die of one.
std::vector<int> spread_out(const RankPlaces& places, int packages, int dies) {
  const Layout& layout = places.layout();
  std::vector<int> ranks;
  for (int core = 0; core < layout.cores; ++core)
    for (int die = 0; die < dies; ++die)
      for (int package = 0; package < packages; ++package) {
        const int rank = places.rank_at(0, (package * layout.dies + die) * layout.cores + core);
        if (rank >= 0) ranks.push_back(rank);
      }
  return ranks;
}

// Keeps the compiler from leaving the work out.
void used(const std::vector<double>& array) {
  const volatile double* const first = array.data();
  static_cast<void>(*first);
}

double triad_seconds(MPI_Comm comm, std::vector<double>& a, const std::vector<double>& b,
                     const std::vector<double>& c, int repetitions) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i) {
    const double factor = 3.0 + i;
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = b[k] + factor * c[k];
    used(a);
  }
  return (MPI_Wtime() - begin) / repetitions;
}

}  // namespace

std::vector<StreamGroup> stream_groups(const RankPlaces& places) {
  const Layout& layout = places.layout();
  std::vector<std::pair<std::string, std::vector<int>>> all = {{"die", spread_out(places, 1, 1)}};
  if (layout.dies > 1) all.push_back({"package", spread_out(places, 1, layout.dies)});
  if (layout.packages > 1)
    all.push_back({"node", spread_out(places, layout.packages, layout.dies)});
  std::vector<StreamGroup> groups;
  for (const auto& [within, ranks] : all) {
    const auto first = [&, &ranks = ranks](std::size_t count) {
      return std::vector<int>(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count));
    };
    for (std::size_t count = 1; count < ranks.size(); count *= 2)
      groups.push_back({within, first(count)});
    if (!ranks.empty()) groups.push_back({within, ranks});
  }
  return groups;
}

void measure_streams(Session& session, const StreamGroup& group, std::size_t bytes) {
  const Team team(group.ranks);
  const std::string key = R"("kind":"stream","within":")" + group.within + R"(","ranks":)" +
                          std::to_string(group.ranks.size());
  session.measure(team, key, "bandwidth_bytes_per_s", [&](double seconds) {
    const std::size_t length = bytes / sizeof(double);
    std::vector<double> a(length, 1);
    const std::vector<double> b(length, 2);
    const std::vector<double> c(length, 3);
    const double slowest = undisturbed_seconds(team.comm(), seconds, MPI_MAX, [&](int repetitions) {
      return triad_seconds(team.comm(), a, b, c, repetitions);
    });
    return 3.0 * static_cast<double>(length * sizeof(double)) * team.size() / slowest;
  });
}

}  // namespace huddle::calibration
