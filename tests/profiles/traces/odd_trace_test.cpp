// Traces as other tools write them.

#include <doctest/doctest.h>

#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"
#include "tests/profiles/traces/odd_archive.hpp"
#include "tests/profiles/traces/otf2_reference.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::traces {
namespace {

using Lines = std::vector<std::string>;

Lines events_of(Trace& trace, std::uint32_t location, Lines* remarks = nullptr) {
  const auto stream = trace.events_of(location);
  const std::string text = lines_of(all_events(*stream));
  if (remarks != nullptr) *remarks = stream->remarks();
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool any_contains(const Lines& lines, std::string_view part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a trace by EZTrace is read as far as it goes") {
  const auto trace = open_otf2(HUDDLE_FIXTURES "/traces/eztrace-four-ranks");
  const TraceDefinitions& definitions = trace->definitions();
  REQUIRE(definitions.ranks.size() == 4);
  CHECK(definitions.ranks[2].name == "P#2");
  CHECK(definitions.communicators[0].ranks == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(any_contains(definitions.remarks, "EZTrace begins the clock of each process at 0"));
  std::size_t sends = 0;
  for (const TraceRegion& region : definitions.regions) {
    if (region.name != "MPI_Isend") continue;
    ++sends;
    CHECK(region.kind == TraceRegion::Kind::kMpi);
  }
  CHECK(sends == 1);  // which each process defines

  Lines remarks;
  const auto stream = trace->events_of(1);
  const std::string text = lines_by_us(definitions, all_events(*stream));
  CHECK(text.find("42808962 recv MPI_COMM_WORLD 0 5 4\n") != std::string::npos);
  CHECK(text.find("collective MPI_COMM_536870913 0 4\n") != std::string::npos);
  remarks = stream->remarks();
  CHECK(any_contains(remarks, "2 nonblocking receives have no end"));
  CHECK(any_contains(remarks, "1 collective operation has no end"));
  CHECK(any_contains(remarks, "was not left before the one around it"));
}

TEST_CASE("regions that overlap are made to nest") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  OTF2_EvtWriter_Leave(events, nullptr, 5, 0);
  OTF2_EvtWriter_Enter(events, nullptr, 10, 0);
  OTF2_EvtWriter_Enter(events, nullptr, 20, 1);
  OTF2_EvtWriter_Enter(events, nullptr, 25, 99);
  OTF2_EvtWriter_Leave(events, nullptr, 30, 0);
  OTF2_EvtWriter_Leave(events, nullptr, 40, 1);
  archive.define_ranks(1);
  archive.define_region(0, "f", OTF2_PARADIGM_USER);
  archive.define_region(1, "g", OTF2_PARADIGM_USER);
  const auto trace = open_otf2(archive.finish());
  Lines remarks;
  CHECK(events_of(*trace, 0, &remarks) ==
        Lines{"10 enter 0", "20 enter 1", "30 leave 1", "30 leave 0"});
  CHECK(remarks == Lines{"1 time a region that is not defined was entered or left: left out.",
                         "2 regions were left that had not been entered: left out.",
                         "1 region was not left before the one around it: left at the same time."});
}

TEST_CASE("events that name what is not defined are left out, and counted") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  OTF2_EvtWriter_MpiSend(events, nullptr, 1, 1, 7, 0, 0);
  OTF2_EvtWriter_MpiSend(events, nullptr, 2, 5, 0, 0, 3);
  OTF2_EvtWriter_RmaPut(events, nullptr, 3, 4, 0, 8, 0);
  OTF2_EvtWriter_RmaGroupSync(events, nullptr, 4, OTF2_RMA_SYNC_LEVEL_PROCESS, 4, 1);
  archive.events(1);
  archive.define_ranks(2);
  archive.define_group(5, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 2});
  archive.define_comm(8, 5);
  archive.define_comm(9, 77);
  const auto trace = open_otf2(archive.finish());
  CHECK(trace->definitions().remarks ==
        Lines{"2 of 3 communicators name groups or ranks that are not there: left out with their "
              "events."});
  Lines remarks;
  CHECK(events_of(*trace, 0, &remarks) == Lines{"2 send 0 bytes 3"});
  CHECK(any_contains(remarks, "2 events in communicators, windows or teams"));
  CHECK(any_contains(remarks, "1 event with a rank that its communicator does not have"));
  CHECK(any_contains(remarks, "1 synchronisation of windows outside of"));
}

