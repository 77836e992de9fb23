// Messages whose size is not count x what a C type takes: derived datatypes of every constructor,
// no data at all, more than an int can count, handles that are freed and made anew.
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/programs/call_families/family_program.hpp"

namespace {

using programs::expect;
using programs::Here;

constexpr int kTag = 3;

// A type, made anew by each call, and the bytes of data in one element.
struct Kind {
  const char* name;
  long long bytes;
  std::function<void(MPI_Datatype*)> make;
};

// All of them fit into one Memory.
using Memory = std::array<std::int32_t, 64>;

void make_struct(MPI_Datatype* type) {
  const std::array<int, 3> lengths = {1, 2, 3};
  const std::array<MPI_Aint, 3> places = {0, 8, 32};
  const std::array<MPI_Datatype, 3> members = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Type_create_struct(3, lengths.data(), places.data(), members.data(), type);
}

void make_subarray(MPI_Datatype* type) {
  const std::array<int, 2> sizes = {4, 6}, part = {2, 3}, from = {1, 2};
  MPI_Type_create_subarray(2, sizes.data(), part.data(), from.data(), MPI_ORDER_C, MPI_INT, type);
}

// The first process's part of 10 ints in blocks of 3, dealt to 2 processes: 3 + 3.
void make_darray(MPI_Datatype* type) {
  const int size = 10, distribution = MPI_DISTRIBUTE_CYCLIC, block = 3, processes = 2;
  MPI_Type_create_darray(2, 0, 1, &size, &distribution, &block, &processes, MPI_ORDER_C, MPI_INT,
                         type);
}

void make_resized(MPI_Datatype* type) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 32, type);
  MPI_Type_free(&pair);
}

void make_indexed(MPI_Datatype* type) {
  const std::array<int, 3> lengths = {1, 0, 4}, places = {9, 2, 0};
  MPI_Type_indexed(3, lengths.data(), places.data(), MPI_INT, type);
}

void make_hindexed(MPI_Datatype* type) {
  const std::array<int, 2> lengths = {3, 2};
  const std::array<MPI_Aint, 2> places = {40, 4};
  MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_INT, type);
}

void make_indexed_blocks(MPI_Datatype* type) {
  const std::array<int, 3> places = {0, 8, 4};
  MPI_Type_create_indexed_block(3, 2, places.data(), MPI_INT, type);
}

void make_hindexed_blocks(MPI_Datatype* type) {
  const std::array<MPI_Aint, 2> places = {16, 0};
  MPI_Type_create_hindexed_block(2, 1, places.data(), MPI_DOUBLE, type);
}

void make_vector_of_vectors(MPI_Datatype* type) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_INT, &row);
  MPI_Type_create_hvector(3, 1, 40, row, type);
  MPI_Type_free(&row);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"contiguous", 20, [](auto* type) { MPI_Type_contiguous(5, MPI_INT, type); }},
      {"struct", 1 + 16 + 6, make_struct},
      {"subarray", 24, make_subarray},
      {"darray", 24, make_darray},
      {"resized", 8, make_resized},
      {"indexed", 20, make_indexed},
      {"hindexed", 20, make_hindexed},
      {"indexed_block", 24, make_indexed_blocks},
      {"hindexed_block", 16, make_hindexed_blocks},
      {"vector of vectors", 24, make_vector_of_vectors},
      {"dup", 8, [](auto* type) { MPI_Type_dup(MPI_DOUBLE, type); }},
      {"nothing", 0, [](auto* type) { MPI_Type_contiguous(0, MPI_INT, type); }},
  };
  return all;
}

