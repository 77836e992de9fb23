#include "aggregator/forecast/sizes/sized_runs.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::forecast {
namespace {

using Words = std::vector<std::string>;

double size_in(const Words& arguments, const std::string& place) {
  return SizeArgument(place).in(arguments);
}

std::string trouble_in(const Words& arguments, const std::string& place) {
  return error_of<Error>([&] { static_cast<void>(SizeArgument(place).in(arguments)); });
}

TEST_CASE("a size stands at a place among the arguments") {
  CHECK(size_in({"a", "64x2"}, "2") == 128);
  CHECK(trouble_in({"a"}, "2") == "has 1 arguments, and no number 2");
  CHECK(trouble_in({"a"}, "1").starts_with("has \"a\" as its argument 1, which is not a number"));
}

TEST_CASE("a size stands behind a name, in each of the ways that programs have") {
  CHECK(size_in({"-n", "10"}, "-n") == 10);
  CHECK(size_in({"-n10"}, "-n") == 10);
  CHECK(size_in({"-n=10"}, "-n") == 10);
  CHECK(size_in({"--grid", "8x8"}, "--grid") == 64);
  CHECK(size_in({"--grid=8x8"}, "--grid") == 64);
  CHECK(size_in({"--grid=8x8"}, "--grid=") == 64);
  CHECK(size_in({"nx=12"}, "nx=") == 12);
  CHECK(size_in({"nx", "12"}, "nx") == 12);
}

TEST_CASE("other options that begin alike are passed over, and the last one holds") {
  CHECK(size_in({"-name", "3", "-n", "10"}, "-n") == 10);
  CHECK(size_in({"--gridded=3", "--grid=4"}, "--grid") == 4);
  CHECK(size_in({"-n", "1", "-n", "2"}, "-n") == 2);
  CHECK(trouble_in({"-name", "3"}, "-n") == "has no -n with a value among its arguments");
  CHECK(trouble_in({"-n"}, "-n") == "has no -n with a value among its arguments");
}

TEST_CASE("a place that can't be is refused") {
  for (const std::string text : {"", "0", "="})
    CHECK(error_of<UsageError>([&] { SizeArgument{text}; }).starts_with(text + ": expected"));
}

TEST_CASE("a run's size is what was recorded, or the product of what stands on its command line") {
  Profile profile;
  profile.arguments = {"-nx", "4", "-ny", "5"};
  const auto trouble = error_of<Error>([&] { problem_size_of(profile, {}); });
  CHECK(trouble.starts_with("has no problem size"));
  profile.problem_size = 7;
  CHECK(problem_size_of(profile, {}) == 7);
  CHECK(problem_size_of(profile, {SizeArgument("-nx"), SizeArgument("-ny")}) == 20);
}

}  // namespace
}  // namespace huddle::forecast