TEST_CASE("functions of MPI are known by their names, and named as MPI does") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  archive.events(0);
  archive.define_ranks(1);
  std::uint32_t id = 0;
  for (const char* name : {"MPI_Send", "mpi_send_", "PMPI_Send", "MPI_Send()", "mpi_helper",
                           "MPI_Win_post", "mpi_comm_split_", "solve()", ""})
    archive.define_region(id++, name, OTF2_PARADIGM_USER);
  const auto trace = open_otf2(archive.finish());
  Lines names;
  for (const TraceRegion& region : trace->definitions().regions)
    names.push_back((region.kind == TraceRegion::Kind::kMpi ? "MPI: " : "user: ") + region.name);
  CHECK(names == Lines{"MPI: MPI_Send", "user: mpi_helper", "MPI: MPI_Win_post",
                       "MPI: MPI_Comm_split", "user: solve()", "user: (unnamed)"});
}

TEST_CASE("times never fall") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  for (const std::uint64_t time : {100U, 150U, 151U, 160U})
    OTF2_EvtWriter_Enter(events, nullptr, time, 0);
  archive.define_ranks(1);
  archive.define_region(0, "f", OTF2_PARADIGM_USER);
  const auto trace = open_otf2(archive.finish());
  // OTF2 itself writes none that fall.
  const auto file = directory.path() / "t/traces/0.evt";
  std::string bytes = store::get_file(file);
  bytes.replace(bytes.find("\x05\x96"), 2, "\x05\x5a");  // 90
  bytes.replace(bytes.find("\x05\x97"), 2, "\x05\x5f");  // 95
  store::put_file(file, bytes);
  Lines remarks;
  CHECK(events_of(*trace, 0, &remarks) ==
        Lines{"100 enter 0", "100 enter 0", "100 enter 0", "160 enter 0"});
  CHECK(remarks == Lines{"2 times were before that of the event before, by 10 ticks at most: set "
                         "to the same."});
}

TEST_CASE("what is no thread of a processor is left out, and threads follow their rank's first") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  for (const std::uint64_t location : {5U, 6U, 7U, 8U, 9U}) archive.events(location);
  archive.define_process(3);
  archive.define_process(4, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR);
  archive.define_location(5, 3);
  archive.define_location(6, 3);
  archive.define_location(7, 3, OTF2_LOCATION_TYPE_METRIC);
  archive.define_location(8, 4, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
  archive.define_process(2);
  archive.define_location(9, 2);
  archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {9, 6});
  const auto trace = open_otf2(archive.finish());
  const TraceDefinitions& definitions = trace->definitions();
  CHECK(definitions.remarks ==
        Lines{"2 of 5 locations are no threads of processors (accelerators, metrics): left out."});
  REQUIRE(definitions.ranks.size() == 2);
  CHECK(definitions.ranks[0].name == "process 2");
  REQUIRE(definitions.ranks[1].locations.size() == 2);
  CHECK(definitions.locations[definitions.ranks[1].locations[0]].name == "location 6");
  CHECK(definitions.locations[definitions.ranks[1].locations[1]].name == "location 5");
}

