// Every neighbourhood collective, blocking, nonblocking and (of MPI 4) persistent, on grids with
// and without borders, of one and two ranks around, and on graphs of both kinds with weights, loops
// and repeated edges.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/programs/call_families/collective_calls.hpp"

namespace {

using programs::append;
using programs::call_collective;
using programs::Circle;
using programs::Count;
using programs::expect;
using programs::Form;
using programs::handed;
using programs::Here;
using programs::Parts;
using programs::Place;

using Numbers = std::vector<int>;

constexpr int kCount = 6;

// MPICH 4.0.2's Neighbor_alltoallw receives nothing, or crashes, on ranks that send to nobody.
#ifdef MPICH_NUMVERSION
constexpr bool kAlltoallwNeedsReceivers = true;
#else
constexpr bool kAlltoallwNeedsReceivers = false;
#endif

// A communicator with neighbours, whose ranks are those of the circle, in the order of the counts.
struct Neighbourhood {
  Circle circle;
  std::vector<int> to;
  std::vector<int> from;
  // True if it is known which of several edges between the same two ranks a message comes by. MPI
  // libraries differ on grids of two ranks around.
  bool ordered = true;
  // True if every rank has neighbours in both directions.
  bool mutual = true;

  int out_degree() const { return static_cast<int>(to.size()); }
  int in_degree() const { return static_cast<int>(from.size()); }
};

// Accounts for what goes to each neighbour, and returns its sum: this rank's contribution.
template <class CountOf>
long long account(const Neighbourhood& place, CountOf count_of) {
  long long sum = 0;
  for (const int to : place.to) {
    if (to == MPI_PROC_NULL) continue;
    known_sent_to_neighbour(place.circle.world(to), 1, 4LL * count_of(to));
    sum += 4LL * count_of(to);
  }
  return sum;
}

// From the neighbours in order, each part as `part_of` says; what comes from nobody stays.
template <class PartOf>
void check(const Neighbourhood& place, const char* call, const Numbers& in, const Parts& parts,
           PartOf part_of) {
  Numbers expected, found;
  for (std::size_t i = 0; i < place.from.size(); ++i) {
    if (place.from[i] == MPI_PROC_NULL) continue;
    append(expected, part_of(place.from[i]));
    const auto begin = in.begin() + parts.places[i];
    found.insert(found.end(), begin, begin + parts.counts[i]);
  }
  if (!place.ordered) {
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
  }
  expect(found == expected, call);
}

// The number of elements that go from one to another, and that each says to all.
int between(int from, int to) {
  return (from + 2 * to) % 4;
}

int said_by(int from) {
  return from % 3 * 5;
}

template <class CountOf>
Parts received(const Neighbourhood& place, CountOf count_of) {
  return {place.in_degree(), [&](int i) {
            const int from = place.from[static_cast<std::size_t>(i)];
            return from == MPI_PROC_NULL ? 3 : count_of(from);
          }};
}

template <class CountOf>
Parts sent(const Neighbourhood& place, CountOf count_of) {
  return {place.out_degree(), [&](int i) {
            const int to = place.to[static_cast<std::size_t>(i)];
            return to == MPI_PROC_NULL ? 3 : count_of(to);
          }};
}

Numbers outgoing(const Neighbourhood& place, const Parts& parts) {
  Numbers out;
  for (std::size_t i = 0; i < place.to.size(); ++i)
    append(out,
           handed(place.circle.rank, std::max(place.to[i], 0), static_cast<int>(parts.counts[i])));
  out.push_back(-1);
  return out;
}

// Room for all, and never nullptr, which MPI refuses even where there is nothing.
Numbers incoming(const Parts& parts) {
  return Numbers(static_cast<std::size_t>(parts.total) + 1, -1);
}

void allgather(const Neighbourhood& place, Form form) {
  const Numbers out = handed(place.circle.rank, 0, kCount);
  const Parts parts(place.in_degree(), [](int) { return kCount; });
  Numbers in = incoming(parts);
  const long long bytes = account(place, [](int) { return kCount; });
  call_collective(place.circle, form, "neighbor_allgather", bytes,
                  PROGRAMS_CALLS(Neighbor_allgather, neighbor_allgather), out.data(), kCount,
                  MPI_INT, in.data(), kCount, MPI_INT);
  check(place, "neighbor_allgather", in, parts, [](int from) { return handed(from, 0, kCount); });
}

void allgatherv(const Neighbourhood& place, Form form) {
  const int own = said_by(place.circle.rank);
  const Numbers out = handed(place.circle.rank, 0, own + 1);
  const Parts parts = received(place, said_by);
  Numbers in = incoming(parts);
  const long long bytes = account(place, [&](int) { return own; });
  call_collective(place.circle, form, "neighbor_allgatherv", bytes,
                  PROGRAMS_CALLS(Neighbor_allgatherv, neighbor_allgatherv), out.data(), own,
                  MPI_INT, in.data(), parts.counts.data(), parts.places.data(), MPI_INT);
  check(place, "neighbor_allgatherv", in, parts,
        [](int from) { return handed(from, 0, said_by(from)); });
}

void alltoall(const Neighbourhood& place, Form form) {
  const auto same = [](int) { return kCount; };
  const Numbers out = outgoing(place, {place.out_degree(), same});
  const Parts parts(place.in_degree(), same);
  Numbers in = incoming(parts);
  const long long bytes = account(place, same);
  call_collective(place.circle, form, "neighbor_alltoall", bytes,
                  PROGRAMS_CALLS(Neighbor_alltoall, neighbor_alltoall), out.data(), kCount, MPI_INT,
                  in.data(), kCount, MPI_INT);
  check(place, "neighbor_alltoall", in, parts,
        [&](int from) { return handed(from, place.circle.rank, kCount); });
}

void alltoallv(const Neighbourhood& place, Form form) {
  const int own = place.circle.rank;
  const auto count_to = [&](int to) { return between(own, to); };
  const Parts to = sent(place, count_to);
  const Parts from = received(place, [&](int other) { return between(other, own); });
  const Numbers out = outgoing(place, to);
  Numbers in = incoming(from);
  const long long bytes = account(place, count_to);
  call_collective(place.circle, form, "neighbor_alltoallv", bytes,
                  PROGRAMS_CALLS(Neighbor_alltoallv, neighbor_alltoallv), out.data(),
                  to.counts.data(), to.places.data(), MPI_INT, in.data(), from.counts.data(),
                  from.places.data(), MPI_INT);
  check(place, "neighbor_alltoallv", in, from,
        [&](int other) { return handed(other, own, between(other, own)); });
}

// Places in bytes, and types that differ: to every other neighbour pairs go, of twice as many.
void alltoallw(const Neighbourhood& place, Form form) {
  const int own = place.circle.rank;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const auto count_to = [&](int to) { return 2 * between(own, to); };
  const Parts to = sent(place, count_to);
  const Parts from = received(place, [&](int other) { return 2 * between(other, own); });
  const auto in_bytes = [](const Parts& parts) {
    std::vector<MPI_Aint> places;
    places.reserve(parts.places.size() + 1);
    for (const Place start : parts.places) places.push_back(start * MPI_Aint{4});
    return places;
  };
  const std::vector<MPI_Aint> out_places = in_bytes(to), in_places = in_bytes(from);
  std::vector<Count> out_counts = to.counts;
  std::vector<MPI_Datatype> out_types(to.counts.size(), MPI_INT);
  const std::vector<MPI_Datatype> in_types(from.counts.size(), MPI_INT);
  for (std::size_t i = 0; i < place.to.size(); i += 2) {
    out_types[i] = pair;
    out_counts[i] /= 2;
  }
  const Numbers out = outgoing(place, to);
  Numbers in = incoming(from);
  const long long bytes = account(place, count_to);
  call_collective(place.circle, form, "neighbor_alltoallw", bytes,
                  PROGRAMS_CALLS(Neighbor_alltoallw, neighbor_alltoallw), out.data(),
                  out_counts.data(), out_places.data(), out_types.data(), in.data(),
                  from.counts.data(), in_places.data(), in_types.data());
  check(place, "neighbor_alltoallw", in, from,
        [&](int other) { return handed(other, own, 2 * between(other, own)); });
  MPI_Type_free(&pair);
}

void call_all_in(Neighbourhood place) {
  for (const programs::Way way : programs::all_ways())
    for (const auto call : {allgather, allgatherv, alltoall, alltoallv, alltoallw}) {
      if (call == alltoallw && !place.mutual && kAlltoallwNeedsReceivers) continue;
      call(place, {way, false, 1});
    }
  MPI_Comm_free(&place.circle.comm);
}

// Two dimensions, the second of `columns` ranks; the ranks are those of `base` in order.
void grid(const Circle& base, int columns, int periodic_rows, int periodic_columns) {
  const std::array<int, 2> sizes = {base.size() / columns, columns};
  const std::array<int, 2> periods = {periodic_rows, periodic_columns};
  Neighbourhood place{base, {}, {}};
  MPI_Cart_create(base.comm, 2, sizes.data(), periods.data(), 0, &place.circle.comm);
  if (place.circle.comm == MPI_COMM_NULL) return;
  place.circle.world_ranks.resize(static_cast<std::size_t>(sizes[0] * sizes[1]));
  std::vector<int> members = place.circle.world_ranks;
  std::sort(members.begin(), members.end());
  place.circle.members = programs::listed(members);
  const std::array<int, 2> own = {base.rank / columns, base.rank % columns};
  for (std::size_t dimension = 0; dimension < 2; ++dimension)
    for (const int step : {-1, 1}) {
      std::array<int, 2> other = own;
      other[dimension] += step;
      const int size = sizes[dimension];
      const bool beyond = other[dimension] < 0 || other[dimension] >= size;
      other[dimension] = (other[dimension] + size) % size;
      place.to.push_back(beyond && periods[dimension] == 0 ? MPI_PROC_NULL
                                                           : other[0] * columns + other[1]);
      if (periods[dimension] != 0 && size <= 2) place.ordered = false;
    }
  place.from = place.to;
  call_all_in(place);
}

Circle renamed(const Circle& base, MPI_Comm comm) {
  Circle circle = base;
  circle.comm = comm;
  std::vector<int> members = base.world_ranks;
  std::sort(members.begin(), members.end());
  circle.members = programs::listed(members);
  return circle;
}

// Rank 0 is tied to all others and to itself.
void star(const Circle& base) {
  const int ranks = base.size();
  Numbers index = {ranks}, edges;
  for (int other = 0; other < ranks; ++other) edges.push_back(other);
  for (int other = 1; other < ranks; ++other) {
    index.push_back(index.back() + 1);
    edges.push_back(0);
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Graph_create(base.comm, ranks, index.data(), edges.data(), 0, &comm);
  std::vector<int> neighbours = {0};
  if (base.rank == 0) neighbours.assign(edges.begin(), edges.begin() + ranks);
  call_all_in({renamed(base, comm), neighbours, neighbours});
}

// One-way: to the next, twice to the one after it, and to itself. Weighted or not.
void one_way(const Circle& base, bool weighted) {
  Neighbourhood place{base,
                      {base.right(), base.right(2), base.right(2), base.rank},
                      {base.left(), base.left(2), base.left(2), base.rank}};
  const std::array<int, 4> weights = {4, 3, 2, 1};
  const int* const given = weighted ? weights.data() : MPI_UNWEIGHTED;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(base.comm, 4, place.from.data(), given, 4, place.to.data(), given,
                                 MPI_INFO_NULL, 0, &comm);
  place.circle = renamed(base, comm);
  call_all_in(place);
}

// Each rank describes the edges of the rank after it. Rank 0 receives from nobody, the last sends
// to nobody.
void described_by_others(const Circle& base) {
  const int ranks = base.size();
  const int described = base.right();
  const int degree = described + 1 < ranks ? 1 : 0;
  const int target = described + 1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create(base.comm, 1, &described, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL,
                        0, &comm);
  Neighbourhood place{renamed(base, comm), {}, {}};
  place.mutual = false;
  if (base.rank + 1 < ranks) place.to = {base.rank + 1};
  if (base.rank > 0) place.from = {base.rank - 1};
  call_all_in(place);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    Circle half = programs::reversed_half(here);
    for (const Circle& base : {programs::world_circle(here), half}) {
      for (const int columns : {1, 2})
        for (const int periods : {0, 1, 2, 3})
          if (columns <= base.size()) grid(base, columns, periods % 2, periods / 2);
      star(base);
      one_way(base, false);
      one_way(base, true);
      described_by_others(base);
    }
    MPI_Comm_free(&half.comm);
  });
}
