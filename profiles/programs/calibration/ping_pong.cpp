#include "profiles/programs/calibration/ping_pong.hpp"

#include <mpi.h>

#include <algorithm>

namespace huddle::calibration {
namespace {

// All pairs at one distance: blocks of `step` cores two by two, each two inside one block of
// `inside`. Cores of the second node follow those of the first.
std::vector<int> all_pairs(const RankPlaces& places, int step, int inside, int cores) {
  const int of_node = places.layout().size();
  std::vector<int> ranks;
  for (int first = 0; first + step < cores; ++first) {
    const int second = first + step;
    if (first % inside / step % 2 != 0 || second / inside != first / inside) continue;
    const int a = places.rank_at(first / of_node, first % of_node);
    const int b = places.rank_at(second / of_node, second % of_node);
    if (a >= 0 && b >= 0) ranks.insert(ranks.end(), {a, b});
  }
  return ranks;
}

// Mean seconds of a message of this rank's pair; the rank's number in the team says whose turn it
// is.
double exchange(const Team& team, std::vector<char>& buffer, int repetitions) {
  const int partner = team.rank() ^ 1;
  const int count = static_cast<int>(buffer.size());
  MPI_Barrier(team.comm());
  const double begin = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i) {
    if (team.rank() % 2 == 0) {
      MPI_Send(buffer.data(), count, MPI_CHAR, partner, 0, team.comm());
      MPI_Recv(buffer.data(), count, MPI_CHAR, partner, 0, team.comm(), MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer.data(), count, MPI_CHAR, partner, 0, team.comm(), MPI_STATUS_IGNORE);
      MPI_Send(buffer.data(), count, MPI_CHAR, partner, 0, team.comm());
    }
  }
  return (MPI_Wtime() - begin) / repetitions / 2;
}

}  // namespace

std::vector<PairGroup> pair_groups(const RankPlaces& places) {
  const Layout& layout = places.layout();
  const int of_package = layout.cores * layout.dies;
  const int of_node = layout.size();
  const std::vector<PairGroup> all = {
      {"die", all_pairs(places, 1, layout.cores, of_node)},
      {"package", all_pairs(places, layout.cores, of_package, of_node)},
      {"node", all_pairs(places, of_package, of_node, of_node)},
      {"network", all_pairs(places, of_node, 2 * of_node, 2 * of_node)}};
  std::vector<PairGroup> groups;
  for (const PairGroup& whole : all) {
    std::vector<std::size_t> counts;
    for (std::size_t pairs = 1; pairs < whole.pairs(); pairs *= 2) counts.push_back(pairs);
    if (whole.pairs() > 0) counts.push_back(whole.pairs());
    for (const std::size_t pairs : counts)
      groups.push_back(
          {whole.distance,
           {whole.ranks.begin(), whole.ranks.begin() + static_cast<std::ptrdiff_t>(2 * pairs)}});
  }
  return groups;
}

std::vector<std::size_t> message_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes = {0};
  for (std::size_t bytes = 8; bytes < largest; bytes *= 4) sizes.push_back(bytes);
  sizes.push_back(largest);
  return sizes;
}

void measure_pairs(Session& session, const PairGroup& group, std::size_t largest) {
  const Team team(group.ranks);
  for (const std::size_t bytes : message_sizes(largest)) {
    const std::string key = R"("kind":"message","distance":")" + group.distance + R"(","pairs":)" +
                            std::to_string(group.pairs()) + R"(,"bytes":)" + std::to_string(bytes);
    session.measure(team, key, "time_s", [&](double seconds) {
      std::vector<char> buffer(bytes, 1);
      const double sum = undisturbed_seconds(team.comm(), seconds, MPI_SUM, [&](int repetitions) {
        return exchange(team, buffer, repetitions);
      });
      return sum / team.size();
    });
  }
}

}  // namespace huddle::calibration
