#include "profiles/formats/profile_encoding.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

void check_same_record(const RankRecord& a, const RankRecord& b) {
  CHECK(a.rank == b.rank);
  CHECK(a.node == b.node);
  CHECK(a.pus == b.pus);
  CHECK(a.run_time == b.run_time);
  CHECK(a.mpi_time == b.mpi_time);
  CHECK(a.cpu_time == b.cpu_time);
  CHECK(a.peak_resident == b.peak_resident);
  REQUIRE(a.sent.size() == b.sent.size());
  for (std::size_t i = 0; i < a.sent.size(); ++i) {
    CHECK(a.sent[i].receiver == b.sent[i].receiver);
    CHECK(a.sent[i].size_class == b.sent[i].size_class);
    CHECK(a.sent[i].messages == b.sent[i].messages);
    CHECK(a.sent[i].bytes == b.sent[i].bytes);
  }
  REQUIRE(a.collectives.size() == b.collectives.size());
  for (std::size_t i = 0; i < a.collectives.size(); ++i) {
    CHECK(a.collectives[i].operation == b.collectives[i].operation);
    CHECK(a.collectives[i].communicator == b.collectives[i].communicator);
    CHECK(a.collectives[i].participants == b.collectives[i].participants);
    CHECK(a.collectives[i].size_class == b.collectives[i].size_class);
    CHECK(a.collectives[i].calls == b.collectives[i].calls);
    CHECK(a.collectives[i].bytes == b.collectives[i].bytes);
    CHECK(a.collectives[i].time == b.collectives[i].time);
  }
}

void check_same(const Profile& a, const Profile& b) {
  CHECK(a.label == b.label);
  CHECK(a.user == b.user);
  CHECK(a.ranks == b.ranks);
  CHECK(a.complete == b.complete);
  CHECK(a.cut_short_reason == b.cut_short_reason);
  CHECK(a.executable == b.executable);
  CHECK(a.build_id == b.build_id);
  CHECK(a.arguments == b.arguments);
  CHECK(a.mpi_library == b.mpi_library);
  CHECK(a.slurm_job_id == b.slurm_job_id);
  CHECK(a.slurm_step_id == b.slurm_step_id);
  CHECK(a.started_at == b.started_at);
  CHECK(a.counters_absent_reason == b.counters_absent_reason);
  REQUIRE(a.rank_records.size() == b.rank_records.size());
  for (std::size_t i = 0; i < a.rank_records.size(); ++i)
    check_same_record(a.rank_records[i], b.rank_records[i]);
}

TEST_CASE("every field of a profile survives either form") {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 23U, 24U, 300U})
    for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
      const Profile profile = sample_profile(ranks);
      check_same(parse_profile(text_of(profile, encoding), "p"), profile);
    }
}

TEST_CASE("figures of any size survive either form exactly") {
  Profile profile = sample_profile(1);
  RankRecord& record = profile.rank_records.front();
  record.run_time = {0.1 + 0.2};
  record.mpi_time = {5e-324};
  record.cpu_time = Seconds{1.7976931348623157e308};
  record.peak_resident = {18446744073709551615ULL};
  record.sent = {{{0}, 64, 18446744073709551615ULL, {18446744073709551615ULL}}};
  record.pus = PuSet::parse("0,2,65535");
  profile.slurm_job_id = 18446744073709551615ULL;
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor})
    check_same(parse_profile(text_of(profile, encoding), "p"), profile);
}

TEST_CASE("texts may hold whatever a shell lets through") {
  for (const std::string text : {"\"", "\\", "}\n", "{\"rank_records\": [", "a\nb\r\t", "\x01\x1f",
                                 "größe", "]}]}", "\xf0\x9f\x98\x80"}) {
    Profile profile = sample_profile(2);
    profile.label = profile.user = profile.executable = profile.mpi_library = text;
    profile.arguments = {text, "", text};
    profile.counters_absent_reason = "x" + text;
    profile.rank_records[1].node = text;
    for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
      CAPTURE(text);
      check_same(parse_profile(text_of(profile, encoding), "p"), profile);
    }
  }
}

TEST_CASE("bytes that are not UTF-8 are written as the replacement character in every text") {
  const std::string bad = "a\xff\xc3";
  const std::string shown = "a\xef\xbf\xbd\xef\xbf\xbd";
  Profile profile = sample_profile(1);
  profile.label = profile.user = profile.executable = profile.mpi_library = bad;
  profile.build_id = profile.started_at = profile.counters_absent_reason = bad;
  profile.arguments = {bad};
  RankRecord& record = profile.rank_records.front();
  record.node = record.collectives[0].operation = record.collectives[0].communicator = bad;
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const Profile read = parse_profile(text_of(profile, encoding), "p");
    CHECK(read.label == shown);
    CHECK(read.user == shown);
    CHECK(read.executable == shown);
    CHECK(read.mpi_library == shown);
    CHECK(read.build_id == shown);
    CHECK(read.started_at == shown);
    CHECK(read.counters_absent_reason == shown);
    CHECK(read.arguments == std::vector<std::string>{shown});
    CHECK(read.rank_records[0].node == shown);
    CHECK(read.rank_records[0].collectives[0].operation == shown);
    CHECK(read.rank_records[0].collectives[0].communicator == shown);
  }
}

TEST_CASE("the pieces make a document that begins with its format, for any reader of JSON") {
  const std::string text = text_of(sample_profile());
  CHECK(text.starts_with("{\n \"format\": \"huddle/profile\",\n \"version\": 1,\n"));
  CHECK(text.ends_with("\n ]\n}\n"));
  CHECK(as_cbor(text) != "");  // a parser of its own takes it
}

TEST_CASE("a profile without any record is a document too") {
  Profile profile = sample_profile(4);
  profile.rank_records.clear();
  profile.complete = false;
  profile.cut_short_reason = "?";
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor})
    check_same(parse_profile(text_of(profile, encoding), "p"), profile);
}

TEST_CASE("a document cut at any byte is an error, never half a profile") {
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    std::string whole = text_of(sample_profile(), encoding);
    while (whole.back() == '\n') whole.pop_back();
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string_view cut = std::string_view(whole).substr(0, length);
      CAPTURE(length);
      CHECK_THROWS_AS(parse_profile(cut, "p"), FormatError);
    }
  }
}

TEST_CASE("a document with one byte changed is read or refused, and nothing else") {
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const std::string whole = text_of(sample_profile(1), encoding);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const unsigned flip : {0x01U, 0x10U, 0x20U, 0x80U, 0xffU}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
        static_cast<void>(error_of([&] { parse_profile(changed, "p"); }));
      }
  }
}

TEST_CASE("large runs are written in the compact form, small ones for people") {
  CHECK(encoding_for(1024) == Encoding::kJson);
  CHECK(encoding_for(1025) == Encoding::kCbor);
  CHECK(extension_of(Encoding::kJson) == ".json");
  CHECK(extension_of(Encoding::kCbor) == ".cbor");
}

}  // namespace
}  // namespace huddle
