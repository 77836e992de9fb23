#include "tests/aggregator/study/planted_site.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "aggregator/predict/computation/shared_model.hpp"
#include "aggregator/study/dump_reader.hpp"
#include "aggregator/study/site_tally.hpp"
#include "tests/aggregator/study/dump_rows.hpp"

namespace huddle::study {
namespace {

// Nodes as JobRows has them: 48 CPUs that are 24 cores in two packages, and 180 GiB.
constexpr unsigned kCores = 24;
constexpr double kNodeKibibytes = 180.0 * (1 << 20);
constexpr double kBound = 0.05;

struct Program {
  std::string name;
  unsigned nodes = 0;
  unsigned per_node = 0;
  unsigned hours = 0;
  double task_kibibytes = 0;
  predict::DemandParameters demand{};
};

unsigned up(unsigned a, unsigned b) {
  return (a + b - 1) / b;
}

double time_of(const predict::ContentionModel& model, const Program& program, unsigned together) {
  predict::Sharing sharing;
  sharing.node = together;
  sharing.package = up(together, 2);
  sharing.die = sharing.package;
  return predict::slower_time(model.shape, model.machine, program.demand, sharing,
                              model.clock.slowdown(sharing));
}

// Node-hours that a run takes on the fewest nodes that hold it and keep the bound.
double packed_node_hours(const predict::ContentionModel& model, const Program& program) {
  const unsigned tasks = program.nodes * program.per_node;
  const double before = time_of(model, program, program.per_node);
  for (unsigned nodes = 1; nodes < program.nodes; ++nodes) {
    const unsigned together = up(tasks, nodes);
    if (together > kCores || together * 1.1 * program.task_kibibytes > kNodeKibibytes) continue;
    const double slower = time_of(model, program, together) / before;
    if (slower <= 1 + kBound) return std::min(nodes * slower, 1.0 * program.nodes) * program.hours;
  }
  return program.nodes * program.hours;
}

JobRows rows_of(const Program& program, int id) {
  JobRows rows;
  rows.id = std::to_string(id);
  rows.program = program.name;
  rows.elapsed = 3600 * program.hours;
  rows.nodes = program.nodes;
  rows.tasks = rows.requested = program.nodes * program.per_node;
  rows.task_memory = std::to_string(static_cast<std::uint64_t>(program.task_kibibytes)) + "K";
  return rows;
}

}  // namespace

SiteStudy study_text_of_site(const std::string& text, double slowdown,
                             const std::optional<Machine>& machine) {
  SiteTally tally;
  DumpReader reader("jobs.txt", [&](const DumpedJob& job) { tally.add(job); });
  reader.read(text);
  reader.finish();
  StudyOptions options;
  options.slowdown = slowdown;
  for (const Partition& partition : tally.partitions())
    options.nodes.push_back(machine ? node_of(*machine, partition.seen) : partition.seen.learnt());
  return study_site(tally, options);
}

PlantedSite planted_site(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto drawn = [&](unsigned least, unsigned most) {
    return std::uniform_int_distribution<unsigned>(least, most)(random);
  };
  const predict::SharedModel usual = predict::usual_contention({});
  const predict::ContentionModel& model =
      usual.shapes[drawn(0, static_cast<unsigned>(usual.shapes.size()) - 1)];
  std::normal_distribution<double> normal;
  PlantedSite site;
  site.dump = kHeader;
  int id = 0;
  for (int i = 0; i < 4; ++i)  // whole nodes for one task each: these show how large nodes are
    site.dump += JobRows{.id = std::to_string(++id), .nodes = 1, .tasks = 1, .requested = 1}.text();
  for (unsigned i = 0; i < 12; ++i) {
    Program program{"program" + std::to_string(seed) + "_" + std::to_string(i),
                    1U << drawn(1, 6),
                    drawn(1, 14),
                    drawn(1, 12),
                    std::exp2(std::uniform_real_distribution<double>(16, 23)(random)),
                    model.prior.mean};
    for (std::size_t k = 0; k < program.demand.size(); ++k)
      program.demand[k] += normal(random) * std::sqrt(model.prior.covariance[4 * k]);
    const double before = 1.0 * program.nodes * program.hours;
    const double after = packed_node_hours(model, program);
    site.is_packable[program.name] = after < before;
    const unsigned runs = drawn(3, 30);
    for (unsigned run = 0; run < runs; ++run) {
      site.dump += rows_of(program, ++id).text();
      if (run >= SiteTally::kMeasuredRuns) site.freed_node_hours += before - after;
      JobRows unknown = rows_of(program, ++id);
      switch (run % 4) {  // beside each that can be judged, one that can't
        case 0:
          unknown.task_memory.clear();
          break;
        case 1:
          unknown.cpus_of_node = 24;
          break;
        case 2:
          unknown.program = "orted";
          break;
        default:
          unknown.state = "FAILED";
          break;
      }
      site.dump += unknown.text();
    }
  }
  return site;
}

}  // namespace huddle::study
