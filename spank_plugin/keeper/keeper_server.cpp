#include "spank_plugin/keeper/keeper_server.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

// Taking a connection in takes some 100 us, for which the other ranks wait.
constexpr int kAcceptsAtOnce = 4;
constexpr std::chrono::milliseconds kMute{1};
constexpr std::chrono::milliseconds kAcceptPause{10};
// There are no descriptors or no memory left.
constexpr std::chrono::milliseconds kShortagePause{100};
constexpr MonotonicNs kLongestTimer = 3600'000'000'000;

// Bits of epoll's data that say what a descriptor is; the others say which rank's, without a
// pointer that could be stale.
constexpr unsigned kSourceBits = 3;

std::vector<ClockRequestArbiter::Clock> arbitrated(const ClockEnvelope& envelope) {
  std::vector<ClockRequestArbiter::Clock> clocks;
  for (const EnvelopeClock& clock : envelope.clocks())
    clocks.push_back({clock.limits, clock.steps_khz});
  return clocks;
}

OfferedClock offered(const EnvelopeClock& clock) {
  OfferedClock offer{clock.pus, clock.limits.least_khz, clock.limits.most_khz, {}};
  for (const std::uint32_t khz : clock.steps_khz)
    if (khz >= clock.limits.least_khz && khz <= clock.limits.most_khz &&
        offer.steps_khz.size() < kMostClockSteps)
      offer.steps_khz.push_back(khz);
  return offer;
}

// A process may vanish while it is looked at; that must not end the keeper.
bool belongs(const std::function<bool(pid_t)>& is_member, pid_t process) {
  try {
    return is_member(process);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

KeeperServer::KeeperServer(const ClockEnvelope& envelope, int listening, KeeperSettings settings)
    : envelope_(envelope),
      settings_(std::move(settings)),
      arbiter_(arbitrated(envelope), settings_.between_lowerings),
      writer_(envelope, arbiter_, settings_.paces),
      listening_(listening),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      ranks_on_(envelope.clocks().size()),
      accepts_(settings_.accepts_in_a_second, settings_.accepts_at_once) {
  if (!events_.valid() || !timer_.valid()) throw SystemError("make", "an epoll or a timer", errno);
  for (std::size_t clock = 0; clock < envelope.clocks().size(); ++clock)
    for (const std::uint32_t pu : envelope.clocks()[clock].pus.members()) clock_of_[pu] = clock;
  watch(listening_, Source::kListening, 0, EPOLLIN);
  watch(timer_.number(), Source::kTimer, 0, EPOLLIN | EPOLLET);
}

KeeperServer::~KeeperServer() = default;

void KeeperServer::watch(int descriptor, Source source, Rank rank, std::uint32_t events) {
  struct epoll_event event {};
  event.events = events;
  event.data.u64 = rank << kSourceBits | static_cast<std::uint64_t>(source);
  if (::epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw SystemError("watch", "a descriptor", errno);
}

void KeeperServer::rewatch(int descriptor, Source source, Rank rank, std::uint32_t events) const {
  struct epoll_event event {};
  event.events = events;
  event.data.u64 = rank << kSourceBits | static_cast<std::uint64_t>(source);
  ::epoll_ctl(events_.number(), EPOLL_CTL_MOD, descriptor, &event);
}

void KeeperServer::serve(int control, int signals, int companion) {
  if (control >= 0) watch(control, Source::kControl, 0, EPOLLIN);
  for (const int end : {signals, companion})
    if (end >= 0) watch(end, Source::kSignals, 0, EPOLLIN);
  ended_ = false;
  while (!ended_) {
    now_ = monotonic_now();
    look_after_ranks();
    for (const std::size_t clock : writer_.write_due(now_)) tell(clock, now_);
    tell_news();
    if (const auto clock = writer_.read_due(now_)) tell(*clock, now_);
    wait(control);
  }
  for (const int end : {control, signals, companion})
    if (end >= 0) ::epoll_ctl(events_.number(), EPOLL_CTL_DEL, end, nullptr);
}

bool KeeperServer::end() {
  const bool all = writer_.write_tops();
  now_ = monotonic_now();
  for (std::size_t clock = 0; clock < ranks_on_.size(); ++clock) tell(clock, now_);
  for (const auto& [rank, connection] : ranks_)
    if (connection.served()) connection.page().say_ended();
  return all;
}

MonotonicNs KeeperServer::next() const {
  return std::min({writer_.next(), unmute_ns_, accept_ns_, greet_by_ns_});
}

void KeeperServer::wait(int control) {
  const MonotonicNs due = next();
  const MonotonicNs now = monotonic_now();
  if (due > now && due != kNever && due != timer_ns_) {
    const MonotonicNs at = std::min(due, now + kLongestTimer);
    struct itimerspec when {};
    when.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000U);
    when.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000U);
    ::timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &when, nullptr);
    timer_ns_ = due;
  }
  std::array<struct epoll_event, 64> events{};
  const int count = ::epoll_wait(events_.number(), events.data(), static_cast<int>(events.size()),
                                 due <= now ? 0 : -1);
  now_ = monotonic_now();
  ++counts_.wakes;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t data = events[static_cast<std::size_t>(i)].data.u64;
    handle(static_cast<Source>(data & ((1U << kSourceBits) - 1)), data >> kSourceBits, control);
  }
}

