#include "profiles/recorder/traced_call.hpp"

#include <algorithm>

namespace huddle::recorder {
namespace {

using Kind = TracedRequest::Kind;

bool was_cancelled(const MPI_Status& status) {
  int flag = 0;
  HUDDLE_REAL(Test_cancelled)(&status, &flag);
  return flag != 0;
}

std::uint64_t bytes_of(const MPI_Status& status) {
  MPI_Count count = 0;
  HUDDLE_REAL(Get_elements_x)(&status, byte_datatype(), &count);
  return count < 0 ? 0 : static_cast<std::uint64_t>(count);  // MPI_UNDEFINED
}

Event at(std::uint64_t time, EventKind kind, std::uint32_t subject) {
  Event event;
  event.time = time;
  event.kind = kind;
  event.subject = subject;
  return event;
}

Event of_request(std::uint64_t time, EventKind kind, std::uint64_t request) {
  Event event = at(time, kind, 0);
  event.request = request;
  return event;
}

// In an intercommunicator the root itself says MPI_ROOT, and the others of its side, which have no
// part, MPI_PROC_NULL.
std::uint32_t root_in(const TracedCommunicator& comm, int root, int no_root,
                      std::uint32_t own_rank) {
  if (root == MPI_ROOT) return own_rank;
  if (root == no_root || root == MPI_PROC_NULL) return kNobody;
  return comm.rank_of(root);
}

}  // namespace

bool TracedCall::keep(int count, const MPI_Request* requests) noexcept {
  try {
    trace_.requests.assign(requests, requests + std::max(count, 0));
    return true;
  } catch (...) {
    trace_.shared().gave_up.store(true);
    return false;
  }
}

bool TracedCall::keep(int count, const MPI_Request* requests, MPI_Status*& statuses) noexcept {
  if (!keep(count, requests)) return false;
  if (statuses != MPI_STATUSES_IGNORE) return true;
  try {
    if (trace_.statuses.size() < trace_.requests.size())
      trace_.statuses.resize(trace_.requests.size());
    if (!trace_.statuses.empty()) statuses = trace_.statuses.data();
    return true;
  } catch (...) {
    trace_.shared().gave_up.store(true);
    return false;
  }
}

const TracedCommunicator* TracedCall::known_communicator(MPI_Comm handle) noexcept {
  try {
    return handle == no_communicator() ? nullptr : &trace_.communicator(handle);
  } catch (...) {
    trace_.shared().gave_up.store(true);
    return nullptr;
  }
}

const TracedWindow* TracedCall::known_window(MPI_Win handle) noexcept {
  try {
    return &trace_.shared().tables.find_window(handle);
  } catch (...) {
    trace_.shared().gave_up.store(true);
    return nullptr;
  }
}

void TracedCall::sent(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (to < 0) return;
  const TracedCommunicator& all = trace_.communicator(comm);
  Event event = at(begin_, EventKind::kSend, all.number);
  event.peer = all.rank_of(to);
  if (event.peer == kNobody) return;
  event.tag = static_cast<std::uint32_t>(tag);
  event.bytes = thread_.sizes.bytes(count, type);
  trace_.append(event);
}

void TracedCall::received(const TracedCommunicator& comm, const MPI_Status& status,
                          std::uint64_t request) {
  const bool nonblocking = request != kNoRequest;
  if (was_cancelled(status)) {
    if (nonblocking) trace_.append(of_request(end_, EventKind::kRequestCancelled, request));
    return;
  }
  Event event = at(end_, nonblocking ? EventKind::kIrecv : EventKind::kRecv, comm.number);
  event.peer = comm.rank_of(status.MPI_SOURCE);
  if (event.peer == kNobody) return;
  event.request = request;
  event.tag = static_cast<std::uint32_t>(status.MPI_TAG);
  event.bytes = bytes_of(status);
  trace_.append(event);
}

void TracedCall::matched(MPI_Comm comm, MPI_Message message) {
  trace_.shared().tables.bind_message(message, trace_.communicator(comm));
}

void TracedCall::tell_send(const TracedRequest& request) {
  Event event = of_request(begin_, EventKind::kIsend, request.number);
  event.subject = request.communicator->number;
  event.peer = request.peer;
  event.tag = request.tag;
  event.bytes = request.bytes;
  trace_.append(event);
}

void TracedCall::posted_send(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request request) {
  if (to < 0) return;
  TracedRequest send;
  send.communicator = &trace_.communicator(comm);
  send.peer = send.communicator->rank_of(to);
  if (send.peer == kNobody) return;
  send.number = trace_.new_request();
  send.bytes = thread_.sizes.bytes(count, type);
  send.tag = static_cast<std::uint32_t>(tag);
  tell_send(send);
  trace_.shared().requests.add(request, send);
}

void TracedCall::posted_receive(int from, const TracedCommunicator& comm, MPI_Request request) {
  if (from == MPI_PROC_NULL) return;
  TracedRequest receive;
  receive.kind = Kind::kReceive;
  receive.communicator = &comm;
  receive.number = trace_.new_request();
  trace_.append(of_request(begin_, EventKind::kIrecvRequest, receive.number));
  trace_.shared().requests.add(request, receive);
}

void TracedCall::prepared_send(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                               MPI_Request request) {
  if (to < 0) return;
  TracedRequest send;
  send.communicator = &trace_.communicator(comm);
  send.peer = send.communicator->rank_of(to);
  if (send.peer == kNobody) return;
  send.bytes = thread_.sizes.bytes(count, type);
  send.tag = static_cast<std::uint32_t>(tag);
  send.persistent = true;
  send.active = false;
  trace_.shared().requests.add(request, send);
}

void TracedCall::prepared_receive(int from, MPI_Comm comm, MPI_Request request) {
  if (from == MPI_PROC_NULL) return;
  TracedRequest receive;
  receive.kind = Kind::kReceive;
  receive.communicator = &trace_.communicator(comm);
  receive.persistent = true;
  receive.active = false;
  trace_.shared().requests.add(request, receive);
}

void TracedCall::started(MPI_Request handle) {
  const auto request = trace_.shared().requests.start(handle, trace_.new_request());
  if (!request) return;
  if (request->kind == Kind::kSend)
    tell_send(*request);
  else
    trace_.append(of_request(begin_, EventKind::kIrecvRequest, request->number));
}

void TracedCall::completed(MPI_Request handle, const MPI_Status& status) {
  if (handle == no_request()) return;
  const auto request = trace_.shared().requests.end(handle);
  if (!request) return;
  switch (request->kind) {
    case Kind::kReceive:
      return received(*request->communicator, status, request->number);
    case Kind::kSend: {
      const bool cancelled = was_cancelled(status);
      trace_.append(of_request(end_,
                               cancelled ? EventKind::kRequestCancelled : EventKind::kIsendComplete,
                               request->number));
      return;
    }
    case Kind::kCollective:
      break;
  }
  Event event = of_request(end_, EventKind::kCollectiveComplete, request->number);
  event.subject = request->communicator->number;
  event.collective = request->collective;
  event.peer = request->peer;
  event.bytes = request->bytes;
  trace_.append(event);
}

void TracedCall::completed_all(int count, const MPI_Status* statuses) {
  for (int i = 0; i < count; ++i)
    completed(trace_.requests[static_cast<std::size_t>(i)], statuses[i]);
}

void TracedCall::completed_one(int index, const MPI_Status& status) {
  if (index >= 0) completed(trace_.requests[static_cast<std::size_t>(index)], status);
}

void TracedCall::completed_some(int count, const int* indices, const MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) completed_one(indices[i], statuses[i]);
}

