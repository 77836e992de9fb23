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

int class_of(int error) {
  int result = MPI_ERR_UNKNOWN;
  HUDDLE_REAL(Error_class)(error, &result);
  return result;
}

// A message that is too long for its receive has arrived all the same.
bool took_message_with(int error) {
  return error == MPI_SUCCESS || class_of(error) == MPI_ERR_TRUNCATE;
}

traces::Event at(std::uint64_t time, traces::EventKind kind, std::uint32_t subject) {
  traces::Event event;
  event.time = time;
  event.kind = kind;
  event.subject = subject;
  return event;
}

traces::Event of_request(std::uint64_t time, traces::EventKind kind, std::uint64_t request) {
  traces::Event event = at(time, kind, 0);
  event.request = request;
  return event;
}

// In an intercommunicator the root itself passes MPI_ROOT, and the others of its side, which have
// no part, MPI_PROC_NULL.
std::uint32_t root_in(const TracedCommunicator& comm, int root, int no_root,
                      std::uint32_t own_rank) {
  if (root == MPI_ROOT) return own_rank;
  if (root == no_root || root == MPI_PROC_NULL) return traces::kNobody;
  return comm.rank_of(root);
}

}  // namespace

bool TracedCall::keep(int count, const MPI_Request* requests) noexcept {
  return attempt([&] {
    trace_.requests.assign(requests, requests + (requests == nullptr ? 0 : std::max(count, 0)));
    return requests != nullptr || count <= 0;
  });
}

bool TracedCall::keep(int count, const MPI_Request* requests, MPI_Status*& statuses) noexcept {
  if (!keep(count, requests)) return false;
  if (statuses != MPI_STATUSES_IGNORE) return true;
  return attempt([&] {
    if (trace_.statuses.size() < trace_.requests.size())
      trace_.statuses.resize(trace_.requests.size());
    if (!trace_.statuses.empty()) statuses = trace_.statuses.data();
    return true;
  });
}

const TracedCommunicator* TracedCall::known_communicator(const MPI_Comm* handle) noexcept {
  if (handle == nullptr || *handle == no_communicator()) return nullptr;
  return attempt([&] { return &trace_.communicator(*handle); });
}

const TracedWindow* TracedCall::known_window(const MPI_Win* handle) noexcept {
  if (handle == nullptr || *handle == no_window()) return nullptr;
  return attempt([&] { return &trace_.shared().tables.find_window(*handle); });
}

TracedMessage TracedCall::take_message(const MPI_Message* message) noexcept {
  return message == nullptr ? TracedMessage{} : trace_.shared().tables.take_message(*message);
}

bool TracedCall::took_message(int error) {
  return took_message_with(error);
}

void TracedCall::sent(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (to < 0) return;
  const TracedCommunicator& all = trace_.communicator(comm);
  traces::Event event = at(begin_, traces::EventKind::kSend, all.number);
  event.peer = all.rank_of(to);
  event.tag = static_cast<std::uint32_t>(tag);
  event.bytes = thread_.sizes.bytes(count, type);
  trace_.append(event);
}

void TracedCall::received(const TracedCommunicator& comm, const MPI_Status& status,
                          std::uint64_t request) {
  const bool nonblocking = request != traces::kNoRequest;
  traces::Event event =
      at(end_, nonblocking ? traces::EventKind::kIrecv : traces::EventKind::kRecv, comm.number);
  const bool cancelled = was_cancelled(status);
  if (!cancelled) event.peer = comm.rank_of(status.MPI_SOURCE);
  // A message of another world is recorded, to be counted, and the request ends without it.
  if (nonblocking && event.peer == traces::kNobody)
    trace_.append(of_request(end_, traces::EventKind::kRequestCancelled, request));
  if (cancelled || status.MPI_SOURCE < 0) return;
  event.request = request;
  event.tag = static_cast<std::uint32_t>(status.MPI_TAG);
  event.bytes = bytes_of(status);
  trace_.append(event);
}

void TracedCall::matched(MPI_Comm comm, MPI_Message message) {
  if (message == message_of_nobody()) return;
  const TracedMessage found{&trace_.communicator(comm), trace_.new_request()};
  trace_.append(of_request(begin_, traces::EventKind::kIrecvRequest, found.request));
  trace_.shared().tables.bind_message(message, found);
}

void TracedCall::received_matched(const TracedMessage& message, const MPI_Status& status) {
  if (message.communicator == nullptr) return;
  if (took_message(outcome_))
    received(*message.communicator, status, message.request);
  else
    trace_.append(of_request(end_, traces::EventKind::kRequestCancelled, message.request));
}

