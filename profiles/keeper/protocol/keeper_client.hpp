#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/keeper/protocol/clock_page.hpp"
#include "profiles/keeper/protocol/keeper_protocol.hpp"

namespace huddle::keeper {

/// A rank's connection to the keeper of its step's clocks, made for the midst of other people's
/// programs: no threads, no signals, no waiting after connect(), and descriptors that no program
/// that the rank starts gets. When the object or the process ends, what was asked for is void.
///
/// ask() may be called by several threads at once; all else is for one. A child that the process
/// forks must leave the object alone, its destructor as well.
class KeeperClient {
 public:
  /// Connects to the keeper that listens at `socket`, says that this process runs on `own`, and
  /// gets its page; at most `patience` in all. Throws SystemError if nobody listens or answers in
  /// time, FormatError if the answer is none, and Error with the keeper's reason if it refuses.
  static KeeperClient connect(const std::filesystem::path& socket, const PuSet& own,
                              std::chrono::milliseconds patience = std::chrono::seconds(1));

  /// The clocks that may be asked for: those of the PUs named. At least one.
  [[nodiscard]] std::span<const OfferedClock> clocks() const noexcept { return clocks_; }

  /// Asks that clocks()[clock] be at most `khz`, or, with 0, takes back what was asked. It holds
  /// until the next ask and for `lease`, if that is above 0; after that the clock goes to the most
  /// of its envelope. The keeper moves it into the envelope and up onto a step, and where others
  /// share the clock the highest ask holds. Takes about a microsecond, never waits, leaves errno
  /// alone. False if there is no such clock.
  bool ask(std::size_t clock, std::uint32_t khz,
           std::chrono::nanoseconds lease = std::chrono::nanoseconds(0)) noexcept;

  /// Returns the keeper's last answer about the clock; all zero if there is no such clock. A read
  /// of memory.
  [[nodiscard]] ClockAnswer answer(std::size_t clock) const noexcept;
  /// Returns the frequency at which the keeper last read the clock, in kHz; 0 if not known.
  [[nodiscard]] std::uint32_t achieved(std::size_t clock) const noexcept {
    return answer(clock).achieved_khz;
  }
  /// True once the keeper has looked at all that this process asked. A read of memory.
  [[nodiscard]] bool answered() const noexcept;

  /// True if there is a keeper at the other end. One system call.
  [[nodiscard]] bool alive() const noexcept;

 private:
  KeeperClient(files::OwnedDescriptor connection, files::OwnedDescriptor wake, ClockPage page,
               std::vector<OfferedClock> clocks) noexcept;

  files::OwnedDescriptor connection_;
  files::OwnedDescriptor wake_;
  ClockPage page_;
  std::vector<OfferedClock> clocks_;
};

}  // namespace huddle::keeper