void TracedCall::joined(Collective kind, int root, MPI_Comm comm) {
  joined_known(kind, root, trace_.communicator(comm));
}

void TracedCall::joined_known(Collective kind, int root, const TracedCommunicator& comm) {
  Event event = at(end_, EventKind::kCollectiveEnd, comm.number);
  event.collective = kind;
  event.peer = root_in(comm, root, kNoRoot, trace_.shared().tables.own_rank());
  event.bytes = thread_.contributed;
  trace_.append(event);
}

void TracedCall::begun(Collective kind, int root, MPI_Comm comm, MPI_Request handle) {
  const TracedCommunicator& all = trace_.communicator(comm);
  TracedRequest request;
  request.kind = Kind::kCollective;
  request.communicator = &all;
  request.collective = kind;
  request.number = trace_.new_request();
  request.peer = root_in(all, root, kNoRoot, trace_.shared().tables.own_rank());
  request.bytes = thread_.contributed;
  trace_.append(of_request(begin_, EventKind::kCollectiveRequest, request.number));
  trace_.shared().requests.add(handle, request);
}

void TracedCall::made(MPI_Comm comm) {
  if (comm != no_communicator()) trace_.shared().tables.add(comm);
}

// The libraries make the handle at once. Later it can't be asked for: Fortran's interface has it in
// a variable of its own.
void TracedCall::begun_copy(MPI_Comm comm, MPI_Comm copy, MPI_Request request) {
  trace_.shared().tables.add_copy(copy, trace_.communicator(comm));
  begun(Collective::kOther, kNoRoot, comm, request);
}

void TracedCall::accessed(std::uint64_t bytes, int target, MPI_Win win) {
  if (target < 0) return;
  const TracedWindow& window = trace_.shared().tables.find_window(win);
  Event event = at(begin_, EventKind::kOneSided, window.number);
  event.peer = window.communicator->rank_of(target);
  event.bytes = bytes;
  if (event.peer != kNobody) trace_.append(event);
}

void TracedCall::synchronised(EventKind kind, MPI_Win win) {
  synchronised(kind, trace_.shared().tables.find_window(win));
}

void TracedCall::synchronised(EventKind kind, const TracedWindow& window) {
  trace_.append(at(end_, kind, window.number));
}

void TracedCall::synchronised(EventKind kind, MPI_Group group, MPI_Win win) {
  const std::uint32_t ranks = trace_.shared().tables.group(group);
  Event event = at(end_, kind, trace_.shared().tables.find_window(win).number);
  event.group = ranks;
  trace_.append(event);
}

}  // namespace huddle::recorder
