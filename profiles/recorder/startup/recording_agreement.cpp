#include "profiles/recorder/startup/recording_agreement.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

// Seconds. MPI_Init ends at nearly the same time everywhere.
constexpr double kForReports = 5;
// For a rank that saw rank 0's marker just before it was removed.
constexpr double kForLateReports = 1;
// Longer than rank 0 takes in any case.
constexpr double kForVerdict = 30;
constexpr double kForSending = 5;
constexpr double kForEver = std::numeric_limits<double>::infinity();

// MPI allows tags up to 32767 at least, and libraries far more; programs use the small ones and the
// very last ones. This distance from the library's own limit is valid everywhere and used by
// nobody.
constexpr int kBelowLastTag = 10'007;

void require_success(int status, const char* what) {
  if (status != MPI_SUCCESS)
    throw Error(fmt::format("not measured: {} failed with MPI error {}", what, status));
}

// MPI_COMM_WORLD ends the program at any error; the recorder's own errors must not.
class ErrorsReturn {
 public:
  ErrorsReturn() {
    if (HUDDLE_REAL(Comm_get_errhandler)(world_communicator(), &before_) != MPI_SUCCESS) return;
    active_ = true;
    HUDDLE_REAL(Comm_set_errhandler)(world_communicator(), errors_return());
  }
  ~ErrorsReturn() {
    if (!active_) return;
    HUDDLE_REAL(Comm_set_errhandler)(world_communicator(), before_);
    HUDDLE_REAL(Errhandler_free)(&before_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Errhandler before_{};
  bool active_ = false;
};

// Pauses, longer and longer, so that ranks that share a processor get on. Counts the time that went
// by, but not while the job was suspended: each pause counts as its own length a few times at most.
class Patience {
 public:
  explicit Patience(double seconds) : left_(seconds) {}
  bool pause() {
    if (left_ <= 0) return false;
    const timespec time{0, pause_ns_};
    ::nanosleep(&time, nullptr);
    // With what was done since the last pause: on a busy node that takes as long.
    const std::uint64_t now = TickClock::nanoseconds();
    const double passed = static_cast<double>(now - last_) * 1e-9;
    last_ = now;
    left_ -= std::min(passed, kMostCounted);
    pause_ns_ = std::min(2 * pause_ns_, kLongestPause);
    return true;
  }

 private:
  static constexpr long kLongestPause = 1'000'000;
  static constexpr double kMostCounted = 0.05;
  double left_;
  std::uint64_t last_ = TickClock::nanoseconds();
  long pause_ns_ = 10'000;
};

// Returns true if all were completed before patience ran out.
bool complete(std::vector<MPI_Request>& requests, double seconds) {
  const int count = static_cast<int>(requests.size());
  for (Patience patience(seconds);;) {
    int done = 0;
    if (HUDDLE_REAL(Testall)(count, requests.data(), &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
      return false;
    if (done != 0) return true;
    if (!patience.pause()) return false;
  }
}

// Returns true if it is over; `pending` then names nothing.
bool over(MPI_Request& pending) {
  int done = 0;
  const int status = HUDDLE_REAL(Test)(&pending, &done, MPI_STATUS_IGNORE);
  return status == MPI_SUCCESS && done != 0;
}

}  // namespace

RecorderHandshake::RecorderHandshake() {
  require_success(HUDDLE_REAL(Comm_rank)(world_communicator(), &rank_), "MPI_Comm_rank");
  require_success(HUDDLE_REAL(Comm_size)(world_communicator(), &ranks_), "MPI_Comm_size");
  int* last_tag = nullptr;
  int has_limit = 0;
  require_success(
      HUDDLE_REAL(Comm_get_attr)(world_communicator(), MPI_TAG_UB, &last_tag, &has_limit),
      "MPI_Comm_get_attr");
  tag_ = (has_limit != 0 ? *last_tag : 32'767) - kBelowLastTag;
  const auto peers = static_cast<std::size_t>(rank_ == 0 ? ranks_ - 1 : 1);
  received_.resize(peers);
  firsts_.reserve(peers);
  seconds_.reserve(peers);
  sends_.reserve(3 * peers);
}

// MPI keeps the order between two ranks: the first receive gets the first word.
void RecorderHandshake::post_receives() {
  for (std::size_t peer = 0; peer < received_.size(); ++peer) {
    const int from = rank_ == 0 ? static_cast<int>(peer) + 1 : 0;
    const auto expect = [&](Word& word, std::vector<MPI_Request>& requests) {
      MPI_Request pending{};
      require_success(
          HUDDLE_REAL(Irecv)(&word, 1, byte_datatype(), from, tag_, world_communicator(), &pending),
          "MPI_Irecv");
      requests.push_back(pending);
    };
    expect(received_[peer].first, firsts_);
    expect(received_[peer].second, seconds_);
  }
}

void RecorderHandshake::send(std::size_t peer, Word word) {
  // Sends that are still under way read from here.
  static constexpr std::array kWords = {kNone, kHere, kAllHere, kConfirmed, kWithdrawn, kGo, kNo};
  const int to = rank_ == 0 ? static_cast<int>(peer) + 1 : 0;
  MPI_Request request{};
  const int status = HUDDLE_REAL(Isend)(&kWords[static_cast<std::size_t>(word)], 1, byte_datatype(),
                                        to, tag_, world_communicator(), &request);
  if (status == MPI_SUCCESS) sends_.push_back(request);
}

void RecorderHandshake::reply(Word Received::*when, Word expected, Word word) {
  for (std::size_t peer = 0; peer < received_.size(); ++peer)
    if (received_[peer].*when == expected) send(peer, word);
  complete(sends_, kForSending);
}

int RecorderHandshake::count(Word Received::*when, Word expected) const {
  return static_cast<int>(
      std::count_if(received_.begin(), received_.end(),
                    [&](const Received& received) { return received.*when == expected; }));
}

int RecorderHandshake::lead(const std::function<void()>& close) {
  const ErrorsReturn errors_return;
  post_receives();
  bool all = complete(firsts_, kForReports);
  close();
  if (!all) all = complete(firsts_, kForLateReports);
  if (!all) {
    std::for_each(firsts_.begin(), firsts_.end(), over);
    reply(&Received::first, kHere, kNo);
    return 1 + count(&Received::first, kHere);
  }
  // From here on each of them sends a second word, if only that it withdraws.
  reply(&Received::first, kHere, kAllHere);
  complete(seconds_, kForEver);
  const int confirmed = count(&Received::second, kConfirmed);
  reply(&Received::second, kConfirmed, confirmed + 1 == ranks_ ? kGo : kNo);
  return confirmed + 1;
}

bool RecorderHandshake::follow() {
  const ErrorsReturn errors_return;
  post_receives();
  send(0, kHere);
  const bool answered = complete(firsts_, kForVerdict);
  if (answered && received_[0].first != kAllHere) return false;
  send(0, answered ? kConfirmed : kWithdrawn);
  complete(sends_, kForSending);
  // Rank 0 is alive and waits for the confirmations: its last word will come.
  return answered && complete(seconds_, kForEver) && received_[0].second == kGo;
}

void RecorderHandshake::end() noexcept {
  const ErrorsReturn errors_return;
  for (auto* receives : {&firsts_, &seconds_})
    for (MPI_Request& request : *receives) {
      if (over(request)) continue;
      HUDDLE_REAL(Cancel)(&request);
      HUDDLE_REAL(Wait)(&request, MPI_STATUS_IGNORE);
    }
  for (MPI_Request& request : sends_)
    if (!over(request)) HUDDLE_REAL(Request_free)(&request);
}

RecordingAgreement::RecordingAgreement(const Destination& destination, Launch launch)
    : launch_(std::move(launch)),
      marker_(destination.landmark(store::current_user()), launch_.run) {
  if (launch_.rank != 0U || launch_.ranks == 1) return;
  if (launch_.ranks == 0 || launch_.run.empty()) return;
  try {
    destination.make_landmark(store::current_user(), launch_.ranks);
    marker_.make();
  } catch (const Error& failure) {
    trouble_ = failure.what();
  }
}

bool RecordingAgreement::complete() {
  if (was_spawned()) {
    withdraw();
    return false;
  }
  handshake_.emplace();
  const int ranks = handshake_->ranks();
  if (ranks == 1) {
    withdraw();
    return true;
  }
  if (handshake_->rank() != 0) {
    withdraw();  // the launcher's number was of another world
    return marker_.visible() && handshake_->follow();
  }
  if (!trouble_.empty()) throw Error(trouble_);
  if (!marker_.made())
    throw Error(
        "not measured: the launcher's environment does not tell rank 0 its rank, the number of "
        "ranks and which run this is: start it with mpirun or srun");
  const int present = handshake_->lead([this] { withdraw(); });
  if (present == ranks) return true;
  throw Error(fmt::format("not measured: only {} of {} ranks have the recorder", present, ranks));
}

bool RecordingAgreement::reports() const {
  return handshake_ ? handshake_->rank() == 0 : launch_.rank.value_or(0) == 0;
}

void RecordingAgreement::end() noexcept {
  withdraw();
  if (handshake_) handshake_->end();
}

}  // namespace huddle::recorder
