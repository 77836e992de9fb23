#include "aggregator/study/site_study.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "aggregator/study/dump_reader.hpp"
#include "tests/aggregator/study/dump_rows.hpp"
#include "tests/aggregator/study/planted_site.hpp"

namespace huddle::study {
namespace {

// Four jobs, so that the nodes become known and two are more than are measured.
SiteStudy study_of(const JobRows& rows, double slowdown = 0.05) {
  std::string text = kHeader;
  for (int i = 0; i < 4; ++i) {
    JobRows one = rows;
    one.id = std::to_string(20 + i) + rows.id.substr(2);
    text += one.text();
  }
  return study_text_of_site(text, slowdown);
}

// The verdict on all four, but for those that are measured first.
Verdict verdict_on(const JobRows& rows) {
  const SiteStudy study = study_of(rows);
  for (std::size_t i = 0; i < kVerdicts; ++i)
    if (study.by_verdict[i].jobs > 0 && static_cast<Verdict>(i) != Verdict::kMeasuredFirst)
      return static_cast<Verdict>(i);
  return Verdict::kMeasuredFirst;
}

TEST_CASE("each job is sorted by what is known of it") {
  CHECK(verdict_on({}) == Verdict::kCouldUseFewer);
  CHECK(verdict_on({.nodes = 1}) == Verdict::kOneNode);
  CHECK(verdict_on({.more_resources = ",gres/gpu=4"}) == Verdict::kGpu);
  CHECK(verdict_on({.state = "TIMEOUT"}) == Verdict::kDidNotComplete);
  CHECK(verdict_on({.state = "RUNNING"}) == Verdict::kStillRuns);
  CHECK(verdict_on({.id = "17+0"}) == Verdict::kComponent);
  CHECK(verdict_on({.task_memory = "30G"}) == Verdict::kFillsMemory);
}

TEST_CASE("a job that nobody can judge is no gain") {
  for (const auto& [rows, verdict] : std::vector<std::pair<JobRows, Verdict>>{
           {{.tasks = 0}, Verdict::kTasksUnknown},
           {{.with_step = false}, Verdict::kTasksUnknown},
           {{.program = "orted"}, Verdict::kTasksUnknown},
           {{.program = "hydra_bstrap_proxy"}, Verdict::kTasksUnknown},
           {{.task_memory = ""}, Verdict::kMemoryUnknown},
           {{.busy = 0}, Verdict::kCpuTimeUnknown},
           {{.busy = 11.8}, Verdict::kThreadsUnknown}}) {
    const SiteStudy study = study_of(rows);
    CHECK(verdict_on(rows) == verdict);
    CHECK(is_unjudged(verdict));
    CHECK(study.freed_node_hours.high == 0);
    CHECK(study.freed_charge.high == 0);
    CHECK(study.all.jobs == 4);
  }
}

TEST_CASE("a job that ran beside others is no gain") {
  JobRows shared{.name = "shared", .cpus_of_node = 4};
  std::string text = kHeader;
  for (int i = 0; i < 4; ++i) {
    text += JobRows{.id = std::to_string(i)}.text();
    shared.id = std::to_string(10 + i);
    text += shared.text();
  }
  const SiteStudy study = study_text_of_site(text);
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kShared)].jobs == 4);
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kCouldUseFewer)].jobs == 2);
}

TEST_CASE("nodes that no job had whole are not known") {
  const SiteStudy study = study_of({.cpus_of_node = 4});
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kNodeUnknown)].jobs == 4);
  CHECK(study.nodes.at(0).node.cpus == 0);
}

TEST_CASE("a CPU may be half a core unless a machine document says that it is one") {
  // 24 tasks a node: all cores of 48 threads, half of those of 48 cores.
  const JobRows rows{.tasks = 96, .requested = 20};
  CHECK(verdict_on(rows) == Verdict::kFillsCores);
  Machine machine;
  machine.name = "wide";
  machine.topology = "package:2 core:24 pu:1";
  std::string text = kHeader;
  for (int i = 0; i < 4; ++i) text += JobRows{.id = std::to_string(i), .tasks = 96}.text();
  const SiteStudy study = study_text_of_site(text, 0.05, machine);
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kCouldUseFewer)].jobs == 2);
  CHECK(study.nodes.at(0).node.cpus_per_core == 1);
}

TEST_CASE("the first two runs of a program, user and number of tasks are measured") {
  const SiteStudy study = study_of({});
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kMeasuredFirst)].jobs == 2);
  CHECK(study.by_verdict[static_cast<std::size_t>(Verdict::kCouldUseFewer)].jobs == 2);
  REQUIRE(study.measure_first.size() == 1);
  CHECK(study.measure_first[0].application == "halo");
  CHECK(study.measure_first[0].measured_runs == 2);
}

TEST_CASE("what is freed has an interval, grows with the bound, and is charged as it is freed") {
  const SiteStudy narrow = study_of({}, 0.01);
  const SiteStudy usual = study_of({});
  const SiteStudy wide = study_of({}, 0.5);
  CHECK(usual.freed_node_hours.low <= usual.freed_node_hours.mean);
  CHECK(usual.freed_node_hours.mean < usual.freed_node_hours.high);
  CHECK(narrow.freed_node_hours.mean < usual.freed_node_hours.mean);
  CHECK(usual.freed_node_hours.mean < wide.freed_node_hours.mean);
  // 16 tasks fit on one of four nodes: two jobs of an hour free three node-hours each at most.
  CHECK(wide.freed_node_hours.high <= 6);
  CHECK(usual.all.charge() == 4 * 192);
  CHECK(usual.freed_charge.mean == doctest::Approx(48 * usual.freed_node_hours.mean));
}

