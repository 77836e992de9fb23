// The messages of message_families, decided before any is sent. Nothing here calls MPI: the plan is
// the truth that a recorder's matrix is compared with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace programs {

// The calls that send one message, by their names in MPI without "MPI_" and in lower case.
enum class SendCall {
  kSend,
  kSsend,
  kBsend,
  kRsend,
  kIsend,
  kIssend,
  kIbsend,
  kIrsend,
  kSendrecv,
  kSendrecvReplace
};
inline constexpr int kSendCalls = 10;
const std::vector<std::string>& send_call_names();

// The communicators: MPI_COMM_WORLD; a duplicate of it; and the world split into the even and the
// odd world ranks, each with its ranks in reversed order.
enum class Group { kWorld, kDuplicate, kSplit };
inline constexpr int kGroups = 3;

// The elements of a message, and the bytes of data in one.
enum class Element {
  kByte,    // MPI_BYTE, 1
  kDouble,  // MPI_DOUBLE, 8
  kVector,  // MPI_Type_vector of 3 blocks of 2 MPI_INT every 5: 24, spread over 48
  kStruct   // MPI_Type_create_struct of an MPI_INT and an MPI_DOUBLE 8 further on: 12, in 16
};
inline constexpr int kElements = 4;
int data_bytes(Element element);

// The world ranks of the communicator of this group that world_rank belongs to, by rank in it.
std::vector<int> world_ranks_of(Group group, int world_rank, int world_size);

// One message from sender to receiver, ranks in the communicator. Tags number the messages of one
// step, so that no two messages of a sender are alike.
struct Message {
  int sender = 0;
  int receiver = 0;
  int count = 0;
  Element element = Element::kByte;
  int tag = 0;

  std::int64_t bytes() const { return std::int64_t{count} * data_bytes(element); }
};

// Messages that are under way together. In a step of Sendrecv or Sendrecv_replace every rank of the
// communicator sends at most one message and receives at most one, of the same count and element.
using Step = std::vector<Message>;

// The steps of one call in a communicator of so many ranks. Each rank sends to itself and to some
// ranks after it, once or several times, from 0 bytes to beyond the usual limits of eager sending,
// then once to the next without wrap-around.
std::vector<Step> plan(SendCall call, Group group, int size);

struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// The sum of the plans of these calls, in all groups: by sender and receiver, world ranks.
std::map<std::pair<int, int>, Traffic> truth(const std::vector<SendCall>& calls, int world_size);

}  // namespace programs
