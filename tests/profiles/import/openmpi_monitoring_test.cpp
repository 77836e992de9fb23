#include "profiles/import/openmpi_monitoring.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "profiles/vocabulary/size_class.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::imports {
namespace {

MonitoredRank parsed_rank(std::string_view text) {
  return parse_monitoring(text, "p.1.prof", Rank{1}, 4);
}

std::vector<std::filesystem::path> monitored(const std::string& run) {
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back(std::filesystem::path(HUDDLE_FIXTURES) / "matrices/openmpi-monitoring" /
                    (run + "." + std::to_string(rank) + ".prof"));
  return files;
}

bool notes_say(const Profile& profile, std::string_view words) {
  return std::any_of(profile.notes.begin(), profile.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST_CASE("what the program sent itself is point-to-point, what Open MPI sent is only summed") {
  const MonitoredRank rank = parsed_rank(
      "# POINT TO POINT\nE\t1\t2\t3000 bytes\t3 msgs sent\nI\t1\t0\t64 bytes\t8 msgs sent\n"
      "I\t1\t2\t6 bytes\t2 msgs sent\n# OSC\n# COLLECTIVES\nC\t1\t0\t64 bytes\t8 msgs sent\n"
      "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\nO2A\t1\t0 bytes\t0 msgs sent\n");
  CHECK(rank.record.rank == Rank{1});
  REQUIRE(rank.record.sent.size() == 1);
  CHECK(rank.record.sent[0].receiver == Rank{2});
  CHECK(rank.record.sent[0].messages == 3);
  CHECK(rank.record.sent[0].bytes == Bytes{3000});
  CHECK(rank.record.sent[0].size_class == size_class_of(1000));
  CHECK(rank.internal_messages == 10);
  CHECK(rank.internal_bytes == Bytes{70});
  CHECK(rank.internal_known);
}

TEST_CASE("collectives without messages of their own mean that both are counted together") {
  CHECK_FALSE(
      parsed_rank("E\t1\t0\t9 bytes\t1 msgs sent\nC\t1\t0\t9 bytes\t1 msgs sent\n").internal_known);
  CHECK(parsed_rank("E\t1\t0\t9 bytes\t1 msgs sent\n").internal_known);
}

TEST_CASE("a histogram of sizes is not used") {
  for (const char* histogram : {"2,0,0,4,0,0,0,0,0,1,0", "7,0"}) {
    const auto sent =
        parsed_rank(std::string("E\t1\t3\t424 bytes\t7 msgs sent\t") + histogram).record.sent;
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].size_class == size_class_of(61));
    CHECK(sent[0].bytes == Bytes{424});
  }
}

TEST_CASE("one-sided calls become puts and fetches, without the requests of gets") {
  const MonitoredRank rank = parsed_rank(
      "S\t1\t0\t80 bytes\t2 msgs sent\nS\t1\t3\t0 bytes\t1 msgs sent\nR\t1\t3\t160 bytes\t1 msgs "
      "sent\n");
  REQUIRE(rank.record.put.size() == 1);
  CHECK(rank.record.put[0].receiver == Rank{0});
  REQUIRE(rank.record.fetched.size() == 1);
  CHECK(rank.record.fetched[0].receiver == Rank{3});
  CHECK(rank.record.fetched[0].bytes == Bytes{160});
}

TEST_CASE("lines that Open MPI does not write are refused by line and column") {
  CHECK(error_of<FormatError>([] { parsed_rank("# x\nE\t2\t0\t1 bytes\t1 msgs sent\n"); }) ==
        "p.1.prof: line 2, column 3: found \"2\", expected 1, the rank that the file's name says");
  CHECK(error_of<FormatError>([] { parsed_rank("E\t1\t4\t1 bytes\t1 msgs sent\n"); }) ==
        "p.1.prof: line 1, column 5: found \"4\", expected a rank from 0 to 3");
  CHECK(error_of<FormatError>([] { parsed_rank("E\t1\t0\t1 byte\t1 msgs sent\n"); }) ==
        "p.1.prof: line 1, column 7: found \"1 byte\", expected a number and \"bytes\"");
  CHECK(error_of<FormatError>([] { parsed_rank("E\t1\t0\t1 bytes\n"); }) ==
        "p.1.prof: line 1, column 14: found the end of the line, expected a number and \"msgs "
        "sent\"");
  CHECK(error_of<FormatError>([] { parsed_rank("E\t1\t0\t1 bytes\t0 msgs sent\n"); }) ==
        "p.1.prof: line 1, column 15: found \"0 msgs sent\", expected 1 message or more, since "
        "there are 1 bytes");
  CHECK(error_of<FormatError>([] { parsed_rank("X\t1\n"); }) ==
        "p.1.prof: line 1, column 1: found \"X\", expected a line of Open MPI's monitoring: #, E, "
        "I, S, R, C, D, O2A, A2O or A2A");
  CHECK(error_of<FormatError>([] {
          parsed_rank("E\t1\t0\t1 bytes\t1 msgs sent\nE\t1\t0\t1 bytes\t1 msgs sent\n");
        }).find("expected one line E for rank 0") != std::string::npos);
  CHECK(error_of<FormatError>([] {
          parsed_rank("E\t1\t0\t18446744073709551615 bytes\t1 msgs sent\n");
        }).find("expected at most 2^53 bytes") != std::string::npos);
}

TEST_CASE("what a real run wrote becomes a ring, with the puts and gets that the program made") {
  const Profile profile = import_monitoring(monitored("level2"));
  REQUIRE(profile.ranks == 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    for (const SentMessages& cell : profile.rank_records[rank].sent) {
      CHECK(cell.receiver == Rank{(rank + 1) % 4});
      messages += cell.messages;
      bytes += cell.bytes.value;
    }
    CHECK(messages == 7);
    CHECK(bytes == 1043);
  }
  CHECK(profile.rank_records[0].put.front().bytes == Bytes{80});
  CHECK(profile.rank_records[2].put.empty());
  CHECK(profile.rank_records[2].fetched.front().receiver == Rank{3});
  CHECK(notes_say(profile, "Left out: 214 messages"));
}

TEST_CASE("a run that was monitored without distinguishing them is noted") {
  const Profile profile = import_monitoring(monitored("level1"));
  CHECK(notes_say(profile, "pml_monitoring_enable 2"));
  CHECK_FALSE(notes_say(profile, "Left out"));
}

TEST_CASE("files of all ranks are needed, each once") {
  const auto error = [](std::vector<std::filesystem::path> files) {
    return error_of<UsageError>([&] { import_monitoring(files); });
  };
  CHECK(error({}) == "no file of Open MPI's monitoring was named");
  CHECK(error({"a.txt"}) ==
        "a.txt: expected a name that ends in .RANK.prof, and those of all ranks");
  CHECK(error({"7.prof"}) ==
        "7.prof: expected a name that ends in .RANK.prof, and those of all ranks");
  CHECK(error({"a.0.prof", "a.2.prof"}) ==
        "a.2.prof is of rank 2, but there are only 2 files: name those of all ranks");
  CHECK(error({"a.0.prof", "b.0.prof"}) == "a.0.prof and b.0.prof are both of rank 0");
}

}  // namespace
}  // namespace huddle::imports
