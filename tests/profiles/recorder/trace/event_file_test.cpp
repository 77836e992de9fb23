#include "profiles/recorder/trace/event_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;
using namespace huddle::recorder;

namespace {

// Any event that a thread may record next: fields of its kind at random, from small to the largest.
class RandomEvents {
 public:
  traces::Event next() {
    traces::Event event;
    time_ += number() >> 8U;
    event.time = time_;
    event.kind = static_cast<traces::EventKind>(random_() % 26);
    // No deeper than a recorder may go.
    if (event.kind == traces::EventKind::kEnter && entered_.size() == 64)
      event.kind = traces::EventKind::kLeave;
    if (event.kind == traces::EventKind::kLeave) {
      if (entered_.empty()) return event;
      event.subject = entered_.back().subject;
      event.tag = entered_.back().tag;
      entered_.pop_back();
      return event;
    }
    const std::uint8_t fields = packing::kFields[static_cast<std::size_t>(event.kind)];
    if ((fields & packing::kSubject) != 0) event.subject = small();
    if ((fields & packing::kPeer) != 0) event.peer = small();
    if ((fields & packing::kTag) != 0) event.tag = small();
    if ((fields & packing::kGroup) != 0) event.group = small();
    if ((fields & packing::kBytes) != 0) event.bytes = number();
    if ((fields & packing::kRequest) != 0) event.request = number();
    if ((fields & packing::kCollective) != 0)
      event.collective = static_cast<traces::Collective>(random_() % 7);
    if (event.kind == traces::EventKind::kEnter) entered_.push_back(event);
    return event;
  }

 private:
  std::uint64_t number() { return random_() >> (random_() % 64); }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }

  std::mt19937_64 random_{7};
  std::uint64_t time_ = 0;
  std::vector<traces::Event> entered_;
};

bool same(const traces::Event& a, const traces::Event& b) {
  return a.time == b.time && a.request == b.request && a.bytes == b.bytes &&
         a.subject == b.subject && a.peer == b.peer && a.tag == b.tag && a.group == b.group &&
         a.kind == b.kind && a.collective == b.collective;
}

}  // namespace

TEST_CASE("events come out of their packing as they went in") {
  RandomEvents events;
  EventPacker packer;
  EventUnpacker unpacker;
  std::size_t wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::array<std::uint8_t, packing::kLargest> bytes{};
    const traces::Event event = events.next();
    std::uint8_t* const end = packer.pack(event, bytes.data());
    REQUIRE(end <= bytes.data() + bytes.size());
    const std::uint8_t* at = bytes.data();
    traces::Event back;
    if (!unpacker.unpack(at, end, back) || at != end || !same(event, back)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("an event that is cut waits for its end") {
  traces::Event event;
  event.kind = traces::EventKind::kIsend;
  event.time = 1'000'000;
  event.peer = 300;
  event.bytes = 1U << 20U;
  event.request = 7;
  std::array<std::uint8_t, packing::kLargest> bytes{};
  EventPacker packer;
  const std::uint8_t* const end = packer.pack(event, bytes.data());
  EventUnpacker unpacker;
  for (const std::uint8_t* cut = bytes.data(); cut != end; ++cut) {
    const std::uint8_t* at = bytes.data();
    traces::Event back;
    CHECK_FALSE(unpacker.unpack(at, cut, back));
    CHECK(at == bytes.data());
  }
  const std::uint8_t* at = bytes.data();
  traces::Event back;
  REQUIRE(unpacker.unpack(at, end, back));
  CHECK(same(event, back));
}

TEST_CASE("regions in each other without end are a damaged file") {
  EventPacker packer;
  EventUnpacker unpacker;
  traces::Event back;
  for (int depth = 0; depth <= 64; ++depth) {
    std::array<std::uint8_t, packing::kLargest> bytes{};
    const std::uint8_t* const end = packer.pack(traces::Event{}, bytes.data());
    const std::uint8_t* at = bytes.data();
    if (depth < 64)
      CHECK(unpacker.unpack(at, end, back));
    else
      CHECK_THROWS_AS(static_cast<void>(unpacker.unpack(at, end, back)), Error);
  }
}

TEST_CASE("a call's begin and end take a tenth of two events") {
  traces::Event event;
  event.subject = 100;
  event.tag = 20;
  event.time = 5000;
  std::array<std::uint8_t, 2 * packing::kLargest> bytes{};
  EventPacker packer;
  std::uint8_t* at = packer.pack(event, bytes.data());
  event.kind = traces::EventKind::kLeave;
  event.time += 5000;
  at = packer.pack(event, at);
  CHECK(at - bytes.data() <= 8);
}

TEST_CASE("bytes that are no events are refused") {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{26, 0}, std::vector<std::uint8_t>{255},
        std::vector<std::uint8_t>(12, 0x80),
        std::vector<std::uint8_t>{static_cast<std::uint8_t>(traces::EventKind::kCollectiveEnd), 0,
                                  0, 0, 0, 7}}) {
    std::vector<std::uint8_t> text = bytes;
    if (text[0] == 0x80) text[0] = 0;  // a number without end
    const std::uint8_t* at = text.data();
    EventUnpacker unpacker;
    traces::Event event;
    CHECK_THROWS_AS(unpacker.unpack(at, text.data() + text.size(), event), Error);
  }
}
