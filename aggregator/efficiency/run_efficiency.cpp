#include "aggregator/efficiency/run_efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "aggregator/efficiency/detail/load_sums.hpp"
#include "aggregator/efficiency/detail/openmp_time.hpp"
#include "aggregator/efficiency/detail/phase_efficiencies.hpp"
#include "aggregator/efficiency/detail/sampled_calls.hpp"

namespace huddle::efficiency {
namespace {

struct NodeSums {
  std::string node;
  std::uint32_t ranks = 0;
  LoadSums loads;
  OpenMpTime openmp;
};

class RunSums {
 public:
  explicit RunSums(Seconds elapsed) { result_.elapsed = elapsed; }

  void add(const RankRecord& record) {
    const std::uint32_t threads = threads_of(record.openmp_regions);
    const Seconds outside = record.computation_time();
    const SampledCalls sampled = sampled_calls_of(record);
    if (outside >= loads_.longest()) error_of_longest_ = sampled.error;
    loads_.add(threads, outside);
    openmp_.add(record.openmp_regions, threads, outside);
    OpenMpTime own;
    own.add(record.openmp_regions, threads, outside);
    result_.by_rank.push_back(
        {record.rank, threads, outside, outside / result_.elapsed, own.efficiency()});
    NodeSums& node = node_of(record.node);
    ++node.ranks;
    node.loads.add(threads, outside);
    node.openmp.add(record.openmp_regions, threads, outside);
    in_mpi_ += record.mpi_time;
    estimated_ += std::min(sampled.estimated, record.mpi_time);
    variance_ += std::pow(sampled.error.value * threads, 2);
    result_.hybrid = result_.hybrid || threads > 1;
  }

  RunEfficiency finish() && {
    result_.ranks = static_cast<std::uint32_t>(result_.by_rank.size());
    result_.threads = loads_.threads();
    result_.whole = {loads_.efficiency(result_.elapsed), openmp_.efficiency()};
    if (in_mpi_ > Seconds{}) result_.estimated_share = estimated_ / in_mpi_;
    set_errors();
    set_openmp();
    set_nodes();
    return std::move(result_);
  }

 private:
  NodeSums& node_of(const std::string& name) {
    const auto [place, is_new] = place_of_node_.emplace(name, nodes_.size());
    if (is_new) nodes_.push_back({name, 0, {}, {}});
    return nodes_[place->second];
  }

  void set_errors() {
    const MpiEfficiency& mpi = result_.whole.mpi;
    const double mean = std::sqrt(variance_) / loads_.threads();
    result_.errors.parallel = mean / result_.elapsed.value;
    result_.errors.communication = error_of_longest_ / result_.elapsed;
    if (mpi.parallel() > 0)
      result_.errors.load_balance =
          mpi.load_balance * std::hypot(result_.errors.parallel / mpi.parallel(),
                                        result_.errors.communication / mpi.communication);
  }

  void set_openmp() {
    const Seconds outside = loads_.mean() * loads_.threads();
    if (!result_.hybrid) {
      result_.whole.openmp.reset();
      result_.useful = outside;
    } else if (result_.whole.openmp) {
      result_.useful = outside * result_.whole.openmp->parallel();
    } else if (openmp_.contradicts()) {
      result_.openmp_unknown =
          "regions took longer than their rank was outside MPI: several threads began some at "
          "once, or MPI was called inside";
    } else {
      result_.openmp_unknown =
          fmt::format("the work of threads was looked at in {:.0f} % of the time in regions",
                      100 * openmp_.known_share());
    }
  }

  void set_nodes() {
    if (place_of_node_.contains("")) return;
    Seconds highest_mean;
    for (const NodeSums& node : nodes_) {
      result_.by_node.push_back({node.node,
                                 node.ranks,
                                 node.loads.threads(),
                                 {node.loads.efficiency(result_.elapsed),
                                  result_.hybrid ? node.openmp.efficiency() : std::nullopt}});
      highest_mean = std::max(highest_mean, node.loads.mean());
    }
    if (nodes_.size() < 2 || highest_mean <= Seconds{}) return;
    result_.balance = {loads_.mean() / highest_mean, highest_mean / loads_.longest()};
  }

  RunEfficiency result_;
  LoadSums loads_;
  OpenMpTime openmp_;
  std::vector<NodeSums> nodes_;
  std::unordered_map<std::string, std::size_t> place_of_node_;
  Seconds in_mpi_;
  Seconds estimated_;
  Seconds error_of_longest_;
  double variance_ = 0;  // s^2, of the sum over threads
};

}  // namespace

std::optional<RunEfficiency> efficiency_of(const Profile& profile) {
  if (profile.run_time() <= Seconds{}) return std::nullopt;
  RunSums sums(profile.run_time());
  for (const RankRecord& record : profile.rank_records) sums.add(record);
  RunEfficiency run = std::move(sums).finish();
  run.by_phase = phase_efficiencies_of(profile, run.elapsed * run.threads);
  if (run.hybrid) return run;
  for (RankEfficiency& rank : run.by_rank) rank.openmp.reset();  // of teams of one thread each
  for (PhaseEfficiency& phase : run.by_phase) phase.efficiency.openmp.reset();
  return run;
}

}  // namespace huddle::efficiency
