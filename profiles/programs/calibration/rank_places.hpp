#pragma once

#include <vector>

#include "profiles/programs/calibration/calibration_settings.hpp"

namespace huddle::calibration {

/// A core, by numbers: nodes in the order of their lowest ranks, cores of a node in the order of
/// packages, dies and cores.
struct Place {
  int node = 0;
  int core = 0;
};

/// The places of all ranks.
class RankPlaces {
 public:
  /// `places`: by rank, each core at most once.
  RankPlaces(const Layout& layout, const std::vector<Place>& places);

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] int nodes() const { return nodes_; }
  /// -1 if nobody is there.
  [[nodiscard]] int rank_at(int node, int core) const;

 private:
  Layout layout_;
  int nodes_ = 0;
  /// Ranks by node and core; -1 where nobody is.
  std::vector<int> ranks_;
};

/// Finds out where the ranks of MPI_COMM_WORLD are: by the host's name and by what each is bound
/// to, or by rank. Collective; the same on all ranks. Throws BadSettings on every rank if a rank is
/// not bound to one core of the layout, or two are bound to the same.
RankPlaces find_places(const Settings& settings);

}  // namespace huddle::calibration
