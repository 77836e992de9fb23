#include "profiles/formats/profile/profile_encoding.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

void check_same(const Profile& a, const Profile& b) {
  CHECK(text_of(a) == text_of(b));  // says where they differ
  CHECK(a == b);
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
    profile.arguments = profile.notes = {text, "", text};
    profile.counters_absent_reason = "x" + text;
    RankRecord& record = profile.rank_records[1];
    record.node = record.calls[0].operation = record.events[0] = text;
    record.node_energy = {{text, {1}}};
    std::sort(record.calls.begin(), record.calls.end(),
              [](const CallKind& a, const CallKind& b) { return a.operation < b.operation; });
    profile.shared.phase_groups[0].begin = profile.shared.phase_groups[1].end = text;
    profile.shared.absent_events = {{text, text, 1}};
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
  profile.arguments = profile.notes = {bad};
  RankRecord& record = profile.rank_records.front();
  record.node = record.collectives[0].operation = record.collectives[0].communicator = bad;
  record.calls[0].operation = record.events[0] = record.node_energy[0].meter = bad;
  profile.shared.phase_groups[0].begin = profile.shared.phase_groups[0].end = bad;
  profile.shared.absent_events = {{bad, bad, 1}};
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
    CHECK(read.notes == std::vector<std::string>{shown});
    CHECK(read.rank_records[0].node == shown);
    CHECK(read.rank_records[0].calls[0].operation == shown);
    CHECK(read.rank_records[0].events[0] == shown);
    CHECK(read.rank_records[0].node_energy[0].meter == shown);
    CHECK(read.shared.phase_groups[0].begin == shown);
    CHECK(read.shared.phase_groups[0].end == shown);
    CHECK(read.shared.absent_events == std::vector<AbsentEvent>{{shown, shown, 1}});
    CHECK(read.rank_records[0].collectives[0].operation == shown);
    CHECK(read.rank_records[0].collectives[0].communicator == shown);
  }
}

TEST_CASE("the pieces make a document that begins with its format, for any reader of JSON") {
  const std::string text = text_of(sample_profile());
  CHECK(text.starts_with("{\n \"format\": \"huddle/profile\",\n \"version\": 1,\n"));
  CHECK(text.ends_with("\n ]\n}\n"));
  CHECK(as_cbor(text) != "");  // a parser of its own takes it
  CHECK(as_json(text_of(sample_profile(), Encoding::kCbor)) == as_json(as_cbor(text)));
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

TEST_CASE("what a rank did not do or measure is not written") {
  RankRecord record;
  record.rank = {3};
  record.node = "n";
  CHECK(encode_rank_record(record, Encoding::kJson) ==
        R"(  {"rank":3,"node":"n","pus":"","run_time_s":0.0,"mpi_time_s":0.0,)"
        R"("sent":{"receiver":[],"size_class":[],"messages":[],"bytes":[]},"collectives":[]})");
  Profile profile = sample_profile(1);
  profile.rank_records = {record};
  profile.rank_records[0].rank = {0};
  profile.shared = {};
  profile.notes = {};
  const std::string text = text_of(profile);
  CHECK(text.find("notes") == std::string::npos);
  CHECK(
      text.ends_with(" ],\n \"communicators\": [],\n \"phase_groups\": [],\n \"modules\": [],\n "
                     "\"openmp_regions\": [],\n \"absent_events\": []\n}\n"));
}

TEST_CASE("phases without counts say so by null, and no phase with counts needs no columns") {
  Profile profile = sample_profile(1);
  std::string record = encode_rank_record(profile.rank_records[0], Encoding::kJson);
  CHECK(record.find(R"("counted":[3,0],"counted_time_s":[1.625,0.0],)"
                    R"("counts":[[4e+09,null],[3e+09,null]])") != std::string::npos);
  profile.rank_records[0].phases.erase(profile.rank_records[0].phases.begin());
  profile.rank_records[0].openmp_regions.clear();
  record = encode_rank_record(profile.rank_records[0], Encoding::kJson);
  CHECK(record.find("counted") == std::string::npos);
  check_same(parse_profile(text_of(profile, Encoding::kCbor), "p"), profile);
}

TEST_CASE("regions without counts say so by null, and none with counts needs no columns") {
  Profile profile = sample_profile(1);
  std::string record = encode_rank_record(profile.rank_records[0], Encoding::kJson);
  CHECK(record.find(R"("counted_passes":[1,0],"counted_for":[3,0],"counted_time_s":[1.5,0.0],)"
                    R"("counts":[[6e+09,null],[0.0,null]])") != std::string::npos);
  OpenMpRegionRecord& region = profile.rank_records[0].openmp_regions[0];
  region.counted_passes = region.counted_for = 0;
  region.counted_time = {};
  region.counts.clear();
  record = encode_rank_record(profile.rank_records[0], Encoding::kJson);
  CHECK(record.find("counted_passes") == std::string::npos);
  check_same(parse_profile(text_of(profile, Encoding::kCbor), "p"), profile);
}

TEST_CASE("what was on no counter is read back in both forms") {
  Profile profile = sample_profile(1);
  const double none = std::nan("");
  RankRecord& record = profile.rank_records[0];
  record.event_totals[1] = record.phases[0].counts[1] = record.openmp_regions[0].counts[1] = none;
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const RankRecord read = parse_profile(text_of(profile, encoding), "p").rank_records[0];
    for (const auto* counts :
         {&read.event_totals, &read.phases[0].counts, &read.openmp_regions[0].counts}) {
      REQUIRE(counts->size() == 2);
      CHECK(counts->at(0) > 0);
      CHECK(std::isnan(counts->at(1)));
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
