// huddle_calibration: measures what messages, collectives and memory streams take on the ranks that
// it is started with. Plain MPI, so that simulators can run it, too.

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <vector>

#include "profiles/programs/calibration/collective_calls.hpp"
#include "profiles/programs/calibration/memory_streams.hpp"
#include "profiles/programs/calibration/ping_pong.hpp"

namespace huddle::calibration {
namespace {

/// The list of measurements, most useful first, in case that time runs out.
class Plan {
 public:
  Plan(const Settings& settings, const RankPlaces& places) {
    const std::size_t largest = settings.largest_bytes;
    std::vector<PairGroup> crowds;
    if (settings.messages) {
      for (const PairGroup& group : pair_groups(places)) {
        if (group.pairs() > 1) {
          crowds.push_back(group);
        } else {
          add_pairs(group, largest);
        }
      }
    }
    if (settings.streams)
      for (const StreamGroup& group : stream_groups(places))
        add(1, [=](Session& session) { measure_streams(session, group, settings.stream_bytes); });
    for (const PairGroup& group : crowds) add_pairs(group, largest);
    if (!settings.collectives) return;
    for (const PatternGroup& group : pattern_groups(places))
      add(collective_cases(group.ranks.size(), largest).size(),
          [=](Session& session) { measure_collectives(session, group, largest); });
  }

  void carry_out(Session& session) const {
    session.announce(measurements_);
    for (const auto& step : steps_) step(session);
    session.finish();
  }

 private:
  void add(std::size_t measurements, std::function<void(Session&)> step) {
    measurements_ += measurements;
    steps_.push_back(std::move(step));
  }

  void add_pairs(const PairGroup& group, std::size_t largest) {
    add(message_sizes(largest).size(),
        [=](Session& session) { measure_pairs(session, group, largest); });
  }

  std::size_t measurements_ = 0;
  std::vector<std::function<void(Session&)>> steps_;
};

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int run(int argc, char** argv) {
  // About settings all ranks come to the same conclusion, and rank 0 reports it. What else goes
  // wrong may do so on one rank alone, and the others would wait for it.
  try {
    const Settings settings = settings_from(argc, argv);
    if (settings.help) {
      if (world_rank() == 0) std::fputs(kUsage, stdout);
      return 0;
    }
    const RankPlaces places = find_places(settings);
    Session session(settings, places);
    Plan(settings, places).carry_out(session);
    return 0;
  } catch (const BadSettings& error) {
    if (world_rank() == 0) std::fprintf(stderr, "huddle_calibration: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "huddle_calibration: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace
}  // namespace huddle::calibration

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = huddle::calibration::run(argc, argv);
  MPI_Finalize();
  return status;
}
