#include "profiles/recorder/call_accounting.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/recorder/mpi/communicators.hpp"

namespace huddle::recorder {

namespace {

// The side of an intercommunicator that contributes data names the root's rank; on the other side
// the root passes MPI_ROOT, and the other ranks pass MPI_PROC_NULL.
bool only_receives(int root) {
  return root == MPI_ROOT || root == MPI_PROC_NULL;
}

bool is_root(const UsedCommunicator& communicator, int root) {
  return communicator.inter ? root == MPI_ROOT : root == communicator.rank;
}

}  // namespace

// Never destroyed: the program may call MPI while it exits.
const std::string& name_of_operation(std::uint32_t operation) {
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> list(kOperationNames.begin(), kOperationNames.end());
    for (std::string& name : list)
      for (char& letter : name)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return list;
  }());
  return names.at(operation);
}

std::vector<std::string> names_of_traced_calls() {
  std::vector<std::string> names;
  for (const std::string_view name : kOperationNames) names.push_back("MPI_" + std::string(name));
  names.insert(names.end(), {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"});
  return names;
}

void CallAccounting::sent_first(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return;
  const auto receiver = communicator(comm).world_rank(to);
  if (!receiver) return;
  const std::uint64_t size = bytes(count, type);
  const MessageCell cell = thread_.counters.add_message(Traffic::kSent, *receiver, size);
  if (thread_.sizes.is_lasting(type))
    thread_.recent_sends.remember(count, type, to, comm, size, cell);
}

void CallAccounting::prepared(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm,
                              MPI_Request request) {
  if (to == MPI_PROC_NULL) return;
  const auto receiver = communicator(comm).world_rank(to);
  if (!receiver) return;
  PersistentTransfer send;
  send.messages.push_back({Traffic::kSent, *receiver, bytes(count, type)});
  shared_.persistent.remember(request, std::move(send));
}

void CallAccounting::started(int count, const MPI_Request requests[]) {
  for (int i = 0; i < count; ++i)
    shared_.persistent.visit(requests[i], [&](const PersistentTransfer& transfer) {
      for (const PersistentTransfer::Message& message : transfer.messages)
        thread_.counters.add_message(message.kind, message.receiver, message.bytes);
      if (transfer.collective)
        thread_.counters.add_collective(*transfer.collective, transfer.contributed, 0);
    });
}

void CallAccounting::met(MPI_Comm comm) {
  add_collective(communicator(comm), 0);
}

void CallAccounting::broadcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  add_collective(all, is_root(all, root) ? bytes(count, type) : 0);
}

void CallAccounting::gathered(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                              MPI_Count in_count, MPI_Datatype in_type, int root, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  if (only_receives(root)) return add_collective(all, 0);
  add_collective(all, out == MPI_IN_PLACE ? bytes(in_count, in_type) : bytes(out_count, out_type));
}

void CallAccounting::gathered(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                              const Counts& in_counts, MPI_Datatype in_type, int root,
                              MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  if (only_receives(root)) return add_collective(all, 0);
  add_collective(all, out == MPI_IN_PLACE
                          ? bytes(in_counts[static_cast<std::size_t>(all.rank)], in_type)
                          : bytes(out_count, out_type));
}

void CallAccounting::scattered(MPI_Count out_count, MPI_Datatype type, int root, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  const auto peers = static_cast<std::uint64_t>(all.peer_count);
  add_collective(all, is_root(all, root) ? peers * bytes(out_count, type) : 0);
}

void CallAccounting::scattered(const Counts& out_counts, MPI_Datatype type, int root,
                               MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  add_collective(all, is_root(all, root) ? total(out_counts, all.peer_count, type) : 0);
}

void CallAccounting::exchanged(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                               MPI_Count in_count, MPI_Datatype in_type, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  const std::uint64_t each =
      out == MPI_IN_PLACE ? bytes(in_count, in_type) : bytes(out_count, out_type);
  add_collective(all, static_cast<std::uint64_t>(all.peer_count) * each);
}

void CallAccounting::exchanged(const void* out, const Counts& out_counts, MPI_Datatype out_type,
                               const Counts& in_counts, MPI_Datatype in_type, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  add_collective(all, out == MPI_IN_PLACE ? total(in_counts, all.peer_count, in_type)
                                          : total(out_counts, all.peer_count, out_type));
}

void CallAccounting::exchanged(const void* out, const Counts& out_counts,
                               const MPI_Datatype out_types[], const Counts& in_counts,
                               const MPI_Datatype in_types[], MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  const bool in_place = out == MPI_IN_PLACE;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(all.peer_count); ++i)
    sum += in_place ? bytes(in_counts[i], in_types[i]) : bytes(out_counts[i], out_types[i]);
  add_collective(all, sum);
}

