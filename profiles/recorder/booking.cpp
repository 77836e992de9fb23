#include "profiles/recorder/booking.hpp"

#include <array>
#include <string>
#include <string_view>

namespace huddle::recorder {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
#define HUDDLE_CALL(Name, Parameters, Arguments, Book) #Name,
#define HUDDLE_RELEASE(Name, Parameters, Arguments, Forget) #Name,
#include "profiles/recorder/calls.def"
#undef HUDDLE_CALL
#undef HUDDLE_RELEASE
});

// The side of an intercommunicator that hands data in names its partner's rank; the other side says
// MPI_ROOT, or MPI_PROC_NULL where it has no part.
bool only_receives(int root) {
  return root == MPI_ROOT || root == MPI_PROC_NULL;
}

bool is_root(const CommunicatorCache::Communicator& communicator, int root) {
  return communicator.inter ? root == MPI_ROOT : root == communicator.rank;
}

}  // namespace

std::string name_of_operation(std::uint32_t operation) {
  std::string name(kNames.at(operation));
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return name;
}

void Booking::sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return;
  const auto receiver = CommunicatorCache::world_rank(communicator(comm), to);
  if (receiver) thread_.counters.add_message(*receiver, bytes(count, type));
}

void Booking::prepared(int count, MPI_Datatype type, int to, MPI_Comm comm, MPI_Request request) {
  if (to == MPI_PROC_NULL) return;
  const auto receiver = CommunicatorCache::world_rank(communicator(comm), to);
  if (receiver) persistent_.remember(request, {*receiver, bytes(count, type)});
}

void Booking::started(int count, const MPI_Request requests[]) {
  for (int i = 0; i < count; ++i)
    if (const auto send = persistent_.find(requests[i]))
      thread_.counters.add_message(send->receiver, send->bytes);
}

void Booking::met(MPI_Comm comm) {
  add_collective(communicator(comm), 0);
}

void Booking::broadcast(int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  add_collective(all, is_root(all, root) ? bytes(count, type) : 0);
}

void Booking::gathered(const void* out, int out_count, MPI_Datatype out_type, int in_count,
                       MPI_Datatype in_type, int root, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  if (only_receives(root)) return add_collective(all, 0);
  add_collective(all, out == MPI_IN_PLACE ? bytes(in_count, in_type) : bytes(out_count, out_type));
}

void Booking::gathered(const void* out, int out_count, MPI_Datatype out_type, const int in_counts[],
                       MPI_Datatype in_type, int root, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  if (only_receives(root)) return add_collective(all, 0);
  add_collective(
      all, out == MPI_IN_PLACE ? bytes(in_counts[all.rank], in_type) : bytes(out_count, out_type));
}

void Booking::scattered(int out_count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  const auto peers = static_cast<std::uint64_t>(all.peers);
  add_collective(all, is_root(all, root) ? peers * bytes(out_count, type) : 0);
}

void Booking::scattered(const int out_counts[], MPI_Datatype type, int root, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  add_collective(all, is_root(all, root) ? total(out_counts, all.peers, type) : 0);
}

void Booking::exchanged(const void* out, int out_count, MPI_Datatype out_type, int in_count,
                        MPI_Datatype in_type, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  const std::uint64_t each =
      out == MPI_IN_PLACE ? bytes(in_count, in_type) : bytes(out_count, out_type);
  add_collective(all, static_cast<std::uint64_t>(all.peers) * each);
}

void Booking::exchanged(const void* out, const int out_counts[], MPI_Datatype out_type,
                        const int in_counts[], MPI_Datatype in_type, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  add_collective(all, out == MPI_IN_PLACE ? total(in_counts, all.peers, in_type)
                                          : total(out_counts, all.peers, out_type));
}

void Booking::exchanged(const void* out, const int out_counts[], const MPI_Datatype out_types[],
                        const int in_counts[], const MPI_Datatype in_types[], MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  const bool in_place = out == MPI_IN_PLACE;
  std::uint64_t sum = 0;
  for (int i = 0; i < all.peers; ++i)
    sum += in_place ? bytes(in_counts[i], in_types[i]) : bytes(out_counts[i], out_types[i]);
  add_collective(all, sum);
}

void Booking::reduced(int count, MPI_Datatype type, int root, MPI_Comm comm) {
  add_collective(communicator(comm), only_receives(root) ? 0 : bytes(count, type));
}

void Booking::reduced_and_scattered(int in_count, MPI_Datatype type, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  const int ranks = all.participants - (all.inter ? all.peers : 0);
  add_collective(all, static_cast<std::uint64_t>(ranks) * bytes(in_count, type));
}

void Booking::reduced_and_scattered(const int in_counts[], MPI_Datatype type, MPI_Comm comm) {
  const Communicator& all = communicator(comm);
  const int ranks = all.participants - (all.inter ? all.peers : 0);
  add_collective(all, total(in_counts, ranks, type));
}

std::uint64_t Booking::total(const int counts[], int ranks, MPI_Datatype type) {
  std::uint64_t sum = 0;
  for (int i = 0; i < ranks; ++i) sum += static_cast<std::uint64_t>(counts[i]);
  return sum * bytes(1, type);
}

void Booking::add_collective(const Communicator& communicator, std::uint64_t bytes) {
  thread_.counters.add_collective(
      {.operation = static_cast<std::uint32_t>(operation_),
       .derived = !communicator.world,
       .participants = static_cast<std::uint32_t>(communicator.recorded_participants)},
      bytes, ticks_);
}

}  // namespace huddle::recorder
