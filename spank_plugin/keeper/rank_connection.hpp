#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/keeper/protocol/clock_page.hpp"
#include "profiles/keeper/protocol/keeper_protocol.hpp"
#include "spank_plugin/keeper/monotonic_clock.hpp"

namespace huddle::keeper {

/// Who is at the other end of a socket, as the kernel noted when it connected.
struct SocketPeer {
  uid_t user = 0;
  pid_t process = 0;
  /// Can be read once the process has ended, whoever has its socket then; invalid where the kernel
  /// has no such thing (before Linux 5.3).
  files::OwnedDescriptor end;
};

/// Nothing if the kernel does not say, or the process has ended.
std::optional<SocketPeer> peer_of(const files::OwnedDescriptor& socket);

/// Says why a process is not served. Never waits.
void refuse_rank(const files::OwnedDescriptor& socket, std::string_view reason) noexcept;

/// One rank as its keeper has it. Whatever it sends or writes costs a bounded time. For one thread.
class RankConnection {
 public:
  enum class Heard : std::uint8_t {
    kNothing,   ///< nothing new
    kGreeting,  ///< its first packet
    kEnd,       ///< it has ended, or sent what it must not
  };

  /// It has to greet until `greet_by`.
  RankConnection(files::OwnedDescriptor socket, files::OwnedDescriptor end, MonotonicNs greet_by,
                 Allowance wakes) noexcept;

  /// Takes a packet, if there is one; a greeting goes to `greeting`.
  Heard hear(KeeperGreeting& greeting);
  /// Answers the greeting, with the page and what wakes the keeper. `clocks` are the keeper's
  /// numbers of those that `reply` offers, in the same order. False if the rank takes no answer.
  /// Throws SystemError, or Error if the answer is too long for a packet.
  bool hand_over(const KeeperReply& reply, std::vector<std::size_t> clocks);

  /// Takes over what is asked now, and calls `news` with each clock (the keeper's number) and ask
  /// that differ from what was asked before.
  template <class News>
  void look(const News& news) {
    asks_ = page_.view().begin_to_look();
    for (std::size_t slot = 0; slot < clocks_.size(); ++slot) {
      const ClockAsk ask = page_.view().ask_for(slot);
      if (ask == asked_[slot]) continue;
      asked_[slot] = ask;
      news(clocks_[slot], ask);
    }
  }
  /// All that look() found has been answered.
  void say_answered() const noexcept { page_.view().say_answered(asks_); }

  [[nodiscard]] const files::OwnedDescriptor& socket() const { return socket_; }
  [[nodiscard]] const files::OwnedDescriptor& end() const { return end_; }
  /// Written to by the rank, whose file it is as well: it must not be read, which could wait.
  [[nodiscard]] const files::OwnedDescriptor& wake() const { return wake_; }
  /// True if it has a page.
  [[nodiscard]] bool served() const { return !clocks_.empty(); }
  [[nodiscard]] MonotonicNs greet_by() const { return greet_by_; }
  /// The keeper's numbers.
  [[nodiscard]] const std::vector<std::size_t>& clocks() const { return clocks_; }
  [[nodiscard]] const ClockAsk& asked(std::size_t slot) const { return asked_[slot]; }
  [[nodiscard]] const ClockPageView& page() const { return page_.view(); }

  /// The allowance for waking the keeper.
  Allowance wakes;
  /// It has woken the keeper more often, and is not listened to for a moment.
  bool muted = false;

 private:
  files::OwnedDescriptor socket_;
  files::OwnedDescriptor end_;
  files::OwnedDescriptor wake_;
  MonotonicNs greet_by_;
  ClockPage page_;
  std::vector<std::size_t> clocks_;
  std::vector<ClockAsk> asked_;
  std::uint32_t asks_ = 0;
};

}  // namespace huddle::keeper
