#include "profiles/recorder/trace/event_buffer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;
using namespace huddle::recorder;

namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40U;

traces::Event numbered(std::uint64_t number) {
  traces::Event event;
  event.time = number;
  event.kind = traces::EventKind::kIsendComplete;
  event.request = number;
  return event;
}

// The number of events that the file holds; -1 if one of them is not the one that it should be.
std::int64_t numbered_events_in(const RecordedThread& thread) {
  EventFile file(thread);
  std::int64_t count = 0;
  for (const auto* some = &file.next(); !some->empty(); some = &file.next())
    for (const traces::Event& event : *some) {
      if (event.request != static_cast<std::uint64_t>(count)) return -1;
      ++count;
    }
  return count;
}

}  // namespace

TEST_CASE("all events come to the file, in order, whatever the size of the buffers") {
  const store::TemporaryDirectory directory;
  for (const std::size_t portion : {128U, 1000U, 1U << 20U}) {
    EventWriter writer(kNoLimit);
    EventBuffer buffer(directory.path() / "events", portion, writer);
    for (std::uint64_t i = 0; i < 200'000; ++i) buffer.append(numbered(i));
    buffer.save();
    CHECK(numbered_events_in({buffer.path(), buffer.written()}) == 200'000);
  }
}

TEST_CASE("what another thread saves meanwhile is whole and comes once") {
  const store::TemporaryDirectory directory;
  EventWriter writer(kNoLimit);
  EventBuffer buffer(directory.path() / "events", 4096, writer);
  std::atomic<bool> done{false};
  std::thread saver([&] {
    while (!done.load()) buffer.save();
  });
  for (std::uint64_t i = 0; i < 300'000; ++i) buffer.append(numbered(i));
  done.store(true);
  saver.join();
  buffer.save();
  CHECK(numbered_events_in({buffer.path(), buffer.written()}) == 300'000);
}

TEST_CASE("at the limit the events end, at the end of one") {
  const store::TemporaryDirectory directory;
  EventWriter writer(10'000);
  EventBuffer buffer(directory.path() / "events", 1000, writer);
  for (std::uint64_t i = 0; i < 100'000; ++i) buffer.append(numbered(i));
  buffer.save();
  CHECK(writer.ended());
  CHECK(writer.why_ended().find("limit") != std::string::npos);
  CHECK(buffer.written() <= 10'000);
  CHECK(buffer.written() >= 8'000);
  CHECK(numbered_events_in({buffer.path(), buffer.written()}) > 1000);
}

TEST_CASE("a file that was cut is read up to where it was cut, if it may be") {
  const store::TemporaryDirectory directory;
  EventWriter writer(kNoLimit);
  EventBuffer buffer(directory.path() / "events", 4096, writer);
  for (std::uint64_t i = 0; i < 10'000; ++i) buffer.append(numbered(i));
  buffer.save();
  const std::uint64_t whole = buffer.written();
  std::filesystem::resize_file(buffer.path(), whole - 1);
  CHECK(numbered_events_in({buffer.path(), RecordedThread::kUnknown}) == 9'999);
  CHECK_THROWS_AS(numbered_events_in({buffer.path(), whole}), FormatError);
  CHECK_THROWS_AS(numbered_events_in({buffer.path(), whole - 1}), FormatError);
}

TEST_CASE("a file that can't be made is reported") {
  EventWriter writer(kNoLimit);
  CHECK_THROWS_AS(EventBuffer("/nowhere/events", 1000, writer), SystemError);
}
