// Every collective call, blocking, nonblocking and (of MPI 4) persistent, in place where MPI allows
// it, over the world, a duplicate of it, half of it in reversed order, and one rank alone.
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
using programs::Way;

using Numbers = std::vector<int>;

constexpr int kCount = 7;
constexpr long long kBytes = 4LL * kCount;

Numbers empty(int count) {
  return Numbers(static_cast<std::size_t>(count), -1);
}

int root_of(const Circle& circle) {
  return circle.size() / 2;
}

// Some ranks have no part.
int share(int rank) {
  return rank % 3 * 4;
}

Parts shares(const Circle& circle) {
  return {circle.size(), share};
}

// The sum of what each of the first `ranks` hands to 0.
Numbers sum_of_first(int ranks, int count) {
  Numbers sum(static_cast<std::size_t>(count), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const Numbers more = handed(rank, 0, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  }
  return sum;
}

Numbers all_shares(const Circle& circle) {
  Numbers all;
  for (int rank = 0; rank < circle.size(); ++rank) append(all, handed(rank, 0, share(rank)));
  return all;
}

Numbers all_counts(const Circle& circle) {
  Numbers all;
  for (int rank = 0; rank < circle.size(); ++rank) append(all, handed(rank, 0, kCount));
  return all;
}

#ifdef PROGRAMS_HAVE_MPI_4
constexpr auto kPersistentBarrier = MPI_Barrier_init;
#else
constexpr std::nullptr_t kPersistentBarrier = nullptr;
#endif

void barrier(const Circle& circle, Form form) {
  call_collective(circle, form, "barrier", 0, MPI_Barrier, MPI_Ibarrier, kPersistentBarrier);
}

void bcast(const Circle& circle, Form form) {
  const int root = root_of(circle);
  Numbers data = circle.rank == root ? handed(root, 0, kCount) : empty(kCount);
  call_collective(circle, form, "bcast", circle.rank == root ? kBytes : 0,
                  PROGRAMS_CALLS(Bcast, bcast), data.data(), kCount, MPI_INT, root);
  expect(data == handed(root, 0, kCount), "bcast");
}

// The receiver's own part lies in place already, if so wanted.
void gather(const Circle& circle, Form form) {
  const int root = root_of(circle);
  const bool here = circle.rank == root;
  const bool in_place = form.in_place && here;
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers all = in_place ? all_counts(circle) : empty(kCount * circle.size());
  const void* out = in_place ? MPI_IN_PLACE : own.data();
  // The counts of the receiver mean something only there, those of a sender in place nothing.
  call_collective(circle, form, "gather", kBytes, PROGRAMS_CALLS(Gather, gather), out,
                  in_place ? 999 : kCount, MPI_INT, here ? all.data() : nullptr, here ? kCount : -5,
                  here ? MPI_INT : MPI_DATATYPE_NULL, root);
  expect(!here || all == all_counts(circle), "gather");
}

void gatherv(const Circle& circle, Form form) {
  const int root = root_of(circle);
  const bool here = circle.rank == root;
  const bool in_place = form.in_place && here;
  const Parts parts = shares(circle);
  const Numbers own = handed(circle.rank, 0, share(circle.rank));
  Numbers all = in_place ? all_shares(circle) : empty(parts.total);
  const void* out = in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "gatherv", 4LL * share(circle.rank),
                  PROGRAMS_CALLS(Gatherv, gatherv), out, in_place ? 999 : share(circle.rank),
                  MPI_INT, all.data(), here ? parts.counts.data() : nullptr,
                  here ? parts.places.data() : nullptr, MPI_INT, root);
  expect(!here || all == all_shares(circle), "gatherv");
}

void scatter(const Circle& circle, Form form) {
#ifdef MPICH_NUMVERSION
  form.starts = 1;  // at the second start MPICH 4.0 to 4.2 fails: "Invalid communicator"
#endif
  const int root = root_of(circle);
  const bool here = circle.rank == root;
  const Numbers all = all_counts(circle);
  Numbers own = empty(kCount);
  void* in = form.in_place && here ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "scatter", here ? kBytes * circle.size() : 0,
                  PROGRAMS_CALLS(Scatter, scatter), here ? all.data() : nullptr, here ? kCount : -5,
                  MPI_INT, in, kCount, MPI_INT, root);
  expect(in == MPI_IN_PLACE || own == handed(circle.rank, 0, kCount), "scatter");
}

void scatterv(const Circle& circle, Form form) {
  const int root = root_of(circle);
  const bool here = circle.rank == root;
  const Parts parts = shares(circle);
  const Numbers all = all_shares(circle);
  Numbers own = empty(share(circle.rank));
  void* in = form.in_place && here ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "scatterv", here ? 4LL * parts.total : 0,
                  PROGRAMS_CALLS(Scatterv, scatterv), here ? all.data() : nullptr,
                  here ? parts.counts.data() : nullptr, here ? parts.places.data() : nullptr,
                  MPI_INT, in, share(circle.rank), MPI_INT, root);
  expect(in == MPI_IN_PLACE || own == handed(circle.rank, 0, share(circle.rank)), "scatterv");
}

