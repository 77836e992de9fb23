// The part of a run that deals with the teams of OpenMP.

#include <utility>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/recorder/openmp/region_places.hpp"
#include "profiles/recorder/run.hpp"

namespace huddle::recorder {

void Run::begin_teams() {
  team_pus_ = PuSet::of_this_thread();
  teams_ = agree_on_teams(channel_, team_pus_);
}

TeamTask Run::team_task() const {
  TeamTask task{{rank_}, ranks_, teams_.home, teams_.why_not, {}, begin_};
  if (balance_.balance) task.why_never = "the clocks of its ranks follow loads";
  return task;
}

// Others, and what the rank sends to them, are no part of it: for the chooser it is alone.
std::string Run::profile_of_teams() const {
  RankRecord own = record();
  RankRecord alone;
  alone.node = own.node;
  alone.pus = own.pus;
  alone.run_time = own.run_time;
  alone.mpi_time = own.mpi_time;
  alone.phases = std::move(own.phases);
  alone.openmp_regions = std::move(own.openmp_regions);
  alone.packed_regions = std::move(own.packed_regions);
  alone.smaller_teams = std::move(own.smaller_teams);
  alone.region_positions = std::move(own.region_positions);
  SharedTables tables;
  tables.phase_groups = phases_->groups();
  tables.openmp_regions = describe(regions_, Interval(begin_, Moment::now())).regions;
  Profile head;
  head.label = destination_.label();
  head.ranks = 1;
  head.executable = program_.executable;
  return encode_profile_head(head, Encoding::kCbor) + encode_rank_record(alone, Encoding::kCbor) +
         encode_profile_tail(tables, Encoding::kCbor);
}

}  // namespace huddle::recorder
