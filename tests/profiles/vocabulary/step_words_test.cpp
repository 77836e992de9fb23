#include "profiles/vocabulary/step_words.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace huddle {
namespace {

TEST_CASE("a word of HUDDLE_STEP has the value that it was given last") {
  std::string step = with_step_word("", kClaimWord, "17 plan.first");
  step = with_step_word(step, kOutcomeStoreWord, "/store");
  step = with_step_word(step, kClaimWord, "18 plan.first");
  CHECK(step == "huddle/step 1\noutcome_store=/store\nclaim=18 plan.first\n");
  CHECK(step_word(step, kClaimWord) == "18 plan.first");
  CHECK(step_word(step, kOutcomeStoreWord) == "/store");
  CHECK_FALSE(step_word(step, kOutcomeWord).has_value());  // another word begins like it
}

TEST_CASE("any text can be the value of a word") {
  for (const std::string value : {"", "=", "a\nclaim=b\n", "\\n", "\\", "a\\\\\nb"}) {
    CAPTURE(value);
    const std::string step =
        with_step_word(with_step_word("", kAnnouncementWord, value), kProgramWord, ":/bin/app");
    CHECK(step_word(step, kAnnouncementWord) == value);
    CHECK(step_word(step, kProgramWord) == ":/bin/app");
    CHECK_FALSE(step_word(step, kClaimWord).has_value());
  }
}

TEST_CASE("where the last word is taken out, nothing is left") {
  const std::string step = with_step_word("", kClaimWord, "17 a");
  CHECK(with_step_word(step, kProgramWord, std::nullopt) == step);
  CHECK(with_step_word(step, kClaimWord, std::nullopt).empty());
  CHECK(with_step_word("", kClaimWord, std::nullopt).empty());
}

TEST_CASE("a text that is no such document tells nothing, and makes way") {
  for (const char* text : {"", "claim=17 a\n", "huddle/step 2\nclaim=17 a\n", "huddle/step 1"}) {
    CHECK_FALSE(step_word(text, kClaimWord).has_value());
    CHECK(with_step_word(text, kClaimWord, "18 b") == "huddle/step 1\nclaim=18 b\n");
  }
}

TEST_CASE("a document whose last line does not end is read, and extended") {
  const std::string_view step = "huddle/step 1\nclaim=17 a";
  CHECK(raw_step_word(step, kClaimWord) == "17 a");
  CHECK(with_step_word(step, kProgramWord, ":b") == "huddle/step 1\nclaim=17 a\nprogram=:b\n");
}

TEST_CASE("a process changes its own words") {
  ::unsetenv(kStepVariable);
  CHECK_FALSE(own_step_word(kClaimWord).has_value());
  set_own_step_word(kClaimWord, "17 a");
  CHECK(own_step_word(kClaimWord) == "17 a");
  set_own_step_word(kClaimWord, std::nullopt);
  CHECK(std::getenv(kStepVariable) == nullptr);
}

}  // namespace
}  // namespace huddle
