#include <doctest/doctest.h>

#include "aggregator/study/dump_reader.hpp"
#include "aggregator/study/site_study.hpp"
#include "aggregator/study/site_tally.hpp"
#include "tests/aggregator/study/planted_site.hpp"

namespace huddle::study {
namespace {

TEST_CASE("of 200 sites whose truth is known, the interval holds it in 88 to 92 %") {
  int held = 0;
  std::uint64_t called = 0;
  std::uint64_t right = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const PlantedSite site = planted_site(seed);
    SiteTally tally;
    DumpReader reader("dump", [&](const DumpedJob& job) { tally.add(job); });
    reader.read(site.dump);
    reader.finish();
    const SiteStudy study = study_site(tally, {0.05, {tally.partitions()[0].seen.learnt()}, 1});
    // Thousandths are for sums in another order, and for memory in steps.
    const double slack = 1e-3 * site.freed_node_hours;
    if (site.freed_node_hours >= study.freed_node_hours.low - slack &&
        site.freed_node_hours <= study.freed_node_hours.high + slack)
      ++held;
    for (const ShapeStudy& shape : study.shapes) {
      if (shape.probability < 0.95) continue;
      called += shape.amount.jobs;
      if (site.is_packable.at(tally.applications()[shape.application])) right += shape.amount.jobs;
    }
  }
  MESSAGE("held " << held << " of 200; " << right << " of " << called << " packable jobs are so");
  CHECK(held >= 176);
  CHECK(held <= 184);
  CHECK(called > 1000);
  CHECK(100 * right >= 95 * called);
}

TEST_CASE("the same records give the same figures on any number of threads") {
  const PlantedSite site = planted_site(7);
  SiteTally tally;
  DumpReader reader("dump", [&](const DumpedJob& job) { tally.add(job); });
  reader.read(site.dump);
  reader.finish();
  const StudyOptions one{0.05, {tally.partitions()[0].seen.learnt()}, 1};
  StudyOptions several = one;
  several.threads = 4;
  const SiteStudy a = study_site(tally, one);
  const SiteStudy b = study_site(tally, several);
  CHECK(a.freed_node_hours.mean > 0);
  CHECK(a.freed_node_hours.mean == b.freed_node_hours.mean);
  CHECK(a.freed_charge.high == b.freed_charge.high);
  CHECK(a.packable.jobs == b.packable.jobs);
  REQUIRE(a.applications.size() == b.applications.size());
  for (std::size_t i = 0; i < a.applications.size(); ++i) {
    CHECK(a.applications[i].name == b.applications[i].name);
    CHECK(a.applications[i].freed_node_hours.low == b.applications[i].freed_node_hours.low);
  }
}

}  // namespace
}  // namespace huddle::study