// Sends `count` of a type around the ring; `out` and `in` are what lies in memory.
void send_around(const Here& here, const void* out, void* in, int count, MPI_Datatype type) {
  MPI_Sendrecv(out, count, type, here.right(), kTag, in, count, type, here.left(), kTag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The bytes that a message of this memory carries.
std::vector<char> packed(const Memory& memory, int count, MPI_Datatype type) {
  std::vector<char> bytes(sizeof(Memory));
  int used = 0;
  MPI_Pack(memory.data(), count, type, bytes.data(), static_cast<int>(bytes.size()), &used,
           MPI_COMM_WORLD);
  bytes.resize(static_cast<std::size_t>(used));
  return bytes;
}

// Every type is freed before the next is made, so that MPI may give the next the same handle.
void every_constructor(const Here& here) {
  for (int round = 0; round < 3; ++round)
    for (const Kind& kind : kinds()) {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      kind.make(&type);
      MPI_Type_commit(&type);
      Memory out, in;
      out.fill(here.rank + 1);
      in.fill(-1);
      send_around(here, out.data(), in.data(), round, type);
      known_sent(here.right(), 1, round * kind.bytes);
      Memory sent;
      sent.fill(here.left() + 1);
      expect(packed(in, round, type) == packed(sent, round, type),
             std::string("the content of a message of type ") + kind.name);
      MPI_Type_free(&type);
    }
}

// As often as it takes to meet the same handle again, each time with another size.
void reborn_handles(const Here& here) {
  for (int size = 1; size <= 40; ++size) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(size, MPI_INT, &type);
    MPI_Type_commit(&type);
    Memory out, in;
    out.fill(here.rank * 100 + size);
    send_around(here, out.data(), in.data(), 1, type);
    known_sent(here.right(), 1, 4LL * size);
    expect(in[0] == here.left() * 100 + size && in[static_cast<std::size_t>(size - 1)] == in[0],
           "a message of a type made anew");
    MPI_Type_free(&type);
  }
}

// A type may go while a request still uses it.
void freed_while_in_use(const Here& here) {
  for (int round = 0; round < 3; ++round) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    Memory out, in;
    out.fill(here.rank);
    MPI_Request requests[2];
    MPI_Send_init(out.data(), 2, type, here.right(), kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in.data(), 2, type, here.left(), kTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    MPI_Type_contiguous(50, MPI_INT, &type);  // perhaps at the same handle
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    known_sent(here.right(), 1, 32);
    expect(in[0] == here.left() && in[2] == here.left(), "a message of a type that was freed");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_free(&type);
  }
}

void predefined_types(const Here& here) {
  struct Named {
    MPI_Datatype type;
    long long bytes;
  };
  const std::vector<Named> all = {{MPI_CHAR, 1},
                                  {MPI_INT16_T, 2},
                                  {MPI_FLOAT, 4},
                                  {MPI_LONG_LONG, 8},
                                  {MPI_LONG_DOUBLE, 16},
                                  {MPI_C_BOOL, 1},
                                  {MPI_C_DOUBLE_COMPLEX, 16},
                                  {MPI_2INT, 8},
                                  {MPI_DOUBLE_INT, 12},
                                  {MPI_SHORT_INT, 6},
                                  {MPI_AINT, 8},
                                  {MPI_OFFSET, 8},
                                  {MPI_COUNT, 8},
                                  {MPI_WCHAR, 4},
                                  {MPI_PACKED, 1}};
  for (const Named& named : all) {
    Memory out, in;
    out.fill(here.rank);
    send_around(here, out.data(), in.data(), 3, named.type);
    known_sent(here.right(), 1, 3 * named.bytes);
  }
}

// The addresses are in the type; MPI_BOTTOM is the buffer.
void absolute_addresses(const Here& here) {
  int first = here.rank;
  double second = here.rank * 0.5;
  const auto send_type = [](int* number, double* fraction) {
    std::array<MPI_Aint, 2> places{};
    MPI_Get_address(number, &places[0]);
    MPI_Get_address(fraction, &places[1]);
    const std::array<int, 2> lengths = {1, 1};
    const std::array<MPI_Datatype, 2> members = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths.data(), places.data(), members.data(), &type);
    MPI_Type_commit(&type);
    return type;
  };
  int first_in = -1;
  double second_in = -1;
  MPI_Datatype out = send_type(&first, &second);
  MPI_Datatype in = send_type(&first_in, &second_in);
  MPI_Sendrecv(MPI_BOTTOM, 1, out, here.right(), kTag, MPI_BOTTOM, 1, in, here.left(), kTag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  known_sent(here.right(), 1, 12);
  expect(first_in == here.left() && second_in == here.left() * 0.5, "a message from MPI_BOTTOM");
  MPI_Type_free(&out);
  MPI_Type_free(&in);
}

void packed_messages(const Here& here) {
  std::array<char, 256> out{}, in{};
  const std::array<double, 3> values = {1.0 + here.rank, 2, 3};
  int used = 0;
  MPI_Pack(&here.rank, 1, MPI_INT, out.data(), 256, &used, MPI_COMM_WORLD);
  MPI_Pack(values.data(), 3, MPI_DOUBLE, out.data(), 256, &used, MPI_COMM_WORLD);
  send_around(here, out.data(), in.data(), used, MPI_PACKED);
  known_sent(here.right(), 1, used);
  int position = 0;
  int rank = -1;
  MPI_Unpack(in.data(), 256, &position, &rank, 1, MPI_INT, MPI_COMM_WORLD);
  expect(rank == here.left(), "what was packed");
}

// Leaves the processors to those that work: a rank that waits inside MPI may be busy with it.
void sleep_until_told() {
  int arrived = 0;
  while (arrived == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    MPI_Iprobe(1, kTag, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// 3 GiB whose bytes all come from the same 4 KiB of memory, and a broadcast with nobody to send to
// of what would be 24 GiB.
void more_than_an_int_counts(const Here& here) {
  constexpr int kBlock = 4096;
  constexpr int kBlocks = 3 * (1 << 18);
  constexpr long long kBytes = 1LL * kBlock * kBlocks;
  static_assert(kBytes == 3LL << 30);
  MPI_Datatype same_again = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(kBlocks, kBlock, 0, MPI_BYTE, &same_again);
  MPI_Type_commit(&same_again);
  std::vector<char> memory(kBlock, static_cast<char>(1 + here.rank));
  if (here.rank == 0) {
    MPI_Send(memory.data(), 1, same_again, 1, kTag, MPI_COMM_WORLD);
    known_sent(1, 1, kBytes);
  } else if (here.rank == 1) {
    MPI_Recv(memory.data(), 1, same_again, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(memory == std::vector<char>(kBlock, 1), "the content of a message of 3 GiB");
    for (int other = 2; other < here.ranks; ++other) {
      MPI_Send(nullptr, 0, MPI_BYTE, other, kTag, MPI_COMM_WORLD);
      known_sent(other, 1, 0);
    }
  } else {
    sleep_until_told();
  }
  MPI_Type_free(&same_again);

  MPI_Datatype sixteen = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(16, MPI_BYTE, &sixteen);
  MPI_Type_commit(&sixteen);
  constexpr int kMany = (1 << 30) + (1 << 29);
  MPI_Bcast(memory.data(), kMany, sixteen, 0, MPI_COMM_SELF);
  known_collective("bcast", std::to_string(here.rank).c_str(), 16LL * kMany);
  MPI_Type_free(&sixteen);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    every_constructor(here);
    reborn_handles(here);
    freed_while_in_use(here);
    predefined_types(here);
    absolute_addresses(here);
    packed_messages(here);
    more_than_an_int_counts(here);
  });
}
