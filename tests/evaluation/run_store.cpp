#include "tests/evaluation/run_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "profiles/vocabulary/error.hpp"
#include "tests/evaluation/children.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

// To be raised when the simulation itself changes: files of other versions are passed over.
constexpr int kSimulatorVersion = 2;

std::string described(const Cluster& cluster) {
  const NodeHardware& node = cluster.node;
  const Interconnect& net = cluster.net;
  std::string text = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {} {}", name_of(cluster.contention), node.packages,
      node.dies_per_package, node.cores_per_die, node.clock_hz, node.cache_bytes,
      node.cache_latency_s, node.memory_latency_s, node.cache_bandwidth, node.package_bandwidth,
      node.node_bandwidth, net.bytes_per_message, net.overhead_s);
  if (node.die_bandwidth > 0) text += fmt::format(" die {}", node.die_bandwidth);
  if (node.numa_per_package > 0) text += fmt::format(" NUMA nodes {}", node.numa_per_package);
  for (const Hop& hop : {net.core, net.die, net.package, net.nic})
    text += fmt::format(" {} {}", hop.latency_s, hop.bandwidth);
  return text;
}

std::string described(const Program& program) {
  std::string text = fmt::format("{} {}", program.name, program.imbalance);
  for (const auto& [work, exchange] : program.steps)
    text += fmt::format("; {} {} {} {} {} {} {} {} {} {} {} {} {}", work.instructions,
                        work.base_cpi, work.references, work.least_misses, work.most_misses,
                        work.footprint_bytes, work.steepness, work.bytes_per_miss, work.parallelism,
                        static_cast<int>(exchange.shape), exchange.bytes, exchange.overlap,
                        exchange.blocks);
  return text;
}

std::string described(const Placement& placement, bool cores_are_shared) {
  std::string text;
  for (const Place& place : placement) {
    text += fmt::format("{},{},{} ", place.node, place.package, place.die);
    if (cores_are_shared) text += fmt::format("on {} ", place.core);
  }
  return text;
}

void write_run(const Run& run, const std::filesystem::path& path) {
  std::filesystem::path unfinished = path;
  unfinished += fmt::format(".{}", getpid());
  {
    std::ofstream file(unfinished);
    for (const RankTimes& rank : run) {
      file << fmt::format("{:.12g} {}", rank.run, rank.computing.size());
      for (const double time : rank.computing) file << fmt::format(" {:.12g}", time);
      for (const double time : rank.exchanging) file << fmt::format(" {:.12g}", time);
      file << '\n';
    }
    if (!file.flush()) throw Error(fmt::format("can't write {}", unfinished.string()));
  }
  std::filesystem::rename(unfinished, path);
}

bool read_run(Run& run, const std::filesystem::path& path, std::size_t ranks) {
  std::ifstream file(path);
  run.assign(ranks, {});
  for (RankTimes& rank : run) {
    std::size_t steps = 0;
    if (!(file >> rank.run >> steps) || steps > 1000) return false;
    rank.computing.resize(steps);
    rank.exchanging.resize(steps);
    for (double& time : rank.computing) file >> time;
    for (double& time : rank.exchanging) file >> time;
  }
  return static_cast<bool>(file);
}

}  // namespace

RunStore::RunStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

Run RunStore::run(const Cluster& cluster, const Program& program,
                  const Placement& placement) const {
  const std::string key = fmt::format("{} {} | {} | {} | {}", kSimulatorVersion,
                                      kSimulatedIterations, described(cluster), described(program),
                                      described(placement, cluster.node.pus_per_core > 1));
  const std::filesystem::path path =
      folder_ / fmt::format("{:016x}{:016x}", seed_of(key), seed_of("2" + key));
  Run run;
  if (read_run(run, path, placement.size())) return run;
  in_children(1, 1, [&](std::size_t) { write_run(simulate(cluster, program, placement), path); });
  if (!read_run(run, path, placement.size()))
    throw Error(fmt::format("the run in {} can't be read", path.string()));
  return run;
}

}  // namespace huddle::evaluation
