#include "tests/programs/collective_checks.hpp"

#include <numeric>

#include "tests/programs/mpi_program.hpp"

namespace programs {
namespace {

constexpr int kCount = 100;
using Numbers = std::vector<int>;

Numbers numbers(int count) {
  return Numbers(static_cast<std::size_t>(count), -1);
}

// The numbers that a rank holds to pass on: `count` of them, told apart by the rank and by `what`.
Numbers held_by(int rank, int count, int what = 0) {
  Numbers held = numbers(count);
  std::iota(held.begin(), held.end(), rank * 1000 + what * 10);
  return held;
}

void append(Numbers* to, const Numbers& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// The element-wise sum of what the first `ranks` ranks hold.
Numbers sum_of_first(int ranks, int count) {
  Numbers sum(static_cast<std::size_t>(count), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const Numbers held = held_by(rank, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += held[i];
  }
  return sum;
}

bool same(const char* call, const Numbers& found, const Numbers& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    report("message_families", std::string(call) + ", element " + std::to_string(i) + ": found " +
                                   std::to_string(found[i]) + ", expected " +
                                   std::to_string(expected[i]));
    return false;
  }
  return true;
}

// The count of numbers that a rank contributes where contributions differ; some none.
int share_of(int rank) {
  return rank % 4 * 5;
}

// The shares of all ranks and where each begins.
struct Shares {
  Numbers counts, offsets;
  int total = 0;

  template <typename CountOf>
  Shares(int ranks, CountOf count_of) {
    for (int rank = 0; rank < ranks; ++rank) {
      counts.push_back(count_of(rank));
      offsets.push_back(total);
      total += counts.back();
    }
  }
};

bool barrier() {
  MPI_Barrier(MPI_COMM_WORLD);
  return true;
}

bool ibarrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return true;
}

bool bcast() {
  const int root = world_size() - 1;
  Numbers data = world_rank() == root ? held_by(root, kCount) : numbers(kCount);
  MPI_Bcast(data.data(), kCount, MPI_INT, root, MPI_COMM_WORLD);
  return same("bcast", data, held_by(root, kCount));
}

bool reduce() {
  const int root = world_size() / 2;
  const Numbers own = held_by(world_rank(), kCount);
  Numbers sum = numbers(kCount);
  MPI_Reduce(own.data(), sum.data(), kCount, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  return world_rank() != root || same("reduce", sum, sum_of_first(world_size(), kCount));
}

bool allreduce() {
  const Numbers own = held_by(world_rank(), kCount);
  const Numbers expected = sum_of_first(world_size(), kCount);
  Numbers sum = numbers(kCount);
  MPI_Allreduce(own.data(), sum.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Numbers in_place = own;
  MPI_Allreduce(MPI_IN_PLACE, in_place.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return same("allreduce", sum, expected) && same("allreduce in place", in_place, expected);
}

bool iallreduce() {
  const Numbers own = held_by(world_rank(), kCount);
  Numbers sum = numbers(kCount);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(own.data(), sum.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return same("iallreduce", sum, sum_of_first(world_size(), kCount));
}

Numbers held_by_all() {
  Numbers all;
  for (int rank = 0; rank < world_size(); ++rank) append(&all, held_by(rank, kCount));
  return all;
}

Numbers shares_of_all() {
  Numbers all;
  for (int rank = 0; rank < world_size(); ++rank) append(&all, held_by(rank, share_of(rank)));
  return all;
}

bool gather() {
  const Numbers own = held_by(world_rank(), kCount);
  Numbers all = numbers(kCount * world_size());
  MPI_Gather(own.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
  return world_rank() != 0 || same("gather", all, held_by_all());
}

bool gatherv() {
  const int root = world_size() - 1;
  const Shares shares(world_size(), share_of);
  const Numbers own = held_by(world_rank(), share_of(world_rank()));
  Numbers all = numbers(shares.total);
  MPI_Gatherv(own.data(), share_of(world_rank()), MPI_INT, all.data(), shares.counts.data(),
              shares.offsets.data(), MPI_INT, root, MPI_COMM_WORLD);
  return world_rank() != root || same("gatherv", all, shares_of_all());
}

bool scatter() {
  const Numbers all = held_by_all();
  Numbers own = numbers(kCount);
  MPI_Scatter(all.data(), kCount, MPI_INT, own.data(), kCount, MPI_INT, 0, MPI_COMM_WORLD);
  return same("scatter", own, held_by(world_rank(), kCount));
}

bool scatterv() {
  const Shares shares(world_size(), share_of);
  const Numbers all = shares_of_all();
  Numbers own = numbers(share_of(world_rank()));
  MPI_Scatterv(all.data(), shares.counts.data(), shares.offsets.data(), MPI_INT, own.data(),
               share_of(world_rank()), MPI_INT, world_size() - 1, MPI_COMM_WORLD);
  return same("scatterv", own, held_by(world_rank(), share_of(world_rank())));
}

bool allgather() {
  const Numbers own = held_by(world_rank(), kCount);
  Numbers all = numbers(kCount * world_size());
  MPI_Allgather(own.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, MPI_COMM_WORLD);
  return same("allgather", all, held_by_all());
}

bool allgatherv() {
  const Shares shares(world_size(), share_of);
  const Numbers own = held_by(world_rank(), share_of(world_rank()));
  Numbers all = numbers(shares.total);
  MPI_Allgatherv(own.data(), share_of(world_rank()), MPI_INT, all.data(), shares.counts.data(),
                 shares.offsets.data(), MPI_INT, MPI_COMM_WORLD);
  return same("allgatherv", all, shares_of_all());
}

// The count of numbers that `from` sends to `to` in an exchange of all with all.
int exchanged(int from, int to) {
  return (from + 2 * to) % 5;
}

bool alltoall() {
  Numbers out, expected;
  for (int other = 0; other < world_size(); ++other) {
    append(&out, held_by(world_rank(), kCount, other));
    append(&expected, held_by(other, kCount, world_rank()));
  }
  Numbers in = numbers(kCount * world_size());
  MPI_Alltoall(out.data(), kCount, MPI_INT, in.data(), kCount, MPI_INT, MPI_COMM_WORLD);
  return same("alltoall", in, expected);
}

bool alltoallv() {
  const int own = world_rank();
  const Shares sent(world_size(), [&](int other) { return exchanged(own, other); });
  const Shares received(world_size(), [&](int other) { return exchanged(other, own); });
  Numbers out, expected;
  for (int other = 0; other < world_size(); ++other) {
    append(&out, held_by(own, exchanged(own, other), other));
    append(&expected, held_by(other, exchanged(other, own), own));
  }
  Numbers in = numbers(received.total);
  MPI_Alltoallv(out.data(), sent.counts.data(), sent.offsets.data(), MPI_INT, in.data(),
                received.counts.data(), received.offsets.data(), MPI_INT, MPI_COMM_WORLD);
  return same("alltoallv", in, expected);
}

bool reduce_scatter() {
  const Shares shares(world_size(), share_of);
  const Numbers own = held_by(world_rank(), shares.total);
  Numbers part = numbers(share_of(world_rank()));
  MPI_Reduce_scatter(own.data(), part.data(), shares.counts.data(), MPI_INT, MPI_SUM,
                     MPI_COMM_WORLD);
  const Numbers sum = sum_of_first(world_size(), shares.total);
  const auto begin = sum.begin() + shares.offsets[static_cast<std::size_t>(world_rank())];
  return same("reduce_scatter", part, Numbers(begin, begin + share_of(world_rank())));
}

bool reduce_scatter_block() {
  const Numbers own = held_by(world_rank(), kCount * world_size());
  Numbers part = numbers(kCount);
  MPI_Reduce_scatter_block(own.data(), part.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const Numbers sum = sum_of_first(world_size(), kCount * world_size());
  const auto begin = sum.begin() + kCount * world_rank();
  return same("reduce_scatter_block", part, Numbers(begin, begin + kCount));
}

bool scan() {
  const Numbers own = held_by(world_rank(), kCount);
  Numbers sum = numbers(kCount);
  MPI_Scan(own.data(), sum.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return same("scan", sum, sum_of_first(world_rank() + 1, kCount));
}

bool exscan() {
  const Numbers own = held_by(world_rank(), kCount);
  Numbers sum = numbers(kCount);
  MPI_Exscan(own.data(), sum.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  // The result on rank 0 is undefined.
  return world_rank() == 0 || same("exscan", sum, sum_of_first(world_rank(), kCount));
}

}  // namespace

const std::vector<CollectiveCheck>& collective_checks() {
  static const std::vector<CollectiveCheck> checks = {
      {"barrier", barrier},
      {"bcast", bcast},
      {"reduce", reduce},
      {"allreduce", allreduce},
      {"gather", gather},
      {"gatherv", gatherv},
      {"scatter", scatter},
      {"scatterv", scatterv},
      {"allgather", allgather},
      {"allgatherv", allgatherv},
      {"alltoall", alltoall},
      {"alltoallv", alltoallv},
      {"reduce_scatter", reduce_scatter},
      {"reduce_scatter_block", reduce_scatter_block},
      {"scan", scan},
      {"exscan", exscan},
      {"ibarrier", ibarrier},
      {"iallreduce", iallreduce},
  };
  return checks;
}

}  // namespace programs
