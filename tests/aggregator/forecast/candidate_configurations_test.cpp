#include "aggregator/forecast/candidate_configurations.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

const std::vector<Configuration> kMeasured = {
    {100, 1, 1, 2.4}, {100, 1, 4, 2.4}, {100, 4, 1, 2.4}, {200, 4, 1, 2.4}, {200, 4, 2, 1.2}};

TEST_CASE("without being asked, the combinations that were measured with any size are candidates") {
  CHECK(candidate_configurations(kMeasured, 150, {}) ==
        std::vector<Configuration>{
            {150, 1, 1, 2.4}, {150, 1, 4, 2.4}, {150, 4, 1, 2.4}, {150, 4, 2, 1.2}});
}

TEST_CASE("what is asked is combined with all that was measured of the other factors") {
  const std::vector<Configuration> candidates =
      candidate_configurations(kMeasured, 100, {{2, 3, 2}, {}, {2.4}});
  CHECK(candidates == std::vector<Configuration>{{100, 2, 1, 2.4},
                                                 {100, 2, 2, 2.4},
                                                 {100, 2, 4, 2.4},
                                                 {100, 3, 1, 2.4},
                                                 {100, 3, 2, 2.4},
                                                 {100, 3, 4, 2.4}});
}

TEST_CASE("of a factor that never changed nothing else can be asked") {
  const std::vector<Configuration> measured = {{1, 1, 1, 2.4}, {1, 1, 2, 2.4}};
  CHECK(candidate_configurations(measured, 1, {{1}, {}, {2.4}}).size() == 2);
  CHECK(error_of([&] {
          candidate_configurations(measured, 1, {{4}, {}, {}});
        }) ==
        "--processes 4: all rows have processes 1, so nothing is known of others: measure some");
  CHECK(error_of([&] {
          candidate_configurations(measured, 1, {{}, {}, {1.2}});
        }) ==
        "--frequency (in GHz) 1.2: all rows have a frequency of 2.4, so nothing is known of "
        "others: measure some");
}

TEST_CASE("a question of too many configurations is refused") {
  std::vector<double> many;
  for (int i = 1; i <= 400; ++i) many.push_back(i);
  CHECK(error_of([&] {
          candidate_configurations(kMeasured, 100, {many, many, {}});
        }) ==
        "400 processes x 400 threads x 2 frequencies are 320000 configurations, and 100000 can be "
        "compared: ask for fewer");
}

TEST_CASE("the size is the one that is asked, or the only one") {
  CHECK(size_to_choose_for(kMeasured, 1000) == 1000);
  CHECK(size_to_choose_for({{64, 1, 1, 1}, {64, 2, 1, 1}}, 0) == 64);
  CHECK(error_of([] { size_to_choose_for(kMeasured, 0); }) ==
        "--size is missing, and the rows have 2 problem sizes: 100, 200; a size between or beyond "
        "them may be given, too");
  CHECK(error_of([] {
          size_to_choose_for({{64, 1, 1, 1}}, 128);
        }) == "--size 128: all rows have size 64, so nothing is known of others: measure some");
}

TEST_CASE("a reference without a frequency runs at the highest one") {
  CHECK(reference_configuration(kMeasured, 100, 4, 2, 0) == Configuration{100, 4, 2, 2.4});
  CHECK(reference_configuration(kMeasured, 100, 4, 2, 1.2) == Configuration{100, 4, 2, 1.2});
  CHECK(error_of([] {
          reference_configuration({{1, 1, 8, 1}}, 1, 4, 8, 0);
        }) ==
        "--reference 4: all rows have processes 1, so nothing is known of others: measure some");
}

}  // namespace
}  // namespace huddle