TEST_CASE("free nodes save energy only where their power is known, and only if they sleep") {
  Machine machine;
  machine.name = "metered";
  machine.topology = "package:2 core:24 pu:1";
  const std::string text =
      kHeader + JobRows{.id = "1"}.text() + JobRows{.id = "2"}.text() + JobRows{.id = "3"}.text();
  CHECK_FALSE(study_text_of_site(text, 0.05, machine).asleep_kwh);
  machine.power = PowerFigures{};
  machine.power->idle_node = Watts{200};
  machine.power->off_node = Watts{20};
  const SiteStudy study = study_text_of_site(text, 0.05, machine);
  REQUIRE(study.asleep_kwh);
  CHECK(study.asleep_kwh->mean == doctest::Approx(0.18 * study.freed_node_hours.mean));
}

TEST_CASE("what the machine saves depends on what becomes of free nodes") {
  Machine machine;
  machine.name = "metered";
  machine.topology = "package:2 core:24 pu:1";
  machine.power = PowerFigures{};
  machine.power->idle_node = Watts{200};
  machine.power->off_node = Watts{20};
  const std::string text =
      kHeader + JobRows{.id = "1"}.text() + JobRows{.id = "2"}.text() + JobRows{.id = "3"}.text();
  const SiteStudy used = study_text_of_site(text, 0.05, machine);
  CHECK(used.job_kwh->mean == doctest::Approx(0.2 * used.freed_node_hours.mean));
  CHECK(!used.machine_kwh);
  const auto saved_by_machine = [&](UnusedNode node) {
    machine.unused_nodes = UnusedNodes{node, {}, Origin::kGiven, {}};
    const SiteStudy study = study_text_of_site(text, 0.05, machine);
    CHECK(study.job_kwh->mean == used.job_kwh->mean);
    return study.machine_kwh->mean;
  };
  CHECK(saved_by_machine({NodeFate::kIdles, {}}) == doctest::Approx(0));
  CHECK(saved_by_machine({NodeFate::kSleeps, {}}) == doctest::Approx(used.asleep_kwh->mean));
  // The jobs take an hour, of which free nodes are awake for a quarter.
  CHECK(saved_by_machine({NodeFate::kSleeps, {900}}) ==
        doctest::Approx(0.75 * used.asleep_kwh->mean));
  CHECK(saved_by_machine({NodeFate::kSleeps, {7200}}) == doctest::Approx(0));
}

TEST_CASE("nodes that no step used are free for certain") {
  JobRows rows;
  std::string text = kHeader;
  for (int i = 0; i < 4; ++i) {
    rows.id = std::to_string(i);
    std::string job = rows.text();
    // The step ran on two of the four.
    job.replace(job.rfind("|3600|4|"), 8, "|3600|2|");
    text += job;
  }
  const SiteStudy study = study_text_of_site(text);
  CHECK(study.freed_node_hours.low >= 2 * 2);
  CHECK(study.packable.jobs == 2);
}

TEST_CASE("a program's runs share what is not known of it, so that many do not make it certain") {
  const auto spread = [](bool one_program) {
    std::string text = kHeader;
    for (int i = 0; i < 60; ++i) {
      JobRows rows{.id = std::to_string(i)};
      if (!one_program) rows.program = "program" + std::to_string(i % 20);
      text += rows.text();
    }
    const Uncertain freed = study_text_of_site(text).freed_node_hours;
    return (freed.high - freed.low) / freed.mean;
  };
  CHECK(spread(true) > 1.2 * spread(false));
}

TEST_CASE("groups add up, and several clusters have partitions of their own") {
  std::string text = kHeader;
  int id = 0;
  for (const char* cluster : {"a", "b"})
    for (const char* account : {"x", "y"})
      for (int i = 0; i < 4; ++i)
        text += JobRows{.id = std::to_string(id++), .cluster = cluster, .account = account}.text();
  const SiteStudy study = study_text_of_site(text);
  REQUIRE(study.partitions.size() == 2);
  CHECK(study.partitions[0].name.find("/batch") == 1);
  for (const auto* groups :
       {&study.partitions, &study.accounts, &study.applications, &study.sizes}) {
    JobAmount all;
    double freed = 0;
    for (const GroupStudy& group : *groups) {
      all += group.all;
      freed += group.freed_node_hours.mean;
    }
    CHECK(all.jobs == study.all.jobs);
    CHECK(freed == doctest::Approx(study.freed_node_hours.mean).epsilon(1e-5));
  }
  CHECK(study.sizes.at(0).name == "3 to 4");
}

TEST_CASE("an interpreter's program is the job's name and user, with numbers made alike") {
  std::string text = kHeader;
  for (int i = 0; i < 6; ++i)
    text +=
        JobRows{.id = std::to_string(i), .name = "md_" + std::to_string(i), .program = "python3"}
            .text();
  const SiteStudy study = study_text_of_site(text);
  REQUIRE(study.applications.size() == 1);
  CHECK(study.applications[0].name == "md_# of ann");
}

}  // namespace
}  // namespace huddle::study