TEST_CASE("threads of OpenMP have teams and barriers") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(1);
  OTF2_EvtWriter_ThreadTeamBegin(events, nullptr, 10, 0);
  OTF2_EvtWriter_Enter(events, nullptr, 20, 0);
  OTF2_EvtWriter_Leave(events, nullptr, 30, 0);
  OTF2_EvtWriter_ThreadTeamEnd(events, nullptr, 40, 0);
  archive.events(0);
  archive.define_process(0);
  archive.define_location(0, 0);
  archive.define_location(1, 0);
  archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {1, 0});
  archive.define_group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {1, 0});
  archive.define_comm(0, 1);
  archive.define_region(0, "!$omp implicit barrier", OTF2_PARADIGM_OPENMP,
                        OTF2_REGION_ROLE_IMPLICIT_BARRIER);
  archive.define_region(1, "!$omp for", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_LOOP);
  const auto trace = open_otf2(archive.finish());
  const TraceDefinitions& definitions = trace->definitions();
  CHECK(definitions.remarks.empty());  // one process needs no MPI
  REQUIRE(definitions.teams.size() == 1);
  CHECK(definitions.teams[0] == std::vector<std::uint32_t>{0, 1});
  CHECK(definitions.communicators.empty());
  CHECK(definitions.regions[0].kind == TraceRegion::Kind::kOpenmpBarrier);
  CHECK(definitions.regions[1].kind == TraceRegion::Kind::kOpenmp);
  CHECK(events_of(*trace, 1) ==
        Lines{"10 team begin 0", "20 enter 0", "30 leave 0", "40 team end 0"});
}

TEST_CASE(
    "regions that get locks of threads are distinguished from others of OpenMP by role or name") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  archive.events(0);
  archive.define_process(0);
  const auto of_openmp = [&](std::uint32_t id, const char* name, OTF2_RegionRole role) {
    archive.define_region(id, name, OTF2_PARADIGM_OPENMP, role);
  };
  archive.define_location(0, 0);
  of_openmp(0, "!$omp critical @f.c:7", OTF2_REGION_ROLE_CRITICAL);
  of_openmp(1, "!$omp critical sblock @f.c:7", OTF2_REGION_ROLE_CRITICAL_SBLOCK);
  of_openmp(2, "omp_set_nest_lock", OTF2_REGION_ROLE_WRAPPER);
  of_openmp(3, "omp_unset_lock", OTF2_REGION_ROLE_WRAPPER);
  of_openmp(4, "!$omp single @f.c:9", OTF2_REGION_ROLE_SINGLE);
  archive.define_region(5, "pthread_mutex_lock", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_WRAPPER);
  archive.define_region(6, "pthread_mutex_unlock", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_WRAPPER);
  archive.define_region(7, "pthread_rwlock_rdlock", OTF2_PARADIGM_PTHREAD,
                        OTF2_REGION_ROLE_WRAPPER);
  archive.define_region(8, "my_lock", OTF2_PARADIGM_USER, OTF2_REGION_ROLE_FUNCTION);
  // None of these waits.
  std::uint32_t id = 9;
  for (const char* const name :
       {"omp_init_lock", "omp_destroy_nest_lock", "omp_test_lock", "pthread_mutex_trylock",
        "pthread_rwlock_trywrlock", "pthread_rwlock_unlock"})
    archive.define_region(id++, name, OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_WRAPPER);
  const auto trace = open_otf2(archive.finish());
  using Kind = TraceRegion::Kind;
  std::vector<Kind> kinds;
  for (const TraceRegion& region : trace->definitions().regions) kinds.push_back(region.kind);
  REQUIRE(kinds.size() == 15);
  CHECK(std::ranges::count(kinds.begin() + 9, kinds.end(), Kind::kThreadLock) == 0);
  kinds.resize(9);
  CHECK(kinds == std::vector<Kind>{Kind::kThreadLock, Kind::kOpenmp, Kind::kThreadLock,
                                   Kind::kOpenmp, Kind::kOpenmp, Kind::kThreadLock, Kind::kUser,
                                   Kind::kThreadLock, Kind::kUser});
}