void allgather(const Circle& circle, Form form) {
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers all = form.in_place ? all_counts(circle) : empty(kCount * circle.size());
  if (form.in_place)
    for (int i = 0; i < kCount * circle.size(); ++i)
      if (i / kCount != circle.rank) all[static_cast<std::size_t>(i)] = -1;
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "allgather", kBytes, PROGRAMS_CALLS(Allgather, allgather), out,
                  form.in_place ? 0 : kCount, form.in_place ? MPI_DATATYPE_NULL : MPI_INT,
                  all.data(), kCount, MPI_INT);
  expect(all == all_counts(circle), "allgather");
}

void allgatherv(const Circle& circle, Form form) {
  const Parts parts = shares(circle);
  const Numbers own = handed(circle.rank, 0, share(circle.rank));
  Numbers all = form.in_place ? all_shares(circle) : empty(parts.total);
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(
      circle, form, "allgatherv", 4LL * share(circle.rank), PROGRAMS_CALLS(Allgatherv, allgatherv),
      out, form.in_place ? 0 : share(circle.rank), form.in_place ? MPI_DATATYPE_NULL : MPI_INT,
      all.data(), parts.counts.data(), parts.places.data(), MPI_INT);
  expect(all == all_shares(circle), "allgatherv");
}

// In place both directions have the same counts; otherwise they depend on the direction.
int between(int from, int to, bool in_place) {
  return in_place ? (from + to) % 4 : (from + 2 * to) % 5;
}

// The numbers that `rank` sends to all, or receives from all.
Numbers sent_by(int rank, const Parts& parts) {
  Numbers all;
  for (int other = 0; other < static_cast<int>(parts.counts.size()); ++other)
    append(all, handed(rank, other, parts[other]));
  return all;
}

Numbers received_by(int rank, const Parts& parts) {
  Numbers all;
  for (int other = 0; other < static_cast<int>(parts.counts.size()); ++other)
    append(all, handed(other, rank, parts[other]));
  return all;
}

void alltoall(const Circle& circle, Form form) {
  const Parts parts(circle.size(), [](int) { return kCount; });
  const Numbers out = sent_by(circle.rank, parts);
  Numbers in = form.in_place ? out : empty(parts.total);
  const void* from = form.in_place ? MPI_IN_PLACE : out.data();
  call_collective(circle, form, "alltoall", kBytes * circle.size(),
                  PROGRAMS_CALLS(Alltoall, alltoall), from, form.in_place ? 0 : kCount,
                  form.in_place ? MPI_DATATYPE_NULL : MPI_INT, in.data(), kCount, MPI_INT);
  expect(in == received_by(circle.rank, parts), "alltoall");
}

void alltoallv(const Circle& circle, Form form) {
  const Parts sent(circle.size(), [&](int to) { return between(circle.rank, to, form.in_place); });
  const Parts received(circle.size(),
                       [&](int from) { return between(from, circle.rank, form.in_place); });
  const Numbers out = sent_by(circle.rank, sent);
  Numbers in = form.in_place ? out : empty(received.total);
  const void* from = form.in_place ? MPI_IN_PLACE : out.data();
  call_collective(circle, form, "alltoallv", 4LL * sent.total, PROGRAMS_CALLS(Alltoallv, alltoallv),
                  from, form.in_place ? nullptr : sent.counts.data(),
                  form.in_place ? nullptr : sent.places.data(),
                  form.in_place ? MPI_DATATYPE_NULL : MPI_INT, in.data(), received.counts.data(),
                  received.places.data(), MPI_INT);
  expect(in == received_by(circle.rank, received), "alltoallv");
}

