#include "aggregator/planning/detail/answers/fewer_nodes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace huddle::planning {
namespace {

/// A job on 4 nodes that takes 100 s.
struct Job {
  Job() {
    request.slowdown = 0.05;
    predictions.reference.nodes = 4;
    predictions.reference.time = {100};
    predictions.reference.energy = Joules{1000};
  }
  /// A pattern that takes so many seconds more, refused for that reason unless it is empty.
  PatternForecast& on(std::uint32_t nodes, double more, std::string reason) {
    PatternForecast pattern;
    pattern.nodes = nodes;
    pattern.time = {100 + more};
    pattern.slowdown = more / 100;
    pattern.feasible = reason.empty();
    pattern.reason = std::move(reason);
    pattern.coverage = Coverage::kMeasured;
    return predictions.patterns.emplace_back(std::move(pattern));
  }
  [[nodiscard]] std::string words() const { return words_of(no_fewer_nodes(request, predictions)); }

  PlanRequest request;
  Predictions predictions;
};

constexpr const char* kSlow = "slower than the bound of 5.0 %";

TEST_CASE("of the patterns that would break the bound the quickest is named, with its interval") {
  Job job;
  job.on(2, 31, kSlow);
  PatternForecast& near = job.on(3, 3.1, "may be beyond the bound of 5.0 %: up to +7.0 %");
  near.time_low = Seconds{99.1};
  near.time_high = Seconds{107};
  job.on(1, 0, "needs 12.0 GiB on a node of 8.0 GiB");
  CHECK(job.words() ==
        "no fewer nodes: 3 would take +3.1 % time (-0.9 to +7.0), your bound is 5 %");
}

TEST_CASE("a pattern that a run covers is a nearer miss than one that nothing covers") {
  Job job;
  job.on(3, 7, "contention unknown").coverage = Coverage::kNone;
  CHECK(job.words() ==
        "no fewer nodes: 3 would take +7.0 % time (contention unknown), your bound "
        "is 5 %");
  job.on(2, 31, kSlow);
  CHECK(job.words() == "no fewer nodes: 2 would take +31.0 % time, your bound is 5 %");
}

TEST_CASE("fewer nodes that are within the bound and gain nothing are named with what they take") {
  Job job;
  job.on(2, 2, "").energy = Joules{1100};
  CHECK(job.words() ==
        "no fewer nodes: 2 would take +2.0 % time, +10 % energy, and energy is to be least");
  job.request.objective = Objective::kEdp;
  CHECK(job.words().ends_with("energy times time is to be least"));
}

TEST_CASE("where nothing was predicted for fewer nodes the user learns what rules them out") {
  Job job;
  CHECK(job.words() == "no fewer nodes: its ranks need 4");
  job.request.least_nodes = 8;
  job.on(2, 2, "needs 2 nodes, at least 8 must be used");
  CHECK(job.words() == "no fewer nodes: at least 4 must be used");
  job.request.least_nodes = 1;  // another program of the job needs 8
  CHECK(job.words() == "no fewer nodes: not all of its programs keep your bound of 5 % there");
  job.on(1, 2, "needs 12.0 GiB on a node of 8.0 GiB");
  CHECK(job.words() == "no fewer nodes: 1 will not do (needs 12.0 GiB on a node of 8.0 GiB)");
}

}  // namespace
}  // namespace huddle::planning