// As EZTrace 2.1 writes them.
TEST_CASE("of two groups of one number a team of threads has the one of its own name") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(1);
  OTF2_EvtWriter_ThreadTeamBegin(events, nullptr, 10, 1);
  OTF2_EvtWriter_ThreadTeamEnd(events, nullptr, 40, 1);
  archive.events(0);
  archive.define_process(0);
  archive.define_location(0, 0);
  archive.define_location(1, 0);
  archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0});
  archive.define_group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0});
  archive.define_comm(0, 1);
  const std::uint32_t name = archive.text("OpenMP Thread Team");
  archive.define_group(1, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {0, 1}, name);
  archive.define_comm(1, 1, name);
  const auto trace = open_otf2(archive.finish());
  const TraceDefinitions& definitions = trace->definitions();
  REQUIRE(definitions.teams.size() == 1);
  CHECK(definitions.teams[0] == std::vector<std::uint32_t>{0, 1});
  REQUIRE(definitions.communicators.size() == 1);
  CHECK(definitions.communicators[0].ranks == std::vector<std::uint32_t>{0});
  CHECK(events_of(*trace, 1) == Lines{"10 team begin 0", "40 team end 0"});
}

TEST_CASE("a calling context is entered with those functions around it that have no events") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  OTF2_EvtWriter_CallingContextEnter(events, nullptr, 10, 0, 1);  // main
  OTF2_EvtWriter_CallingContextSample(events, nullptr, 15, 2, 1, 0);
  OTF2_EvtWriter_CallingContextEnter(events, nullptr, 20, 2, 2);  // main, solve, MPI_Barrier
  OTF2_EvtWriter_CallingContextLeave(events, nullptr, 30, 2);
  OTF2_EvtWriter_CallingContextLeave(events, nullptr, 40, 0);
  OTF2_EvtWriter_CallingContextEnter(events, nullptr, 50, 3, 1);  // its own parent
  OTF2_EvtWriter_CallingContextLeave(events, nullptr, 60, 3);
  archive.define_ranks(1);
  archive.define_region(0, "main", OTF2_PARADIGM_COMPILER);
  archive.define_region(1, "solve", OTF2_PARADIGM_SAMPLING);
  archive.define_region(2, "MPI_Barrier", OTF2_PARADIGM_MPI);
  const auto context = [&](std::uint32_t id, std::uint32_t region, std::uint32_t parent) {
    OTF2_GlobalDefWriter_WriteCallingContext(archive.definitions(), id, region, 0, parent);
  };
  context(0, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
  context(1, 1, 0);
  context(2, 2, 1);
  context(3, 2, 3);
  const auto trace = open_otf2(archive.finish());
  CHECK(events_of(*trace, 0) == Lines{"10 enter 0", "20 enter 1", "20 enter 2", "30 leave 2",
                                      "30 leave 1", "40 leave 0", "50 enter 2", "60 leave 2"});
}

TEST_CASE("processes that no list of MPI orders are counted as they are defined") {
  const store::TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  archive.events(3);
  archive.events(4);
  archive.define_process(8);
  archive.define_process(7);
  archive.define_location(4, 7);
  archive.define_location(3, 8);
  const auto trace = open_otf2(archive.finish());
  REQUIRE(trace->definitions().ranks.size() == 2);
  CHECK(trace->definitions().ranks[0].name == "process 7");
  CHECK(any_contains(trace->definitions().remarks, "does not state which process has which rank"));
}

TEST_CASE("definitions of which no ranks can be made are refused") {
  const store::TemporaryDirectory directory;
  const auto complaint = [&](const std::string& name, auto&& define) {
    OddArchive archive(directory.path() / name);
    archive.events(0);
    define(archive);
    const auto anchor = archive.finish();
    return error_of<FormatError>([&] { open_otf2(anchor); });
  };
  CHECK(complaint("none", [](OddArchive&) {}).find("found no locations") != std::string::npos);
  CHECK(complaint("lost", [](OddArchive& archive) {
          archive.define_ranks(1);
          archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 5});
        }).empty());  // a second list: the first one is sound
  CHECK(complaint("undefined", [](OddArchive& archive) {
          archive.define_location(0, 0);
          archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 5});
        }).find("found rank 1 at location 5, which is not defined") != std::string::npos);
  CHECK(complaint("twice", [](OddArchive& archive) {
          archive.define_location(0, 0);
          archive.define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 0});
        }).find("found location 0 as ranks 0 and 1") != std::string::npos);
}

}  // namespace huddle::traces