// Whoever sends waits for this, not for the probe: the receive has a request of its own.
void TracedCall::posted_matched(const TracedMessage& message, MPI_Request request) {
  if (message.communicator == nullptr) return;
  trace_.append(of_request(begin_, traces::EventKind::kRequestCancelled, message.request));
  posted_receive(0, *message.communicator, request);
}

void TracedCall::record_send(const TracedRequest& request) {
  traces::Event event = of_request(begin_, traces::EventKind::kIsend, request.number);
  event.subject = request.communicator->number;
  event.peer = request.peer;
  event.tag = request.tag;
  event.bytes = request.bytes;
  trace_.append(event);
}

void TracedCall::posted_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request request) {
  if (to < 0) return;
  TracedRequest send;
  send.communicator = &trace_.communicator(comm);
  send.peer = send.communicator->rank_of(to);
  send.number = trace_.new_request();
  send.bytes = thread_.sizes.bytes(count, type);
  send.tag = static_cast<std::uint32_t>(tag);
  record_send(send);
  if (send.peer == traces::kNobody) return;  // of another world: it is only counted
  trace_.shared().requests.add(request, send);
}

void TracedCall::posted_receive(int from, const TracedCommunicator& comm, MPI_Request request) {
  if (from == MPI_PROC_NULL) return;
  TracedRequest receive;
  receive.kind = Kind::kReceive;
  receive.communicator = &comm;
  receive.number = trace_.new_request();
  trace_.append(of_request(begin_, traces::EventKind::kIrecvRequest, receive.number));
  trace_.shared().requests.add(request, receive);
}

void TracedCall::posted_receive_of_exchange(MPI_Count count, MPI_Datatype type, int from, int tag,
                                            MPI_Comm comm, MPI_Request request) {
  if (from == MPI_PROC_NULL) return;
  TracedRequest receive;
  receive.kind = Kind::kExchange;
  receive.communicator = &trace_.communicator(comm);
  receive.number = trace_.new_request();
  if (from != MPI_ANY_SOURCE && tag != MPI_ANY_TAG) {
    receive.peer = receive.communicator->rank_of(from);
    receive.tag = static_cast<std::uint32_t>(tag);
    receive.bytes = thread_.sizes.bytes(count, type);
  }
  trace_.append(of_request(begin_, traces::EventKind::kIrecvRequest, receive.number));
  trace_.shared().requests.add(request, receive);
}

// MPICH (to 4.2 at least) fills no status in. There the message is taken to be as long as it may
// be, and one from anybody is left out.
void TracedCall::received_in_exchange(const TracedRequest& request, const MPI_Status& status) {
#ifndef MPICH_NUMVERSION
  received(*request.communicator, status, request.number);
#else
  static_cast<void>(status);
  if (request.peer == traces::kNobody)
    return trace_.append(of_request(end_, traces::EventKind::kRequestCancelled, request.number));
  traces::Event event = of_request(end_, traces::EventKind::kIrecv, request.number);
  event.subject = request.communicator->number;
  event.peer = request.peer;
  event.tag = request.tag;
  event.bytes = request.bytes;
  trace_.append(event);
#endif
}

void TracedCall::prepared_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                               MPI_Request request) {
  if (to < 0) return;
  TracedRequest send;
  send.communicator = &trace_.communicator(comm);
  send.peer = send.communicator->rank_of(to);
  if (send.peer == traces::kNobody) return;
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
  switch (request->kind) {
    case Kind::kSend:
      return record_send(*request);
    case Kind::kReceive:
    case Kind::kExchange:
      return trace_.append(of_request(begin_, traces::EventKind::kIrecvRequest, request->number));
    case Kind::kCollective:
      return trace_.append(
          of_request(begin_, traces::EventKind::kCollectiveRequest, request->number));
  }
}

void TracedCall::completed(std::size_t place, const MPI_Status& status) {
  const MPI_Request handle = trace_.requests[place];
  if (handle == no_request()) return;
  const auto request = trace_.shared().requests.end(handle);
  if (!request) return;
  switch (request->kind) {
    case Kind::kReceive:
      return received(*request->communicator, status, request->number);
    case Kind::kExchange:
      return received_in_exchange(*request, status);
    case Kind::kSend: {
      const bool cancelled = was_cancelled(status);
      trace_.append(of_request(
          end_,
          cancelled ? traces::EventKind::kRequestCancelled : traces::EventKind::kIsendComplete,
          request->number));
      return;
    }
    case Kind::kCollective:
      break;
  }
  traces::Event event = of_request(end_, traces::EventKind::kCollectiveComplete, request->number);
  event.subject = request->communicator->number;
  event.collective = request->collective;
  event.peer = request->peer;
  event.bytes = request->bytes;
  trace_.append(event);
}

