#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "spank_plugin/keeper/clock_envelope.hpp"
#include "spank_plugin/keeper/clock_request_arbiter.hpp"
#include "spank_plugin/keeper/clock_writer.hpp"
#include "spank_plugin/keeper/rank_connection.hpp"

namespace huddle::keeper {

/// Whom a keeper serves, and how fast.
struct KeeperSettings {
  /// The step's user: nobody else is served, not even root.
  uid_t user = 0;
  /// Tells if a process belongs to the step. Called for each connection, in the loop: must be
  /// quick. An exception from it counts as no.
  std::function<bool(pid_t)> is_member;
  /// At once; a rank has one.
  std::size_t connections = 1024;
  /// The longest time that a rank may take from connecting to its greeting.
  std::chrono::milliseconds greeting_patience{1000};
  /// From a lowering of a clock to its next one.
  std::chrono::nanoseconds between_lowerings = std::chrono::milliseconds(1);
  /// The most times that one rank may wake the keeper. Its requests beyond that are looked at a
  /// millisecond later.
  double wakes_in_a_second = 4000;
  double wakes_at_once = 64;
  /// The most connections that are taken.
  double accepts_in_a_second = 1000;
  double accepts_at_once = 1024;
  ClockWriter::Paces paces;
};

/// Serves the ranks of one step: takes their connections and what they ask, and writes their
/// clocks, by nothing but the envelope's files. A rank that ends, or sends what it must not, asks
/// for nothing any more. No rank is waited for, none is believed, and none can keep the others from
/// being served. For one thread.
class KeeperServer {
 public:
  struct Counts {
    std::uint64_t served = 0;
    std::uint64_t refused = 0;
    /// Number of times that a rank was not listened to for a moment.
    std::uint64_t muted = 0;
    /// Number of times that there was something to do.
    std::uint64_t wakes = 0;
  };

  /// Keeps a reference to `envelope`. `listening` is a socket of packets, listening and
  /// non-blocking; it stays the caller's. Throws SystemError.
  KeeperServer(const ClockEnvelope& envelope, int listening, KeeperSettings settings);
  ~KeeperServer();
  KeeperServer(const KeeperServer&) = delete;
  KeeperServer& operator=(const KeeperServer&) = delete;

  /// Serves until `control` is at its end or `signals`, a signalfd, or `companion`, the pidfd of a
  /// process, can be read; negative: there is none. What comes by `control` is passed over. Throws
  /// SystemError or std::bad_alloc; end() is to be called then as well.
  void serve(int control, int signals, int companion = -1);
  /// Sets all clocks to the most of the envelope and tells the ranks that there is no keeper.
  /// Returns whether all clocks have it.
  bool end();

  [[nodiscard]] std::size_t connections() const { return ranks_.size(); }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const ClockWriter::Counts& written() const { return writer_.counts(); }

 private:
  using Rank = ClockRequestArbiter::Rank;
  enum class Source : std::uint8_t { kListening, kControl, kSignals, kTimer, kSocket, kWake, kEnd };

  void watch(int descriptor, Source source, Rank rank, std::uint32_t events);
  void rewatch(int descriptor, Source source, Rank rank, std::uint32_t events) const;
  void wait(int control);
  void handle(Source source, Rank rank, int control);
  void accept_some();
  void accept_later(std::chrono::nanoseconds pause);
  void take_in(files::OwnedDescriptor socket);
  void hear(Rank rank);
  void serve_rank(Rank rank, RankConnection& connection, const KeeperGreeting& greeting);
  void look(Rank rank);
  void drop(Rank rank);
  void tell(std::size_t clock, MonotonicNs now);
  void tell_news();
  void look_after_ranks();
  [[nodiscard]] MonotonicNs next() const;

  const ClockEnvelope& envelope_;
  KeeperSettings settings_;
  ClockRequestArbiter arbiter_;
  ClockWriter writer_;
  int listening_;
  files::OwnedDescriptor events_;
  files::OwnedDescriptor timer_;
  std::map<Rank, RankConnection> ranks_;
  Rank next_rank_ = 1;
  /// The clock of each PU.
  std::map<std::uint32_t, std::size_t> clock_of_;
  /// The ranks that named each clock, and where it is in their pages.
  std::vector<std::vector<std::pair<Rank, std::size_t>>> ranks_on_;
  std::vector<Rank> looked_at_;
  std::vector<Rank> muted_;
  Allowance accepts_;
  MonotonicNs now_ = 0;
  MonotonicNs timer_ns_ = kNever;
  MonotonicNs unmute_ns_ = kNever;
  MonotonicNs accept_ns_ = kNever;
  MonotonicNs greet_by_ns_ = kNever;
  bool ended_ = false;
  Counts counts_;
};

}  // namespace huddle::keeper