void CallAccounting::reduced(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  add_collective(communicator(comm), only_receives(root) ? 0 : bytes(count, type));
}

void CallAccounting::reduced_and_scattered(MPI_Count in_count, MPI_Datatype type, MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  const int ranks = all.participants - (all.inter ? all.peer_count : 0);
  add_collective(all, static_cast<std::uint64_t>(ranks) * bytes(in_count, type));
}

void CallAccounting::reduced_and_scattered(const Counts& in_counts, MPI_Datatype type,
                                           MPI_Comm comm) {
  UsedCommunicator& all = communicator(comm);
  const int ranks = all.participants - (all.inter ? all.peer_count : 0);
  add_collective(all, total(in_counts, ranks, type));
}

std::uint64_t CallAccounting::total(const Counts& counts, int ranks, MPI_Datatype type) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks); ++i)
    sum += static_cast<std::uint64_t>(counts[i]);
  return sum * bytes(1, type);
}

void CallAccounting::add_collective(UsedCommunicator& communicator, std::uint64_t bytes,
                                    std::vector<PersistentTransfer::Message> messages) {
  CommunicatorCache::identify(communicator, shared_.communicators);
  thread_.contributed = bytes;
  const CollectiveKey key = {
      .operation = static_cast<std::uint32_t>(prepares_ ? started_as(operation_) : operation_),
      .communicator = communicator.id,
      .participants = static_cast<std::uint32_t>(communicator.recorded_participants)};
  if (prepares_)
    shared_.persistent.remember(request_, {key, bytes, std::move(messages)});
  else
    thread_.counters.add_collective(key, bytes, ticks_);
}

template <class BytesTo>
void CallAccounting::add_sent_to_neighbours(MPI_Comm comm, BytesTo bytes_to) {
  UsedCommunicator& all = communicator(comm);
  std::uint64_t sum = 0;
  std::vector<PersistentTransfer::Message> prepared;
  const std::vector<int>& neighbours = neighbours_of(all);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i] == MPI_PROC_NULL) continue;
    const std::uint64_t bytes = bytes_to(i);
    sum += bytes;
    const auto receiver = all.world_rank(neighbours[i]);
    if (receiver && prepares_)
      prepared.push_back({Traffic::kSentToNeighbours, *receiver, bytes});
    else if (receiver)
      thread_.counters.add_message(Traffic::kSentToNeighbours, *receiver, bytes);
  }
  add_collective(all, sum, std::move(prepared));
}

void CallAccounting::sent_to_neighbours(MPI_Count out_count, MPI_Datatype type, MPI_Comm comm) {
  const std::uint64_t each = bytes(out_count, type);
  add_sent_to_neighbours(comm, [&](std::size_t) { return each; });
}

void CallAccounting::sent_to_neighbours(const Counts& out_counts, MPI_Datatype type,
                                        MPI_Comm comm) {
  add_sent_to_neighbours(comm, [&](std::size_t i) { return bytes(out_counts[i], type); });
}

void CallAccounting::sent_to_neighbours(const Counts& out_counts, const MPI_Datatype types[],
                                        MPI_Comm comm) {
  add_sent_to_neighbours(comm, [&](std::size_t i) { return bytes(out_counts[i], types[i]); });
}

void CallAccounting::add_one_sided(Traffic kind, std::uint64_t bytes, int target, MPI_Win win) {
  if (target == MPI_PROC_NULL) return;
  if (const auto partner = thread_.windows.find(win).world_rank(target))
    thread_.counters.add_message(kind, *partner, bytes);
}

void CallAccounting::put(MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
  add_one_sided(Traffic::kPut, bytes(count, type), target, win);
}

void CallAccounting::fetched(MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
  add_one_sided(Traffic::kFetched, bytes(count, type), target, win);
}

void CallAccounting::put_and_fetched(MPI_Count count, MPI_Datatype type, MPI_Count fetched_count,
                                     MPI_Datatype fetched_type, int target, MPI_Op op,
                                     MPI_Win win) {
  if (op != no_op()) put(count, type, target, win);
  fetched(fetched_count, fetched_type, target, win);
}

void CallAccounting::compared_and_swapped(MPI_Datatype type, int target, MPI_Win win) {
  put(1, type, target, win);
  fetched(1, type, target, win);
}

}  // namespace huddle::recorder