void KeeperServer::handle(Source source, Rank rank, int control) {
  switch (source) {
    case Source::kListening:
      return accept_some();
    case Source::kControl: {
      std::array<char, 64> passed_over{};
      const ssize_t size = ::read(control, passed_over.data(), passed_over.size());
      ended_ = ended_ || size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
      return;
    }
    case Source::kSignals:
      ended_ = true;
      return;
    case Source::kTimer:
      timer_ns_ = kNever;
      return;
    case Source::kSocket:
      return hear(rank);
    case Source::kWake:
      return look(rank);
    case Source::kEnd:
      return drop(rank);
  }
}

void KeeperServer::accept_later(std::chrono::nanoseconds pause) {
  rewatch(listening_, Source::kListening, 0, 0);
  accept_ns_ = now_ + ns_of(pause);
}

void KeeperServer::accept_some() {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (!accepts_.take(now_)) return accept_later(kAcceptPause);
    files::OwnedDescriptor socket(
        ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      take_in(std::move(socket));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return accept_later(kShortagePause);
    }
  }
}

void KeeperServer::take_in(files::OwnedDescriptor socket) {
  std::optional<SocketPeer> peer = peer_of(socket);
  std::string reason;
  if (!peer)
    reason = "the kernel does not say who asks";
  else if (peer->user != settings_.user)
    reason = fmt::format("user {} does not own the step", peer->user);
  else if (!belongs(settings_.is_member, peer->process))
    reason = fmt::format("process {} is not of the step", peer->process);
  else if (ranks_.size() >= settings_.connections)
    reason = fmt::format("all {} connections are taken", settings_.connections);
  if (!reason.empty()) {
    ++counts_.refused;
    return refuse_rank(socket, reason);
  }
  const Rank rank = next_rank_++;
  const MonotonicNs greet_by = now_ + ns_of(settings_.greeting_patience);
  const RankConnection& connection =
      ranks_
          .try_emplace(rank, std::move(socket), std::move(peer->end), greet_by,
                       Allowance(settings_.wakes_in_a_second, settings_.wakes_at_once))
          .first->second;
  greet_by_ns_ = std::min(greet_by_ns_, greet_by);
  try {
    watch(connection.socket().number(), Source::kSocket, rank, EPOLLIN | EPOLLRDHUP);
    if (connection.end().valid()) watch(connection.end().number(), Source::kEnd, rank, EPOLLIN);
  } catch (const Error&) {
    ++counts_.refused;
    drop(rank);
  }
}

void KeeperServer::hear(Rank rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;
  KeeperGreeting greeting;
  switch (found->second.hear(greeting)) {
    case RankConnection::Heard::kNothing:
      return;
    case RankConnection::Heard::kEnd:
      return drop(rank);
    case RankConnection::Heard::kGreeting:
      break;
  }
  try {
    serve_rank(rank, found->second, greeting);
  } catch (const std::exception& error) {  // also no memory: then another one may go
    ++counts_.refused;
    refuse_rank(found->second.socket(), error.what());
    drop(rank);
  }
}

