#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/process/clocks.hpp"

namespace huddle::recorder {

/// Acts on a program while its run is recorded, such as on the places of its threads or on clocks:
/// the one door from the recorder, which measures, to what acts. Unless it says otherwise, a
/// function is called once, by the rank's first thread, in this order. It is never destroyed.
class RunActor {
 public:
  /// In MPI_Init, once all ranks take part; `ticks_inside`: that this thread was in MPI before
  /// `begin`. True on all ranks or none, if clocks follow loads: such a run is none to plan by.
  /// Collective over `channel`. Throws Error.
  virtual bool agree(const Channel& channel, const Moment& begin, std::uint64_t ticks_inside) = 0;
  /// MPI_Init returns to the program. Returns true if delimiters are to be told from now on. Throws
  /// std::bad_alloc.
  virtual bool begin() = 0;

  /// A delimiter begins at `now`, in ticks, and ends `group`. Each time.
  virtual void delimiter_begins(std::uint64_t group, std::uint64_t now) noexcept = 0;
  /// It is over; `place` is a key of where it was called. Each time, also if agree() alone returned
  /// true.
  virtual void delimiter_ended(std::uint64_t place, std::uint64_t ticks_inside) noexcept = 0;

  /// Every few seconds, by a thread of the recorder's own; may wait for some tenths of a second.
  /// `document` makes a profile of this rank alone, as rank 0.
  virtual void look(const std::function<std::string()>& document) = 0;
  /// Adds to a record what was acted on; `run` turns ticks into time. At any time, by any thread.
  /// Throws std::bad_alloc.
  virtual void add_to(RankRecord& record, const Interval& run) const = 0;
  /// Returns sentences for the notes of the profile. Likewise.
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;

  /// In MPI_Finalize: all is put back, for good. Collective over all ranks. Throws std::bad_alloc.
  virtual void end() = 0;
  /// In place of end(), where MPI can't be called any more. By any thread.
  virtual void leave() noexcept = 0;
  /// On rank 0, behind end(), once it has the records of all ranks. Throws Error, std::bad_alloc.
  virtual void all_have_ended() = 0;

  /// In a child of fork(), which is no rank.
  virtual void leave_in_child() noexcept = 0;

 protected:
  RunActor() = default;
  ~RunActor() = default;
  RunActor(const RunActor&) = default;
  RunActor& operator=(const RunActor&) = default;
};

/// Null where nothing acts. Set before main() by what is linked into the recorder's module.
extern constinit RunActor* run_actor;

}  // namespace huddle::recorder
