#include "profiles/recorder/trace/event_packing.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

class Reader {
 public:
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = this->byte();
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return number;
    }
    throw Error("a number of more than ten bytes");
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::uint8_t byte() {
    if (at_ == end_) {
      whole_ = false;
      return 0;
    }
    return *at_++;
  }
  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  /// Nothing was missing.
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool whole_ = true;
};

Collective collective_of(std::uint8_t byte) {
  if (byte > static_cast<std::uint8_t>(Collective::kOther))
    throw Error(fmt::format("a collective of kind {}", byte));
  return static_cast<Collective>(byte);
}

}  // namespace

bool EventUnpacker::unpack(const std::uint8_t*& at, const std::uint8_t* end, Event& event) {
  if (at == end) return false;
  Reader reader(at, end);
  const std::uint8_t kind = reader.byte();
  if (kind > static_cast<std::uint8_t>(EventKind::kTeamEnd))
    throw Error(fmt::format("an event of kind {}", kind));
  const std::uint8_t fields = packing::kFields[kind];
  Event one;
  one.kind = static_cast<EventKind>(kind);
  one.time = time_ + reader.number();
  if (one.kind == EventKind::kLeave) {
    one.subject = last_enter_.subject;
    one.tag = last_enter_.tag;
  }
  if ((fields & packing::kSubject) != 0) one.subject = reader.small();
  if ((fields & packing::kPeer) != 0) one.peer = reader.small() - 1U;
  if ((fields & packing::kTag) != 0) one.tag = reader.small() - 1U;
  if ((fields & packing::kBytes) != 0) one.bytes = reader.number();
  if ((fields & packing::kRequest) != 0) one.request = reader.number();
  if ((fields & packing::kGroup) != 0) one.group = reader.small() - 1U;
  if ((fields & packing::kCollective) != 0) one.collective = collective_of(reader.byte());
  if (!reader.whole()) return false;
  if (one.kind == EventKind::kEnter) last_enter_ = one;
  time_ = one.time;
  at = reader.at();
  event = one;
  return true;
}

}  // namespace huddle::recorder
