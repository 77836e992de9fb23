// Locks and accesses to files, as OTF2 writes them.

#include <doctest/doctest.h>

#include "profiles/traces/trace.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"
#include "tests/profiles/traces/odd_archive.hpp"

namespace huddle::traces {
namespace {

std::string text_of_events(Trace& trace, std::uint32_t location) {
  return lines_of(all_events(*trace.events_of(location)));
}

}  // namespace

TEST_CASE("locks of windows are read with their target and kind") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  archive.events(1);
  OTF2_EvtWriter_RmaRequestLock(events, nullptr, 10, 4, 1, 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_RmaAcquireLock(events, nullptr, 20, 4, 1, 3, OTF2_LOCK_SHARED);
  OTF2_EvtWriter_RmaReleaseLock(events, nullptr, 30, 4, 1, 3);
  OTF2_EvtWriter_RmaReleaseLock(events, nullptr, 40, 9, 1, 3);
  archive.define_ranks(2);
  OTF2_GlobalDefWriter_WriteRmaWin(archive.definitions(), 4, archive.text("w"), 0,
                                   OTF2_RMA_WIN_FLAG_NONE);
  const auto trace = open_otf2(archive.finish());
  CHECK(text_of_events(*trace, 0) ==
        "10 window locked 0 peer 1 request 1\n"
        "20 window locked 0 peer 1 tag 3 request 0\n"
        "30 window unlocked 0 peer 1 tag 3\n");
}

TEST_CASE("locks of threads are read with their order") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  OTF2_EvtWriter_ThreadAcquireLock(events, nullptr, 10, OTF2_PARADIGM_OPENMP, 7, 3);
  OTF2_EvtWriter_ThreadReleaseLock(events, nullptr, 20, OTF2_PARADIGM_OPENMP, 7, 3);
// Older tools write these.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  OTF2_EvtWriter_OmpAcquireLock(events, nullptr, 30, 8, 1);
  OTF2_EvtWriter_OmpReleaseLock(events, nullptr, 40, 8, 1);
#pragma GCC diagnostic pop
  archive.define_ranks(1);
  const auto trace = open_otf2(archive.finish());
  CHECK(text_of_events(*trace, 0) ==
        "10 lock acquired 7 request 3\n"
        "20 lock released 7 request 3\n"
        "30 lock acquired 8 request 1\n"
        "40 lock released 8 request 1\n");
}

TEST_CASE("accesses to files make members wait if they are collective and blocking") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  archive.events(1);
  const auto access = [&](std::uint64_t time, std::uint32_t file, OTF2_IoOperationFlag flags) {
    OTF2_EvtWriter_IoOperationBegin(events, nullptr, time, file, OTF2_IO_OPERATION_MODE_WRITE,
                                    flags, 4096, time);
    OTF2_EvtWriter_IoOperationComplete(events, nullptr, time + 5, file, 4096, time);
  };
  access(10, 5, OTF2_IO_OPERATION_FLAG_COLLECTIVE);
  access(20, 5, OTF2_IO_OPERATION_FLAG_NONE);
  access(30, 5, OTF2_IO_OPERATION_FLAG_COLLECTIVE | OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
  access(40, 6, OTF2_IO_OPERATION_FLAG_COLLECTIVE);  // opened by one process
  archive.define_ranks(2);
  OTF2_GlobalDefWriter* definitions = archive.definitions();
  const std::uint32_t name = archive.text("f");
  OTF2_GlobalDefWriter_WriteIoRegularFile(definitions, 2, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (const std::uint32_t file : {5U, 6U})
    OTF2_GlobalDefWriter_WriteIoHandle(definitions, file, name, 2, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                       file == 5 ? 0 : OTF2_UNDEFINED_COMM,
                                       OTF2_UNDEFINED_IO_HANDLE);
  const auto trace = open_otf2(archive.finish());
  CHECK(text_of_events(*trace, 0) == "10 file collective 0 bytes 4096\n");
}

}  // namespace huddle::traces
