#include "profiles/formats/plan/plan_request.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

PlanRequest full_request() {
  PlanRequest request;
  request.user = "ann";
  request.label = "halo";
  request.ranks = 16;
  request.store = "/shared/huddle";
  request.make_store = true;
  request.nodes = 8;
  request.keeps_nodes = true;
  request.cores_per_rank = 2;
  request.size = 4096;
  request.slowdown = 0.03;
  request.risk = Risk::kInterval;
  request.computation = ComputationMethod::kShared;
  request.objective = Objective::kEdp;
  request.grouping = Grouping::kRankOrder;
  request.least_nodes = 3;
  request.frequencies = FrequencyRange{{1.2e9}, {2.4e9}};
  request.clocks_follow_loads = true;
  request.packs_threads = true;
  request.machine = "/etc/huddle/machine.json";
  request.model = "/etc/huddle/model.json";
  request.profiles = {"/home/ann/a.json", "/home/ann/b.json"};
  request.samples = 1;
  request.explore = Explore::kTrial;
  request.every_pattern = true;
  request.answer_within = Seconds{1.5};
  request.keep_days = 30;
  request.quota_files = 1000;
  request.quota = {1'000'000'000'000};
  request.dry_run = true;
  return request;
}

constexpr std::string_view kLeast =
    R"({"format": "huddle/plan-request", "version": 1, "user": "ann", "label": "halo", "ranks": 8,
        "store": "/s"})";

TEST_CASE("a request survives its text, in JSON and in CBOR") {
  const std::string text = to_json(full_request());
  CHECK(to_json(parse_plan_request(text, "r")) == text);
  CHECK(to_json(parse_plan_request(as_cbor(text), "r")) == text);
  CHECK(text.find('\n') == text.size() - 1);
  const PlanRequest read = parse_plan_request(text, "r");
  CHECK(read.nodes == 8U);
  CHECK(read.keeps_nodes);
  CHECK(read.frequencies == FrequencyRange{{1.2e9}, {2.4e9}});
  CHECK(read.clocks_follow_loads);
  CHECK(read.packs_threads);
  CHECK_FALSE(parse_plan_request(kLeast, "r").clocks_follow_loads);
  CHECK_FALSE(parse_plan_request(kLeast, "r").packs_threads);
  CHECK(read.profiles.size() == 2);
  CHECK(read.explore == Explore::kTrial);
  CHECK(parse_plan_request(kLeast, "r").explore == Explore::kNo);
  CHECK(read.answer_within == Seconds{1.5});
  CHECK(read.quota_files == 1000);
  CHECK(read.quota == Bytes{1'000'000'000'000});
}

TEST_CASE("what is not there has the default that the options of huddle plan have") {
  const PlanRequest request = parse_plan_request(kLeast, "r");
  const PlanRequest defaults;
  CHECK(request.slowdown == defaults.slowdown);
  CHECK(request.samples == 2);
  CHECK(request.least_nodes == 1);
  CHECK_FALSE(request.nodes.has_value());
  CHECK_FALSE(request.frequencies.has_value());
  CHECK_FALSE(request.answer_within.has_value());
  CHECK(request.machine.empty());
  CHECK_FALSE(request.dry_run);
}

TEST_CASE("frequencies are kept, any, or a range") {
  PlanRequest request = full_request();
  request.frequencies = FrequencyRange{};
  CHECK(parse_plan_request(to_json(request), "r").frequencies == FrequencyRange{});
  request.frequencies.reset();
  CHECK_FALSE(parse_plan_request(to_json(request), "r").frequencies.has_value());
}

TEST_CASE("names that are not UTF-8 survive byte by byte") {
  PlanRequest request = full_request();
  request.label = "caf\xe9,\n\"";
  request.profiles = {"/home/ann/\xff"};
  const PlanRequest read = parse_plan_request(to_json(request), "r");
  CHECK(read.label == request.label);
  CHECK(read.profiles == request.profiles);
  request.label = "café";
  CHECK(to_json(request).find("\"café\"") != std::string::npos);
  CHECK(parse_plan_request(to_json(request), "r").label == "café");
}

TEST_CASE("each broken field is refused by its name") {
  const std::string long_text = '"' + std::string(kLongestRequestText + 1, 'x') + '"';
  for (const BrokenField& broken : std::initializer_list<BrokenField>{
           {"/format", "\"huddle/plan\"", "format", "\"huddle/plan\"", "\"huddle/plan-request\""},
           {"/version", "2", "version", "2", "1"},
           {"/user", "", "user", "nothing", "this field"},
           {"/label", "7", "label", "7", "a text"},
           {"/label", "\"a\\u0000b\"", "label", "", ""},
           {"/label", long_text, "label", "", ""},
           {"/label", "[256]", "label[0]", "256", ""},
           {"/ranks", "0", "ranks", "0", "1 or more"},
           {"/ranks", "2147483649", "ranks", "2147483649", ""},
           {"/store", "\"\"", "store", "\"\"", "a directory"},
           {"/nodes", "0", "nodes", "0", "1 or more"},
           {"/cores_per_rank", "0", "cores_per_rank", "0", "1 or more"},
           {"/size", "0", "size", "0", "a number above 0"},
           {"/slowdown", "1.5", "slowdown", "1.5", "a share from 0 to 1"},
           {"/slowdown", "-1", "slowdown", "-1", ""},
           {"/risk", "\"none\"", "risk", "\"none\"", "point or interval"},
           {"/objective", "\"watts\"", "objective", "\"watts\"", "energy, edp or time"},
           {"/grouping", "\"random\"", "grouping", "\"random\"", "mapped or rank-order"},
           {"/least_nodes", "0", "least_nodes", "0", "1 or more"},
           {"/frequency/policy", "\"fast\"", "frequency.policy", "\"fast\"", ""},
           {"/frequency/lowest_hz", "0", "frequency.lowest_hz", "0", "a number above 0"},
           {"/frequency/highest_hz", "1e9", "frequency.highest_hz", "", "lowest_hz or more"},
           {"/profiles/1", "null", "profiles[1]", "null", "a text"},
           {"/samples", "3", "samples", "3", ""},
           {"/samples", "0", "samples", "0", "1 or more"},
           {"/every_pattern", "1", "every_pattern", "1", ""},
           {"/answer_within_s", "-1", "answer_within_s", "-1", ""},
           {"/keep_days", "36501", "keep_days", "36501", ""},
           {"/dry_run", "\"no\"", "dry_run", "\"no\"", ""}}) {
    CAPTURE(broken.pointer);
    CAPTURE(broken.value.substr(0, 20));
    const std::string text = with_field(to_json(full_request()), broken.pointer, broken.value);
    const std::string error = error_of<FormatError>([&] { parse_plan_request(text, "r"); });
    CHECK(error.starts_with("r: field " + broken.place + ": found " + broken.found));
    CHECK(error.find("expected " + broken.expected) != std::string::npos);
  }
}

TEST_CASE("a text that is too large, too deep or no document is refused") {
  CHECK_THROWS_AS(parse_plan_request("", "r"), FormatError);
  CHECK_THROWS_AS(parse_plan_request("[]", "r"), FormatError);
  const std::string continued = fmt::format("{}}}", kLeast);
  CHECK_THROWS_AS(parse_plan_request(continued, "r"), FormatError);
  const std::string padded = std::string(kLeast) + std::string(kMostRequestBytes, ' ');
  CHECK_THROWS_AS(parse_plan_request(padded, "r"), FormatError);
}

}  // namespace
}  // namespace huddle
