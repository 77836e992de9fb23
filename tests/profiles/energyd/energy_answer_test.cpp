#include "profiles/energyd/protocol/energy_answer.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

EnergyAnswer sample() {
  EnergyAnswer answer;
  answer.as_of = {123.5};
  answer.lateness = {0.002};
  answer.sensors.push_back({"package-0", "package", "energy", true, Joules{1234.25}, Seconds{60},
                            Seconds{1.5}, Watts{20.5}, Joules{3}, Watts{8}, "has vanished"});
  answer.sensors.push_back({"board", "other", "power", false, Joules{0}, Seconds{0}, Seconds{0},
                            std::nullopt, Joules{0}, std::nullopt, ""});
  AnsweredStep step{{17, "batch"}, 1000, true, {}};
  step.shares.emplace_back("package-0", power::EnergyShare{Joules{1}, Joules{0.1}, Joules{0.25},
                                                           false, Seconds{10}, Seconds{0}});
  answer.steps.push_back(step);
  return answer;
}

TEST_CASE("an answer of huddle-energyd is read as it was written") {
  CHECK(parse_energy_answer(text_of(sample())) == sample());
  EnergyAnswer refused;
  refused.refusal = "not yours";
  CHECK(parse_energy_answer(text_of(refused)) == refused);
}

TEST_CASE("what keeps the daemon from knowing is said with an answer, and with a refusal") {
  EnergyAnswer answer = sample();
  answer.trouble = {"it sees no steps", "let it"};
  CHECK(parse_energy_answer(text_of(answer)) == answer);
  EnergyAnswer refused;
  refused.refusal = "no step of yours";
  refused.trouble = answer.trouble;
  CHECK(parse_energy_answer(text_of(refused)) == refused);
}

TEST_CASE("a request of huddle-energyd is read as it was written, and nothing else is one") {
  for (const EnergyRequest& request :
       {EnergyRequest{EnergyRequest::About::kJob, 17}, EnergyRequest{EnergyRequest::About::kOwn, 0},
        EnergyRequest{EnergyRequest::About::kNode, 0}})
    CHECK(parse_energy_request(text_of(request)) == request);
  for (const char* text : {"", "own\n", "huddle-energyd 1\n", "huddle-energyd 1\nown",
                           "huddle-energyd 1\njob \n", "huddle-energyd 1\njob -1\n",
                           "huddle-energyd 1\njob 17 \n", "huddle-energyd 1\njob 99999999999\n",
                           "huddle-energyd 2\nown\n", "huddle-energyd 1\nown\nnode\n"})
    CHECK_FALSE(parse_energy_request(text));
}

TEST_CASE("a name with a tab or a newline stays one field") {
  EnergyAnswer answer = sample();
  answer.sensors[0].name = "a\tb\nstep\t1";
  const EnergyAnswer read = parse_energy_answer(text_of(answer));
  REQUIRE(read.sensors.size() == 2);
  CHECK(read.sensors[0].name == "a b step 1");
}

TEST_CASE("an answer that is none is refused, with the line") {
  const auto refuses = [](std::string_view text, const char* words) {
    try {
      static_cast<void>(parse_energy_answer(text));
      FAIL("not refused: ", text);
    } catch (const FormatError& error) {
      CHECK(std::string_view(error.what()).find(words) != std::string_view::npos);
    }
  };
  refuses("HTTP/1.1 400\r\n", "line 1");
  refuses("huddle-energyd 1\nas_of\tsoon\n", "line 2");
  refuses("huddle-energyd 1\nas_of\t-1\n", "0 or more");
  refuses("huddle-energyd 1\nstep\t1\t0\n", "another field");
  refuses("huddle-energyd 1\nstep\t1\t0\t0\tperhaps\n", "yes or no");
  refuses("huddle-energyd 1\nrefused\t\n", "why");
}

TEST_CASE("an answer never is longer than a packet: steps at the end are left out") {
  EnergyAnswer answer;
  AnsweredStep step = sample().steps[0];
  for (int i = 0; i < 8; ++i) step.shares.push_back(step.shares[0]);
  answer.steps.assign(1000, step);
  const std::string text = text_of(answer);
  CHECK(text.size() <= kMostAnswerBytes);
  CHECK(parse_energy_answer(text).steps.size() > 100);
}

TEST_CASE("what a step took is the sum over its sensors, for the time that is known of all") {
  AnsweredStep step{{1, "0"}, 0, false, {}};
  step.shares.emplace_back(
      "a", power::EnergyShare{Joules{10}, Joules{0}, Joules{1}, true, Seconds{5}, Seconds{0}});
  step.shares.emplace_back(
      "b", power::EnergyShare{Joules{0}, Joules{4}, Joules{1}, true, Seconds{4}, Seconds{1}});
  const power::EnergyShare total = step.total();
  CHECK(total.energy() == Joules{14});
  CHECK(total.known == Seconds{4});
  CHECK(total.lost == Seconds{1});
}

}  // namespace
}  // namespace huddle::energyd
