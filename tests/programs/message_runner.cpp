#include "tests/programs/message_runner.hpp"

#include <string>

namespace programs {
namespace {

constexpr const char* kProgram = "message_families";

bool is_buffered(SendCall call) {
  return call == SendCall::kBsend || call == SendCall::kIbsend;
}

// The contents of the message: bytes that differ from those of any other message near it.
std::vector<char> contents(SendCall call, Group group, const Message& message) {
  const auto seed = static_cast<std::size_t>(
      ((static_cast<int>(call) * kGroups + static_cast<int>(group)) * 31 + message.sender) * 37 +
      message.receiver * 41 + message.tag * 43);
  std::vector<char> bytes(static_cast<std::size_t>(message.bytes()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>((seed + i * 7 + i / 256) % 251);
  return bytes;
}

std::string described(SendCall call, Group group, const Message& message) {
  static const std::array<const char*, kGroups> kNames = {"MPI_COMM_WORLD", "its duplicate",
                                                          "the split communicator"};
  return send_call_names()[static_cast<std::size_t>(call)] + " on " +
         kNames[static_cast<std::size_t>(group)] + " from " + std::to_string(message.sender) +
         " to " + std::to_string(message.receiver) + ", tag " + std::to_string(message.tag);
}

}  // namespace

MessageRunner::MessageRunner() {
  const int rank = world_rank();
  comms_[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms_[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comms_[2]);

  types_[0] = MPI_BYTE;
  types_[1] = MPI_DOUBLE;
  MPI_Type_vector(3, 2, 5, MPI_INT, &types_[2]);
  const std::array<int, 2> lengths = {1, 1};
  const std::array<MPI_Aint, 2> offsets = {0, 8};
  const std::array<MPI_Datatype, 2> members = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths.data(), offsets.data(), members.data(), &types_[3]);
  MPI_Type_commit(&types_[2]);
  MPI_Type_commit(&types_[3]);
}

MessageRunner::~MessageRunner() {
  MPI_Type_free(&types_[3]);
  MPI_Type_free(&types_[2]);
  MPI_Comm_free(&comms_[2]);
  MPI_Comm_free(&comms_[1]);
}

bool MessageRunner::run(SendCall call) {
  bool right = true;
  for (int g = 0; g < kGroups; ++g) {
    Place place{call, static_cast<Group>(g), comms_[static_cast<std::size_t>(g)], 0};
    int size = 0;
    MPI_Comm_rank(place.comm, &place.rank);
    MPI_Comm_size(place.comm, &size);
    const bool paired = call == SendCall::kSendrecv || call == SendCall::kSendrecvReplace;
    for (const Step& step : plan(call, place.group, size))
      right = (paired ? run_paired(place, step) : run_together(place, step)) && right;
  }
  return right;
}

// All receives are posted everywhere before anything is sent, as ready sends demand; nor can
// blocking sends then wait for each other in a circle.
bool MessageRunner::run_together(const Place& place, const Step& step) {
  std::vector<const Message*> incoming;
  for (const Message& message : step)
    if (message.receiver == place.rank) incoming.push_back(&message);
  std::vector<Buffer> received;
  std::vector<MPI_Request> receives(incoming.size());
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    const Message& message = *incoming[i];
    received.push_back(empty(message));
    // No two messages of a step share a tag, so that any source is as good as the right one.
    const int source = message.tag % 2 == 0 ? message.sender : MPI_ANY_SOURCE;
    MPI_Irecv(received[i].data(), message.count, type(message.element), source, message.tag,
              place.comm, &receives[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  attach_buffer_for(place, step);
  std::vector<Buffer> sent;
  std::vector<MPI_Request> sends;
  for (const Message& message : step) {
    if (message.sender != place.rank) continue;
    sent.push_back(filled(place, message));
    const auto request = send(place, sent.back().data(), message.count, message.element,
                              message.receiver, message.tag);
    if (request) sends.push_back(*request);
  }
  const double to_nobody = 0;
  const auto request = send(place, &to_nobody, 1, Element::kDouble, MPI_PROC_NULL, 0);
  if (request) sends.push_back(*request);
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  std::vector<MPI_Status> statuses(receives.size());
  MPI_Waitall(static_cast<int>(receives.size()), receives.data(), statuses.data());
  detach_buffer(place);

  bool right = true;
  for (std::size_t i = 0; i < incoming.size(); ++i)
    right = arrived(place, *incoming[i], received[i], statuses[i]) && right;
  return right;
}

// Every rank takes part, with MPI_PROC_NULL where it has nothing to send or to receive.
bool MessageRunner::run_paired(const Place& place, const Step& step) {
  if (step.empty()) return true;
  Message outgoing = step.front();
  Message incoming = step.front();
  outgoing.sender = incoming.receiver = place.rank;
  outgoing.receiver = incoming.sender = MPI_PROC_NULL;
  for (const Message& message : step) {
    if (message.sender == place.rank) outgoing = message;
    if (message.receiver == place.rank) incoming = message;
  }
  Buffer out = filled(place, outgoing);
  Buffer in = empty(incoming);
  MPI_Status status;
  if (place.call == SendCall::kSendrecv) {
    MPI_Sendrecv(out.data(), outgoing.count, type(outgoing.element), outgoing.receiver,
                 outgoing.tag, in.data(), incoming.count, type(incoming.element), incoming.sender,
                 incoming.tag, place.comm, &status);
  } else {
    in = out;
    MPI_Sendrecv_replace(in.data(), outgoing.count, type(outgoing.element), outgoing.receiver,
                         outgoing.tag, incoming.sender, incoming.tag, place.comm, &status);
  }
  return incoming.sender == MPI_PROC_NULL || arrived(place, incoming, in, status);
}

// Returns the request of a nonblocking call.
std::optional<MPI_Request> MessageRunner::send(const Place& place, const void* data, int count,
                                               Element element, int receiver, int tag) const {
  using Blocking = decltype(&MPI_Send);
  using Nonblocking = decltype(&MPI_Isend);
  static constexpr std::array<Blocking, 4> kBlocking = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
  static constexpr std::array<Nonblocking, 4> kNonblocking = {MPI_Isend, MPI_Issend, MPI_Ibsend,
                                                              MPI_Irsend};
  const auto call = static_cast<std::size_t>(place.call);
  if (call < kBlocking.size()) {
    kBlocking[call](data, count, type(element), receiver, tag, place.comm);
    return std::nullopt;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  kNonblocking[call - kBlocking.size()](data, count, type(element), receiver, tag, place.comm,
                                        &request);
  return request;
}

void MessageRunner::attach_buffer_for(const Place& place, const Step& step) {
  if (!is_buffered(place.call)) return;
  const auto room_for = [&](int count, Element element) {
    int packed = 0;
    MPI_Pack_size(count, type(element), place.comm, &packed);
    return static_cast<std::size_t>(packed + MPI_BSEND_OVERHEAD);
  };
  std::size_t room = room_for(1, Element::kDouble);
  for (const Message& message : step)
    if (message.sender == place.rank) room += room_for(message.count, message.element);
  attached_.resize(room);
  MPI_Buffer_attach(attached_.data(), static_cast<int>(room));
}

void MessageRunner::detach_buffer(const Place& place) {
  if (!is_buffered(place.call)) return;
  void* buffer = nullptr;
  int room = 0;
  MPI_Buffer_detach(&buffer, &room);
}

MessageRunner::Buffer MessageRunner::empty(const Message& message) const {
  MPI_Aint lowest = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type(message.element), &lowest, &extent);
  return Buffer(static_cast<std::size_t>(extent) * static_cast<std::size_t>(message.count));
}

MessageRunner::Buffer MessageRunner::filled(const Place& place, const Message& message) const {
  Buffer buffer = empty(message);
  if (message.count == 0) return buffer;
  const std::vector<char> bytes = contents(place.call, place.group, message);
  int position = 0;
  MPI_Unpack(bytes.data(), static_cast<int>(bytes.size()), &position, buffer.data(), message.count,
             type(message.element), place.comm);
  return buffer;
}

bool MessageRunner::arrived(const Place& place, const Message& message, const Buffer& buffer,
                            const MPI_Status& status) const {
  int count = 0;
  MPI_Get_count(&status, type(message.element), &count);
  const std::vector<char> expected = contents(place.call, place.group, message);
  std::vector<char> found(expected.size());
  int position = 0;
  if (message.count > 0)
    MPI_Pack(buffer.data(), message.count, type(message.element), found.data(),
             static_cast<int>(found.size()), &position, place.comm);
  if (status.MPI_SOURCE == message.sender && status.MPI_TAG == message.tag &&
      count == message.count && found == expected)
    return true;
  report(kProgram, described(place.call, place.group, message) + ": found source " +
                       std::to_string(status.MPI_SOURCE) + ", tag " +
                       std::to_string(status.MPI_TAG) + ", " + std::to_string(count) +
                       " elements, contents " + (found == expected ? "right" : "wrong") +
                       "; expected " + std::to_string(message.count) + " elements");
  return false;
}

}  // namespace programs