void KeeperServer::serve_rank(Rank rank, RankConnection& connection,
                              const KeeperGreeting& greeting) {
  std::vector<std::size_t> clocks;
  for (const std::uint32_t pu : greeting.pus.members())
    if (const auto clock = clock_of_.find(pu); clock != clock_of_.end())
      clocks.push_back(clock->second);
  std::sort(clocks.begin(), clocks.end());
  clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
  if (clocks.empty() || clocks.size() > kMostClocks)
    throw Error(fmt::format("PUs {} have {} clocks that may be changed, expected 1 to {}",
                            shortened(greeting.pus.list()), clocks.size(), kMostClocks));
  KeeperReply reply;
  for (const std::size_t clock : clocks) reply.clocks.push_back(offered(envelope_.clocks()[clock]));
  if (!connection.hand_over(reply, std::move(clocks))) return drop(rank);
  for (std::size_t slot = 0; slot < connection.clocks().size(); ++slot) {
    const std::size_t clock = connection.clocks()[slot];
    arbiter_.join(clock, rank);
    ranks_on_[clock].emplace_back(rank, slot);
    writer_.look_at(clock);
  }
  watch(connection.wake().number(), Source::kWake, rank, EPOLLIN | EPOLLET);
  ++counts_.served;
}

void KeeperServer::look(Rank rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end() || found->second.muted) return;
  RankConnection& connection = found->second;
  if (!connection.wakes.take(now_)) {
    ++counts_.muted;
    connection.muted = true;
    muted_.push_back(rank);
    unmute_ns_ = std::min(unmute_ns_, now_ + ns_of(kMute));
    return rewatch(connection.wake().number(), Source::kWake, rank, 0);
  }
  connection.look([&](std::size_t clock, const ClockAsk& ask) {
    if (arbiter_.ask(clock, rank, ask)) writer_.look_at(clock);
  });
  looked_at_.push_back(rank);
}

// Descriptors that are closed here may be open in the rank, so epoll would keep them.
void KeeperServer::drop(Rank rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;
  RankConnection& connection = found->second;
  for (const files::OwnedDescriptor* descriptor :
       {&connection.socket(), &connection.end(), &connection.wake()})
    if (descriptor->valid())
      ::epoll_ctl(events_.number(), EPOLL_CTL_DEL, descriptor->number(), nullptr);
  for (const std::size_t clock : connection.clocks()) {
    arbiter_.leave(clock, rank);
    std::erase_if(ranks_on_[clock], [&](const auto& on) { return on.first == rank; });
    writer_.look_at(clock);
  }
  ranks_.erase(found);
}

void KeeperServer::tell(std::size_t clock, MonotonicNs now) {
  for (const auto& [rank, slot] : ranks_on_[clock]) {
    const RankConnection& connection = ranks_.at(rank);
    connection.page().answer(slot, writer_.answer(clock, connection.asked(slot), now));
  }
}

void KeeperServer::tell_news() {
  for (const Rank rank : looked_at_)
    if (const auto found = ranks_.find(rank); found != ranks_.end()) found->second.say_answered();
  looked_at_.clear();
}

void KeeperServer::look_after_ranks() {
  if (now_ >= accept_ns_) {
    accept_ns_ = kNever;
    rewatch(listening_, Source::kListening, 0, EPOLLIN);
  }
  if (now_ >= unmute_ns_) {
    unmute_ns_ = kNever;
    for (const Rank rank : std::exchange(muted_, {})) {
      const auto found = ranks_.find(rank);
      if (found == ranks_.end()) continue;
      found->second.muted = false;
      // It has been written to, so that this is an event, by which its page is looked at.
      rewatch(found->second.wake().number(), Source::kWake, rank, EPOLLIN | EPOLLET);
    }
  }
  if (now_ < greet_by_ns_) return;
  greet_by_ns_ = kNever;
  std::vector<Rank> silent;
  for (const auto& [rank, connection] : ranks_) {
    if (connection.served()) continue;
    if (now_ >= connection.greet_by())
      silent.push_back(rank);
    else
      greet_by_ns_ = std::min(greet_by_ns_, connection.greet_by());
  }
  for (const Rank rank : silent) drop(rank);
}

}  // namespace huddle::keeper
