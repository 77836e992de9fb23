#pragma once

#include <cstdint>

#include "aggregator/forecast/sizes/detail/by_size.hpp"
#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Predicts what a rank sends, and its collectives and calls of MPI, for a problem size: each cell
/// of the rank x rank matrix by itself. Messages to one receiver are of different kinds by how large they
/// are, from the smallest to the largest, and move to other size classes as their mean size grows.
class TrafficBySize {
 public:
  /// `runs`: of one layout, at least one; they must outlive it.
  TrafficBySize(const RunsOfLayout& runs, double target);

  /// Writes sent, sent_to_neighbours, put, fetched, collectives and calls of the rank with this
  /// index. Safe from several threads.
  void predict(std::size_t rank, RankRecord& record) const;

 private:
  const RunsOfLayout& runs_;
  double target_;
  CountsBySize counts_;
};

}  // namespace huddle
