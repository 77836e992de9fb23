#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/hybrid/detail/team_model.hpp"

namespace huddle::hybrid::teams {

/// Limits of the time of a program and its groups, counted as Model::weighed, in seconds.
struct Limits {
  double total = 0;
  std::vector<double> groups;
};

/// Another option for one region.
struct Change {
  std::size_t rank = 0;
  std::size_t group = 0;
  std::size_t region = 0;
  std::size_t option = 0;
};

/// A choice, what it takes and draws, and changes to it that are undone if they don't help.
class Search {
 public:
  /// Keeps references.
  Search(const Model& model, const Limits& limits, hybrid::TeamChoice choice);

  [[nodiscard]] const hybrid::TeamChoice& choice() const { return choice_; }
  [[nodiscard]] double drawn() const { return drawn_; }
  [[nodiscard]] double weighed() const { return weighed_; }
  /// True if all limits hold.
  [[nodiscard]] bool allowed() const;

  /// Sets the sum to make small: what is drawn + price x time; a price below 0 means none, and the
  /// total limit must hold.
  void set_price(double price) { price_ = price; }
  /// Makes these changes if that lowers what is made small and breaks no limit. True if it did.
  bool attempt(const std::vector<Change>& changes);
  /// attempt() for all moves there are, until none helps or `sweeps` are over.
  void descend(int sweeps);

 private:
  struct GroupSums {
    double length = 0;
    double weighed = 0;
    double drawn = 0;
    std::vector<double> nodes;  ///< what each draws
  };
  struct Saved {
    std::size_t rank = 0;
    std::size_t group = 0;
    RankRun run;
  };
  void rerun(std::size_t rank, const std::vector<State>& ends, std::vector<bool>& touched);
  /// The time of a group after the changes in saved_, where it took `before`.
  [[nodiscard]] GroupSums lengths_of(std::size_t group, const GroupSums& before) const;
  /// Adds what it draws, if ranks on `nodes` changed.
  void draw(std::size_t group, const std::vector<std::size_t>& nodes, const GroupSums& before,
            GroupSums& sums) const;
  [[nodiscard]] double objective(double drawn, double weighed) const;
  bool descend_alone();
  bool descend_together();
  bool try_scope(const std::vector<Change>& scope);
  void forget();

  const Model& model_;
  const Limits& limits_;
  hybrid::TeamChoice choice_;
  double price_ = -1;
  std::vector<std::vector<State>> ends_;    ///< by rank, group
  std::vector<std::vector<RankRun>> runs_;  ///< by group, rank
  std::vector<GroupSums> groups_;
  double drawn_ = 0;
  double weighed_ = 0;
  std::vector<std::vector<Change>> scopes_;  ///< regions (options unset) that move together
  std::vector<Saved> saved_;
};

/// Options of one region that have the same cores, or the same clock, as a wanted one; the region's
/// present one if it hasn't any.
std::size_t option_like(const Model& model, std::size_t rank, std::size_t group, std::size_t region,
                        const hybrid::TeamConfiguration& wanted, std::size_t present);

/// All configurations of all menus, each once, ascending.
std::vector<hybrid::TeamConfiguration> all_configurations(const hybrid::TeamProgram& program);

}  // namespace huddle::hybrid::teams
