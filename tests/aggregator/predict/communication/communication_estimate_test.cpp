#include "aggregator/predict/communication/communication_estimate.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

// A sample of runs that compute for 1 s.
CommunicationSample run(double bound, double in_mpi) {
  return {{bound}, {1}, {in_mpi}};
}

double estimate(const std::vector<CommunicationSample>& samples, double bound,
                double computation = 1) {
  return CommunicationEstimate(samples).on({bound}, {computation}).value;
}

TEST_CASE("without samples the bound is the estimate") {
  CHECK(estimate({}, 3) == 3);
}

TEST_CASE("one run that was in MPI longer than the bound waited the rest, wherever its ranks are") {
  CHECK(estimate({run(2, 5)}, 2) == doctest::Approx(5));
  CHECK(estimate({run(2, 5)}, 4) == doctest::Approx(7));
}

TEST_CASE("who computes longer lets others wait longer") {
  CHECK(estimate({run(2, 5)}, 2, 1.5) == doctest::Approx(6.5));
  CHECK(estimate({{{2}, {4}, {5}}}, 2, 8) == doctest::Approx(8));
}

TEST_CASE("waiting of a program that does not compute stays as it was") {
  CHECK(estimate({{{2}, {0}, {5}}}, 3, 7) == doctest::Approx(6));
}

TEST_CASE("one run that was in MPI for less than the bound overlapped the rest") {
  CHECK(estimate({run(4, 1)}, 4) == doctest::Approx(1));
  CHECK(estimate({run(4, 1)}, 8) == doctest::Approx(2));
}

TEST_CASE("two runs separate waiting from overlap") {
  const CommunicationEstimate fitted({run(2, 4), run(6, 6)});
  CHECK(fitted.share() == doctest::Approx(0.5));
  CHECK(fitted.waiting() == doctest::Approx(3));
  CHECK(fitted.on({10}, {1}).value == doctest::Approx(8));
}

TEST_CASE("what other runs are missed by is the error, within limits") {
  CHECK(CommunicationEstimate({run(2, 4)}).relative_error() == doctest::Approx(0.1));
  CHECK(CommunicationEstimate({run(2, 4), run(6, 6)}).relative_error() == doctest::Approx(0.05));
  // The share is 1 at most, so that 9 is estimated as 2.
  CHECK(CommunicationEstimate({run(1, 1), run(2, 9)}).relative_error() == doctest::Approx(1));
  CHECK(CommunicationEstimate({run(1, 1), run(2, 2.4)}).relative_error() == doctest::Approx(0.2));
}

TEST_CASE("the first run is met exactly, whatever the others say") {
  for (const double other : {0.0, 1.0, 4.0, 9.0, 30.0})
    CHECK(estimate({run(2, 4), run(6, other), run(3, 5)}, 2) == doctest::Approx(4));
}

TEST_CASE("no share is below 0 or above 1, and no waiting below 0, whatever the samples say") {
  // A denser run that was in MPI for less: nothing of the bound counts.
  const CommunicationEstimate falling({run(2, 6), run(6, 4)});
  CHECK(falling.share() == 0);
  CHECK(falling.waiting() == doctest::Approx(6));
  // One that grew faster than the bound.
  const CommunicationEstimate steep({run(1, 1), run(2, 9)});
  CHECK(steep.share() == 1);
  CHECK(steep.waiting() == 0);
  // A line that would begin below 0.
  const CommunicationEstimate low({run(4, 1), run(8, 4.5)});
  CHECK(low.waiting() == 0);
  CHECK(low.share() == doctest::Approx(0.25));
}

TEST_CASE("runs whose bounds hardly differ are as good as one") {
  const CommunicationEstimate alike({run(2, 4), run(2.01, 6)});
  CHECK(alike.share() == 1);
  CHECK(alike.waiting() == doctest::Approx(2));
  CHECK(estimate({run(0, 1), run(0, 3)}, 5) == doctest::Approx(6));
}

}  // namespace
}  // namespace huddle::predict
