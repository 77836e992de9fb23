#include "profiles/formats/profile.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::string refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { parse_profile(bytes, "p"); });
}

void check_refused(const BrokenField& broken) {
  CAPTURE(broken.pointer);
  CAPTURE(broken.value);
  const std::string document = with_field(text_of(sample_profile()), broken.pointer, broken.value);
  CHECK(refusal(document) == message_of(broken, "p"));
}

const std::string kWhole = "a whole number, 0 or more";
const std::string kNothing = "nothing";
const std::string kThis = "this field";
const std::string kText = "a text";

TEST_CASE("a field of a profile's identity that is missing or wrong is named") {
  const std::vector<BrokenField> table = {
      {"/format", "", "field format", kNothing, kThis},
      {"/format", "null", "field format", "null", kText},
      {"/format", "\"huddle/plan\"", "field format", "\"huddle/plan\"", "\"huddle/profile\""},
      {"/version", "", "field version", kNothing, kThis},
      {"/version", "\"1\"", "field version", "\"1\"", kWhole},
      {"/version", "2", "field version", "2", "1, the version that this huddle reads"},
      {"/label", "", "field label", kNothing, kThis},
      {"/label", "5", "field label", "5", kText},
      {"/user", "null", "field user", "null", kText},
      {"/ranks", "", "field ranks", kNothing, kThis},
      {"/ranks", "0", "field ranks", "0", "1 or more"},
      {"/ranks", "-1", "field ranks", "-1", "a whole number from 0 to 2147483648"},
      {"/ranks", "2.5", "field ranks", "2.5", "a whole number from 0 to 2147483648"},
      {"/ranks", "2147483649", "field ranks", "2147483649", "a whole number from 0 to 2147483648"},
      {"/ranks", "\"2\"", "field ranks", "\"2\"", "a whole number from 0 to 2147483648"},
      {"/ranks", "3", "field rank_records", "an array of 2",
       "an array of 3, one for each rank of a complete profile"},
      {"/complete", "\"yes\"", "field complete", "\"yes\"", "true or false"},
      {"/complete", "false", "field cut_short_reason", kNothing, kThis},
      {"/program", "[]", "field program", "an array of 0", "an object"},
      {"/program/executable", "", "field program.executable", kNothing, kThis},
      {"/program/build_id", "7", "field program.build_id", "7", kText},
      {"/program/arguments", "{}", "field program.arguments", "an object of 0", "an array"},
      {"/program/arguments/1", "5", "field program.arguments[1]", "5", kText},
      {"/mpi", "", "field mpi", kNothing, kThis},
      {"/mpi/library", "[1,2]", "field mpi.library", "an array of 2", kText},
      {"/job", "3", "field job", "3", "an object"},
      {"/job/slurm_job_id", "-1", "field job.slurm_job_id", "-1", kWhole},
      {"/job/slurm_step_id", "", "field job.slurm_step_id", kNothing, kThis},
      {"/job/slurm_step_id", "4294967296", "field job.slurm_step_id", "4294967296",
       "a whole number from 0 to 4294967295"},
      {"/job/started_at", "", "field job.started_at", kNothing, kThis},
      {"/counters/measured", "1", "field counters.measured", "1", "true or false"},
      {"/counters/reason", "", "field counters.reason", kNothing, kThis},
      {"/rank_records", "", "field rank_records", kNothing, kThis},
      {"/rank_records", "{}", "field rank_records", "an object of 0", "an array"},
      {"/rank_records/1", "", "field rank_records", "an array of 1",
       "an array of 2, one for each rank of a complete profile"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("a field of a rank's record that is missing or wrong is named with the record") {
  const std::string at = "field rank_records[1]";
  const std::string number = "a finite number";
  const std::vector<BrokenField> table = {
      {"/rank_records/1", "5", at, "5", "an object"},
      {"/rank_records/1/rank", "2", at + ".rank", "2", "a whole number from 0 to 1"},
      {"/rank_records/1/rank", "0", "field rank_records", "an array of 2", "rank 0 only once"},
      {"/rank_records/1/node", "", at + ".node", kNothing, kThis},
      {"/rank_records/1/pus", "[0]", at + ".pus", "an array of 1", kText},
      {"/rank_records/1/pus", "\"0-\"", at + ".pus", "\"0-\"", "a list of PUs such as 0-3,8"},
      {"/rank_records/1/pus", "\"70000\"", at + ".pus", "\"70000\"", "a list of PUs such as 0-3,8"},
      {"/rank_records/1/run_time_s", "\"1\"", at + ".run_time_s", "\"1\"", number},
      {"/rank_records/1/run_time_s", "null", at + ".run_time_s", "null", number},
      {"/rank_records/1/run_time_s", "NaN", at + ".run_time_s", "null", number},
      {"/rank_records/1/run_time_s", "inf", at + ".run_time_s", "null", number},
      {"/rank_records/1/run_time_s", "-0.5", at + ".run_time_s", "-0.5", "a number, 0 or more"},
      {"/rank_records/1/mpi_time_s", "11.5", at + ".mpi_time_s", "11.5", "at most run_time_s, 11"},
      {"/rank_records/1/mpi_time_s", "", at + ".mpi_time_s", kNothing, kThis},
      {"/rank_records/1/cpu_time_s", "-1", at + ".cpu_time_s", "-1", "a number, 0 or more"},
      {"/rank_records/1/peak_resident_bytes", "1.5", at + ".peak_resident_bytes", "1.5", kWhole},
      {"/rank_records/1/peak_resident_bytes", "18446744073709551616", at + ".peak_resident_bytes",
       "1.8446744073709552e+19", kWhole},
      {"/rank_records/1/sent", "", at + ".sent", kNothing, kThis},
      {"/rank_records/1/sent", "[]", at + ".sent", "an array of 0", "an object"},
      {"/rank_records/1/sent/receiver/0", "2", at + ".sent.receiver[0]", "2",
       "a whole number from 0 to 1"},
      {"/rank_records/1/sent/size_class/1", "65", at + ".sent.size_class[1]", "65",
       "a whole number from 0 to 64"},
      {"/rank_records/1/sent/size_class/1", "", at + ".sent.size_class", "an array of 1",
       "an array of 2, as long as \"receiver\""},
      {"/rank_records/1/sent/messages", "[1,2,3]", at + ".sent.messages", "an array of 3",
       "an array of 2, as long as \"receiver\""},
      {"/rank_records/1/sent/messages/0", "-3", at + ".sent.messages[0]", "-3", kWhole},
      {"/rank_records/1/sent/bytes", "null", at + ".sent.bytes", "null", "an array"},
      {"/rank_records/1/sent/bytes/0", "8", at + ".sent.bytes[0]", "8",
       "0, since the size class is 0"},
      {"/rank_records/1/sent/size_class/0", "11", at + ".sent", "an object of 4",
       "receiver 0 with size class 11 only once"},
      {"/rank_records/1/collectives", "", at + ".collectives", kNothing, kThis},
      {"/rank_records/1/collectives/0/operation", "1", at + ".collectives[0].operation", "1",
       kText},
      {"/rank_records/1/collectives/0/communicator", "", at + ".collectives[0].communicator",
       kNothing, kThis},
      {"/rank_records/1/collectives/0/participants", "3", at + ".collectives[0].participants", "3",
       "a whole number from 0 to 2"},
      {"/rank_records/1/collectives/0/size_class", "65", at + ".collectives[0].size_class", "65",
       "a whole number from 0 to 64"},
      {"/rank_records/1/collectives/0/calls", "-1", at + ".collectives[0].calls", "-1", kWhole},
      {"/rank_records/1/collectives/0/bytes", "true", at + ".collectives[0].bytes", "true", kWhole},
      {"/rank_records/1/collectives/0/time_s", "-1", at + ".collectives[0].time_s", "-1",
       "a number, 0 or more"},
  };
  for (const BrokenField& broken : table) check_refused(broken);
}

TEST_CASE("what a writer need not know may be absent or null") {
  const std::string text = text_of(sample_profile());
  for (const std::string value : {"", "null"}) {
    const RankRecord record =
        parse_profile(with_field(with_field(text, "/rank_records/0/cpu_time_s", value),
                                 "/rank_records/0/peak_resident_bytes", value),
                      "p")
            .rank_records.front();
    CHECK_FALSE(record.cpu_time.has_value());
    CHECK(record.peak_resident == Bytes{0});
    const std::string no_job = with_field(text, "/job/slurm_job_id", value);
    CHECK(parse_profile(no_job, "p").slurm_job_id == 0);
  }
}

TEST_CASE("fields that this version does not know are passed over") {
  CHECK(refusal(with_field(text_of(sample_profile()), "/phases", "[1]")) == "");
}

TEST_CASE("records and cells are put in order") {
  Profile profile = sample_profile(3);
  std::swap(profile.rank_records[0], profile.rank_records[2]);
  std::swap(profile.rank_records[0].sent[0], profile.rank_records[0].sent[1]);
  const Profile read = parse_profile(text_of(profile), "p");
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    CHECK(read.rank_records[rank].rank == Rank{rank});
    CHECK(read.rank_records[rank].sent[0].size_class == 0);
    CHECK(read.rank_records[rank].sent[1].size_class == 11);
  }
}

TEST_CASE("a profile that was cut short may lack ranks and keeps its reason") {
  Profile profile = sample_profile(8);
  profile.rank_records.resize(3);
  profile.complete = false;
  profile.cut_short_reason = "rank 5 called MPI_Abort";
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const Profile read = parse_profile(text_of(profile, encoding), "p");
    CHECK_FALSE(read.complete);
    CHECK(read.cut_short_reason == "rank 5 called MPI_Abort");
    CHECK(read.rank_records.size() == 3);
    CHECK(read.ranks == 8);
  }
  profile.rank_records.clear();
  CHECK(parse_profile(text_of(profile), "p").rank_records.empty());
}

TEST_CASE("a file in either form says the same, and errors name its path") {
  const TemporaryDirectory directory;
  const auto json = directory.path() / "p.json";
  const auto cbor = directory.path() / "p.cbor";
  save_profile(sample_profile(), json);
  save_profile(sample_profile(), cbor);
  CHECK(get_file(json) == text_of(sample_profile(), Encoding::kJson));
  CHECK(get_file(cbor) == text_of(sample_profile(), Encoding::kCbor));
  CHECK(text_of(load_profile(json)) == get_file(json));
  CHECK(text_of(load_profile(cbor)) == get_file(json));
  put_file(json, "{}");
  CHECK(error_of<FormatError>([&] { load_profile(json); }) ==
        json.string() + ": field format: found nothing, expected this field");
}

TEST_CASE("a missing, empty or odd file is an error and never waits") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "p";
  CHECK_THROWS_AS(load_profile(path), SystemError);
  put_file(path, "");
  CHECK(error_of<FormatError>([&] { load_profile(path); }) ==
        path.string() + ": the file: found nothing in it, expected a huddle document");
  REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_AS(load_profile(directory.path() / "pipe"), FormatError);
  CHECK_THROWS_AS(load_profile(directory.path()), FormatError);
}

TEST_CASE("times and nodes of a run are those of its ranks") {
  const Profile profile = sample_profile(3);
  CHECK(profile.run_time() == Seconds{12});
  CHECK(profile.mean_computation_time().value == doctest::Approx(8.5));  // (7.5 + 8.5 + 9.5) / 3
  CHECK(profile.nodes() == std::vector<std::string>{"node0", "node1"});
  CHECK(profile.ranks_per_node() == 2);
  CHECK(Profile{}.run_time() == Seconds{0});
  CHECK(Profile{}.mean_computation_time() == Seconds{0});
  CHECK(Profile{}.ranks_per_node() == 0);
}

}  // namespace
}  // namespace huddle
