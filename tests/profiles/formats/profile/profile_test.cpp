#include "profiles/formats/profile/profile.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/profile/profile_refusal.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

TEST_CASE("a mean may miss its extremes by rounding") {
  const std::string text = text_of(sample_profile());
  CHECK(profile_refusal(with_field(text, "/rank_records/0/phases/mean_s/1", "0.3750001")) == "");
}

TEST_CASE("a profile that was cut short may lack the tables that its records refer to") {
  Profile profile = sample_profile();
  profile.complete = false;
  profile.cut_short_reason = "MPI_Abort";
  profile.shared = {};
  CHECK(parse_profile(text_of(profile), "p") == profile);
  profile.complete = true;
  CHECK(profile_refusal(text_of(profile)) ==
        "p: field rank_records[0].collectives[1].communicator_id: found 77, expected the id of one "
        "of the communicators");
}

TEST_CASE("a profile of before there were phases, counters and tables is read as ever") {
  std::string text = text_of(sample_profile(1));
  for (const std::string member : {"/communicators",
                                   "/phase_groups",
                                   "/modules",
                                   "/openmp_regions",
                                   "/absent_events",
                                   "/notes",
                                   "/wait_states",
                                   "/rank_records/0/sent_to_neighbours",
                                   "/rank_records/0/put",
                                   "/rank_records/0/fetched",
                                   "/rank_records/0/calls",
                                   "/rank_records/0/phases",
                                   "/rank_records/0/openmp_regions",
                                   "/rank_records/0/packed_regions",
                                   "/rank_records/0/smaller_teams",
                                   "/rank_records/0/periods",
                                   "/rank_records/0/region_periods",
                                   "/rank_records/0/region_positions",
                                   "/rank_records/0/balancing",
                                   "/rank_records/0/events",
                                   "/rank_records/0/event_totals",
                                   "/rank_records/0/node_energy",
                                   "/rank_records/0/collectives/1/communicator_id"})
    text = with_field(text, member, "");
  const Profile read = parse_profile(text, "p");
  CHECK(read.shared == SharedTables{});
  CHECK(read.rank_records[0].phases.empty());
  CHECK(read.rank_records[0].openmp_regions.empty());
  CHECK(read.rank_records[0].collectives[1].communicator_id == 0);
  for (const std::string member : {"/rank_records/0/phases", "/communicators", "/notes"})
    CHECK(profile_refusal(with_field(text, member, "null")) == "");
}

TEST_CASE("members may stand in any order, what others depend on at the end too") {
  const Profile profile = sample_profile(3);
  for (const bool cbor : {false, true}) {
    const std::string turned = turned_round(text_of(profile));
    REQUIRE(turned.rfind("\"ranks\"") > turned.find("\"rank_records\""));
    CHECK(parse_profile(cbor ? as_cbor(turned) : turned, "p") == profile);
  }
}

TEST_CASE("the examples in the format's description are valid profiles") {
  const std::string description = store::get_file(HUDDLE_FIXTURES "/../../docs/formats/profile.md");
  const std::string_view begin = "```json\n";
  std::size_t examples = 0;
  for (auto at = description.find(begin); at != std::string::npos;
       at = description.find(begin, at + 1)) {
    const auto text = at + begin.size();
    CHECK(profile_refusal(description.substr(text, description.find("```", text) - text)) == "");
    ++examples;
  }
  CHECK(examples >= 2);
}

TEST_CASE("a member that is there twice is refused") {
  std::string text = text_of(sample_profile());
  const auto insert = [&](std::string_view before, std::string_view what) {
    std::string edited = text;
    edited.insert(edited.find(before), what);
    return profile_refusal(edited);
  };
  CHECK(insert("\"ranks\"", "\"ranks\": 3, ") ==
        "p: field ranks: found this field a second time, expected it only once");
  CHECK(insert("\"pus\"", "\"pus\": \"\", ") ==
        "p: field rank_records[0].pus: found this field a second time, expected it only once");
}

TEST_CASE("a complete profile with more records than ranks is refused with their number") {
  Profile more = sample_profile(2);
  more.rank_records.resize(4, more.rank_records[1]);
  CHECK(
      profile_refusal(text_of(more)) ==
      "p: field rank_records: found an array of 4, expected an array of 2, one for each rank of a "
      "complete profile");
}

TEST_CASE("a profile of more bytes than are read at once is the same from a file") {
  const store::TemporaryDirectory directory;
  const Profile profile = sample_profile(3000);
  for (const char* const name : {"p.json", "p.cbor"}) {
    save_profile(profile, directory.path() / name);
    REQUIRE(std::filesystem::file_size(directory.path() / name) > 2'200'000);
    CHECK(load_profile(directory.path() / name) == profile);
  }
}

TEST_CASE("a file that ends too early says at which byte") {
  const store::TemporaryDirectory directory;
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const auto path = directory.path() / ("p" + std::string(extension_of(encoding)));
    const std::string whole = text_of(sample_profile(), encoding);
    store::put_file(path, std::string_view(whole).substr(0, 1000));
    const std::string error = error_of<FormatError>([&] { load_profile(path); });
    CAPTURE(error);
    CHECK(error.starts_with(path.string() + ": byte "));
    CHECK(error.find(encoding == Encoding::kJson
                         ? "found the end of the file"
                         : "expected a complete CBOR document") != std::string::npos);
  }
}

TEST_CASE("an event without a count in a phase, or in the run, is null in the file") {
  const std::string text = text_of(sample_profile());
  const Profile profile =
      parse_profile(with_field(with_field(text, "/rank_records/1/phases/counts/1/0", "null"),
                               "/rank_records/1/event_totals/1", "null"),
                    "p.json");
  const RankRecord& record = profile.rank_records.at(1);
  CHECK(std::isnan(record.event_totals.at(1)));
  CHECK(std::count_if(record.phases.begin(), record.phases.end(), [](const PhaseRecord& phase) {
          return phase.counts.size() == 2 && std::isnan(phase.counts[1]);
        }) == 1);
  CHECK(encode_rank_record(record, Encoding::kJson).find("null") != std::string::npos);
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
  const std::string text = text_of(sample_profile());
  for (const std::string place :
       {"/later", "/rank_records/0/later", "/rank_records/0/moved", "/rank_records/0/not_moved",
        "/rank_records/0/balancing/trades", "/rank_records/0/sent/later",
        "/rank_records/0/phases/later", "/phase_groups/0/later"})
    CHECK(profile_refusal(with_field(text, place, R"([1, {"x": [null, "y", -0.5]}])")) == "");
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
  const store::TemporaryDirectory directory;
  const auto json = directory.path() / "p.json";
  const auto cbor = directory.path() / "p.cbor";
  save_profile(sample_profile(), json);
  save_profile(sample_profile(), cbor);
  CHECK(store::get_file(json) == text_of(sample_profile(), Encoding::kJson));
  CHECK(store::get_file(cbor) == text_of(sample_profile(), Encoding::kCbor));
  CHECK(text_of(load_profile(json)) == store::get_file(json));
  CHECK(text_of(load_profile(cbor)) == store::get_file(json));
  store::put_file(json, "{}");
  CHECK(error_of<FormatError>([&] { load_profile(json); }) ==
        json.string() + ": field format: found nothing, expected this field");
}

TEST_CASE("a missing, empty or odd file is an error and never waits") {
  const store::TemporaryDirectory directory;
  const auto path = directory.path() / "p";
  CHECK_THROWS_AS(load_profile(path), SystemError);
  store::put_file(path, "");
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
