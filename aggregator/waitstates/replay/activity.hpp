#pragma once

#include <cstdint>

namespace huddle::waitstates {

/// What is left of a trace for questions of the kind "what if": of each rank's first thread, its
/// outermost MPI calls, what each could not end without, and how long it computed in which call
/// path between them. Between two activities the rank computes in one call path: where it did so in
/// several, activities that take no time and depend on nothing part them (ends_computation()).

/// In the place of an activity: none, or one of a thread whose activities are not recorded.
inline constexpr std::uint64_t kNoActivity = UINT64_MAX;

struct Activity {
  std::uint64_t enter = 0;  ///< ticks since the report's begin, clocks corrected
  std::uint64_t leave = 0;
  /// Call path of the MPI call, as the rank itself numbers its paths; and of the computation before
  /// it: the innermost region that the time since the activity before was spent in.
  std::uint32_t call_path = 0;
  std::uint32_t before = 0;

  /// Whether it is no call, but the end of what was computed in one call path. What a rank spent in
  /// a call path between two calls is one such piece, however often it was there.
  [[nodiscard]] bool ends_computation() const { return enter == leave && call_path == before; }
};

enum class DependencyKind : std::uint8_t {
  kMessage,        ///< can't end before `on` of `rank` began, which sends the message received here
  kReceiver,       ///< waited in it until `on` of `rank` began, which posts the receive
  kCollectiveAll,  ///< can't end before all members of the instance have begun (barrier, N x N,
                   ///< fence)
  kCollectiveRoot,  ///< ... before the instance's root has begun
  kCollectiveRest,  ///< this is the root: ... before all other members have begun
  kCollectiveScan,  ///< ... before all members with a lower place have begun
  kCollectivePart,  ///< takes part in the instance and depends on nobody, but others may on it
  /// Can't end before all members of the instance have begun, and is none of them: between two
  /// groups, each of which is an instance, all of one wait for all of the other.
  kCollectiveOtherGroup,
};

struct Dependency {
  std::uint64_t activity = 0;  ///< the rank's own, counted from 0; it ends the operation
  /// The activity that began the operation: the same, or the call of a nonblocking one.
  std::uint64_t begun_by = 0;
  /// Messages: the partner's activity (its beginning counts). Collectives: the number of the
  /// instance, the same for all its members and for no other instance of the trace.
  std::uint64_t on = 0;
  std::uint32_t rank = 0;     ///< messages: the partner
  std::uint32_t place = 0;    ///< collectives: the rank's place in the communicator
  std::uint32_t members = 0;  ///< collectives: how many there are
  std::uint32_t root = 0;     ///< collectives: place of the root, where there is one
  DependencyKind kind = DependencyKind::kMessage;
};

/// Receives what the replay finds. Ranks come in no particular order; a rank's activities come in
/// order of time, its dependencies in any order, each after its activity.
class ActivitySink {
 public:
  virtual ~ActivitySink() = default;
  virtual void add(std::uint32_t rank, const Activity& activity) = 0;
  virtual void add(std::uint32_t rank, const Dependency& dependency) = 0;
  /// Defines the rank's own number for a call path, before it is used. `parent` is a number defined
  /// before, or CallPath::kRoot.
  virtual void add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent,
                        std::uint32_t region, bool mpi) = 0;
};

}  // namespace huddle::waitstates