// The request ended by an error. Its handle may name another one next, so it must be forgotten.
void TracedCall::failed(std::size_t place, int error, const MPI_Status& status) {
  if (took_message_with(error)) return completed(place, status);
  const MPI_Request handle = trace_.requests[place];
  if (handle == no_request()) return;
  if (const auto request = trace_.shared().requests.end(handle))
    trace_.append(of_request(end_, traces::EventKind::kRequestCancelled, request->number));
}

// After an error MPI has freed the handle of a request that ended, unless that is persistent.
void TracedCall::completed_only(std::size_t place, const MPI_Request* request,
                                const MPI_Status& status) {
  if (outcome_ == MPI_SUCCESS) return completed(place, status);
  if (*request != trace_.requests[place] || took_message_with(outcome_))
    failed(place, outcome_, status);
}

// If some failed, the statuses say how each one ended, or that it did not.
void TracedCall::completed_all(int count, const MPI_Request* requests, const MPI_Status* statuses) {
  if (outcome_ != MPI_SUCCESS && class_of(outcome_) != MPI_ERR_IN_STATUS) return;
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const int error = outcome_ == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR;
    if (error == MPI_SUCCESS)
      completed(place, statuses[i]);
    else if (class_of(error) != MPI_ERR_PENDING || requests[i] != trace_.requests[place])
      failed(place, error, statuses[i]);
  }
}

void TracedCall::completed_any(int count, const MPI_Request* requests, const int* index,
                               const MPI_Status& status) {
  if (outcome_ == MPI_SUCCESS) {
    if (*index >= 0) completed(static_cast<std::size_t>(*index), status);
    return;
  }
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (requests[i] != trace_.requests[place]) failed(place, outcome_, status);
  }
}

void TracedCall::completed_some(const int* done, const int* indices, const MPI_Status* statuses) {
  if (outcome_ != MPI_SUCCESS && class_of(outcome_) != MPI_ERR_IN_STATUS) return;
  for (int i = 0; i < *done; ++i) {
    const auto place = static_cast<std::size_t>(indices[i]);
    failed(place, outcome_ == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR, statuses[i]);
  }
}

void TracedCall::joined(traces::Collective kind, int root, MPI_Comm comm) {
  joined_known(kind, root, trace_.communicator(comm));
}

void TracedCall::joined_known(traces::Collective kind, int root, const TracedCommunicator& comm) {
  traces::Event event = at(end_, traces::EventKind::kCollectiveEnd, comm.number);
  event.collective = kind;
  event.peer = root_in(comm, root, kNoRoot, trace_.shared().tables.own_rank());
  event.bytes = thread_.contributed;
  trace_.append(event);
}

TracedRequest TracedCall::collective_request(traces::Collective kind, int root, MPI_Comm comm) {
  const TracedCommunicator& all = trace_.communicator(comm);
  TracedRequest request;
  request.kind = Kind::kCollective;
  request.communicator = &all;
  request.collective = kind;
  request.peer = root_in(all, root, kNoRoot, trace_.shared().tables.own_rank());
  request.bytes = thread_.contributed;
  return request;
}

void TracedCall::prepared_collective(traces::Collective kind, int root, MPI_Comm comm,
                                     MPI_Request handle) {
  TracedRequest request = collective_request(kind, root, comm);
  request.persistent = true;
  request.active = false;
  trace_.shared().requests.add(handle, request);
}

void TracedCall::begun(traces::Collective kind, int root, MPI_Comm comm, MPI_Request handle) {
  TracedRequest request = collective_request(kind, root, comm);
  request.number = trace_.new_request();
  trace_.append(of_request(begin_, traces::EventKind::kCollectiveRequest, request.number));
  trace_.shared().requests.add(handle, request);
}

void TracedCall::made(MPI_Comm comm) {
  if (comm != no_communicator()) trace_.shared().tables.add(comm);
}

// The libraries make the handle at once. Later it can't be read: Fortran's interface keeps it in a
// variable of its own.
void TracedCall::begun_copy(MPI_Comm comm, MPI_Comm copy, MPI_Request request) {
  trace_.shared().tables.add_copy(copy, trace_.communicator(comm));
  begun(traces::Collective::kOther, kNoRoot, comm, request);
}

}  // namespace huddle::recorder
