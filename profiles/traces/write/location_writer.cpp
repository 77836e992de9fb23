#include "profiles/traces/write/location_writer.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_EvtWriter.h>

#include <utility>

#include "profiles/traces/otf2_references.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

LocationWriter::LocationWriter(Otf2Output& output, PartTables& tables, std::uint32_t location)
    : output_(output),
      tables_(tables),
      rank_(tables.own().locations[location].rank),
      writer_(output.open_events(location_reference(tables.own().locations[location]))) {}

void LocationWriter::write(std::span<const Event> events) {
  for (const Event& event : events) write(event);
}

std::uint64_t LocationWriter::finish() {
  release_enter();
  return output_.close_events(std::exchange(writer_, nullptr));
}

void LocationWriter::write(const Event& event) {
  if (event.time < last_time_)
    throw Error(fmt::format("can't write an event of time {} behind one of time {}", event.time,
                            last_time_));
  last_time_ = event.time;
  switch (event.kind) {
    case EventKind::kEnter:
    case EventKind::kLeave:
      return write_region(event);
    case EventKind::kSend:
    case EventKind::kIsend:
    case EventKind::kIsendComplete:
    case EventKind::kIrecvRequest:
    case EventKind::kRecv:
    case EventKind::kIrecv:
    case EventKind::kRequestTested:
    case EventKind::kRequestCancelled:
      return write_message(event);
    case EventKind::kCollectiveEnd:
      return write_collective(event);
    case EventKind::kCollectiveRequest:
    case EventKind::kCollectiveComplete:
      return write_nonblocking_collective(event);
    case EventKind::kWindowCreated:
    case EventKind::kWindowFreed:
    case EventKind::kWindowFence:
      return write_window_collective(event);
    case EventKind::kWindowPost:
    case EventKind::kWindowStart:
    case EventKind::kWindowComplete:
    case EventKind::kWindowWait:
      return write_group_sync(event);
    case EventKind::kOneSided:
      return write_one_sided(event);
    case EventKind::kTeamBegin:
      release_enter();
      return output_.check(OTF2_EvtWriter_ThreadTeamBegin(writer_, nullptr, event.time,
                                                          tables_.team(event.subject)));
    case EventKind::kTeamEnd:
      release_enter();
      return output_.check(
          OTF2_EvtWriter_ThreadTeamEnd(writer_, nullptr, event.time, tables_.team(event.subject)));
  }
  throw Error(
      fmt::format("can't write an event of the unknown kind {}", static_cast<int>(event.kind)));
}

void LocationWriter::release_enter() {
  if (!held_enter_) return;
  output_.check(OTF2_EvtWriter_Enter(writer_, nullptr, held_enter_->time,
                                     tables_.region(held_enter_->subject)));
  held_enter_.reset();
}

void LocationWriter::write_region(const Event& event) {
  release_enter();
  const std::uint32_t reference = tables_.region(event.subject);
  if (event.kind == EventKind::kEnter) {
    regions_.push_back(event.subject);
    held_enter_ = event;
    return;
  }
  if (!regions_.empty()) regions_.pop_back();
  output_.check(OTF2_EvtWriter_Leave(writer_, nullptr, event.time, reference));
}

std::uint32_t LocationWriter::current_region() const {
  return regions_.empty() ? kNobody : regions_.back();
}

std::uint32_t LocationWriter::peer_in(std::uint32_t communicator, const Event& event) {
  if (const auto peer = tables_.view(communicator, rank_).peer(event.peer)) return *peer;
  throw Error(fmt::format("can't write an event of rank {}: rank {} is not in communicator {}",
                          rank_, event.peer, communicator));
}

void LocationWriter::write_message(const Event& event) {
  release_enter();
  switch (event.kind) {
    case EventKind::kIsendComplete:
      return output_.check(
          OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, event.time, event.request));
    case EventKind::kIrecvRequest:
      return output_.check(
          OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, event.time, event.request));
    case EventKind::kRequestTested:
      return output_.check(
          OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, event.time, event.request));
    case EventKind::kRequestCancelled:
      return output_.check(
          OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, event.time, event.request));
    default:
      break;
  }
  const std::uint32_t communicator = tables_.communicator(event.subject);
  const std::uint32_t peer = peer_in(event.subject, event);
  switch (event.kind) {
    case EventKind::kSend:
      return output_.check(OTF2_EvtWriter_MpiSend(writer_, nullptr, event.time, peer, communicator,
                                                  event.tag, event.bytes));
    case EventKind::kIsend:
      return output_.check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, event.time, peer, communicator,
                                                   event.tag, event.bytes, event.request));
    case EventKind::kRecv:
      return output_.check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, event.time, peer, communicator,
                                                  event.tag, event.bytes));
    default:
      return output_.check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, event.time, peer, communicator,
                                                   event.tag, event.bytes, event.request));
  }
}

}  // namespace huddle