// As alltoallv, but places are in bytes, and what goes to even ranks goes as pairs. (Not in place:
// MPICH 4.0.2 then mixes one rank's count with another's type.)
void alltoallw(const Circle& circle, Form form) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const Parts sent(circle.size(),
                   [&](int to) { return 2 * between(circle.rank, to, form.in_place); });
  const Parts received(circle.size(),
                       [&](int from) { return 2 * between(from, circle.rank, form.in_place); });
  const auto in_bytes = [](Parts parts) {
    for (Place& place : parts.places) place *= 4;
    return parts.places;
  };
  const std::vector<Place> out_places = in_bytes(sent), in_places = in_bytes(received);
  std::vector<Count> out_counts = sent.counts, in_counts = received.counts;
  std::vector<MPI_Datatype> out_types(out_counts.size(), MPI_INT), in_types = out_types;
  for (std::size_t other = 0; !form.in_place && other < out_counts.size(); other += 2) {
    out_types[other] = in_types[other] = pair;
    out_counts[other] /= 2;
    in_counts[other] /= 2;
  }
  const Numbers out = sent_by(circle.rank, sent);
  Numbers in = form.in_place ? out : empty(received.total);
  const void* from = form.in_place ? MPI_IN_PLACE : out.data();
  call_collective(circle, form, "alltoallw", 4LL * sent.total, PROGRAMS_CALLS(Alltoallw, alltoallw),
                  from, form.in_place ? nullptr : out_counts.data(),
                  form.in_place ? nullptr : out_places.data(),
                  form.in_place ? nullptr : out_types.data(), in.data(), in_counts.data(),
                  in_places.data(), in_types.data());
  expect(in == received_by(circle.rank, received), "alltoallw");
  MPI_Type_free(&pair);
}

void reduce(const Circle& circle, Form form) {
  const int root = root_of(circle);
  const bool here = circle.rank == root;
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers sum = own;
  const void* out = form.in_place && here ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "reduce", kBytes, PROGRAMS_CALLS(Reduce, reduce), out,
                  here ? sum.data() : nullptr, kCount, MPI_INT, MPI_SUM, root);
  expect(!here || sum == sum_of_first(circle.size(), kCount), "reduce");
}

void allreduce(const Circle& circle, Form form) {
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers sum = own;
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "allreduce", kBytes, PROGRAMS_CALLS(Allreduce, allreduce), out,
                  sum.data(), kCount, MPI_INT, MPI_SUM);
  expect(sum == sum_of_first(circle.size(), kCount), "allreduce");
}

void reduce_scatter(const Circle& circle, Form form) {
  const Parts parts = shares(circle);
  const Numbers own = handed(circle.rank, 0, parts.total);
  Numbers part = form.in_place ? own : empty(share(circle.rank));
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "reduce_scatter", 4LL * parts.total,
                  PROGRAMS_CALLS(Reduce_scatter, reduce_scatter), out, part.data(),
                  parts.counts.data(), MPI_INT, MPI_SUM);
  part.resize(static_cast<std::size_t>(share(circle.rank)));
  const Numbers sum = sum_of_first(circle.size(), parts.total);
  const auto begin = sum.begin() + parts.places[static_cast<std::size_t>(circle.rank)];
  expect(part == Numbers(begin, begin + share(circle.rank)), "reduce_scatter");
}

void reduce_scatter_block(const Circle& circle, Form form) {
  const int total = kCount * circle.size();
  const Numbers own = handed(circle.rank, 0, total);
  Numbers part = form.in_place ? own : empty(kCount);
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "reduce_scatter_block", 4LL * total,
                  PROGRAMS_CALLS(Reduce_scatter_block, reduce_scatter_block), out, part.data(),
                  kCount, MPI_INT, MPI_SUM);
  part.resize(kCount);
  const Numbers sum = sum_of_first(circle.size(), total);
  const auto begin = sum.begin() + kCount * circle.rank;
  expect(part == Numbers(begin, begin + kCount), "reduce_scatter_block");
}

void scan(const Circle& circle, Form form) {
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers sum = own;
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "scan", kBytes, PROGRAMS_CALLS(Scan, scan), out, sum.data(), kCount,
                  MPI_INT, MPI_SUM);
  expect(sum == sum_of_first(circle.rank + 1, kCount), "scan");
}

// The result on rank 0 is undefined.
void exscan(const Circle& circle, Form form) {
  const Numbers own = handed(circle.rank, 0, kCount);
  Numbers sum = own;
  const void* out = form.in_place ? MPI_IN_PLACE : own.data();
  call_collective(circle, form, "exscan", kBytes, PROGRAMS_CALLS(Exscan, exscan), out, sum.data(),
                  kCount, MPI_INT, MPI_SUM);
  expect(circle.rank == 0 || sum == sum_of_first(circle.rank, kCount), "exscan");
}

void call_all(const Circle& circle, Form form) {
  for (const auto call : {barrier, bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv,
                          alltoall, alltoallv, alltoallw, reduce, allreduce, reduce_scatter,
                          reduce_scatter_block, scan, exscan})
    call(circle, form);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    const Circle world = programs::world_circle(here);
    Circle half = programs::reversed_half(here);
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (const Circle& circle : {world, programs::circle_of(duplicate, world.world_ranks, here),
                                 half, programs::circle_of(MPI_COMM_SELF, {here.rank}, here)})
      for (const Way way : programs::all_ways())
        for (const bool in_place : {false, true})
          call_all(circle, {way, in_place, in_place ? 1 : 3});  // in place the input is gone
    MPI_Comm_free(&duplicate);
    MPI_Comm_free(&half.comm);
  });
}
