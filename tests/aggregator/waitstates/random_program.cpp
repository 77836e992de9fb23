#include "tests/aggregator/waitstates/random_program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

namespace huddle::waitstates {
namespace {

// Steps that involve some ranks follow each other; each rank has its own time. So all that a step
// waits for has begun in this step or before, and the program can't stop.
class Program {
 public:
  explicit Program(const RandomTracedProgram& wanted)
      : wanted_(wanted), random_(wanted.seed), trace_(wanted.ranks), lines_(wanted.ranks) {
    std::vector<std::uint32_t> some;
    for (std::uint32_t rank = 0; rank < wanted.ranks; ++rank)
      if (rank == 0 || chance(2)) some.insert(some.begin(), rank);
    communicators_ = {0, trace_.add_communicator(some)};
    if (wanted.ranks > 2) communicators_.push_back(two_groups());
    window_ = trace_.add_window(0);
    for (std::uint32_t thread = 1; thread < wanted.threads; ++thread)
      threads_.push_back(trace_.add_thread(0));
    std::vector<std::uint32_t> team = threads_;
    team.insert(team.begin(), 0);
    team_ = trace_.add_team(team);
  }

  MemoryTrace run() {
    for (std::uint32_t rank = 0; rank < wanted_.ranks; ++rank) enter(rank, "main");
    for (std::uint32_t step = 0; step < wanted_.steps; ++step) one_step();
    finish();
    return std::move(trace_);
  }

 private:
  // Sender, receiver, tag, communicator.
  using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  struct PairMatrix {
    std::vector<std::uint64_t> sent;    // when
    std::vector<std::uint64_t> posted;  // when
  };
  struct Request {
    std::uint64_t number;
    traces::Event end;
    Channel channel;
    std::size_t ordinal;       // of its kind on the channel
    std::uint64_t not_before;  // collectives
  };
  struct Line {
    std::uint64_t now = 0;
    std::vector<std::string> functions;
    std::vector<Request> receives, sends, collectives;
  };

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::uint32_t any_rank() { return static_cast<std::uint32_t>(below(wanted_.ranks)); }

  std::uint32_t two_groups() {
    std::vector<std::uint32_t> low, high;
    for (std::uint32_t rank = 0; rank < wanted_.ranks; ++rank)
      (rank < wanted_.ranks / 2 ? low : high).push_back(rank);
    return trace_.add_communicator(low, high);
  }

  void enter(std::uint32_t rank, const std::string& name) {
    lines_[rank].functions.push_back(name);
    trace_.enter(rank, lines_[rank].now, name);
  }
  void leave(std::uint32_t rank) {
    trace_.leave(rank, lines_[rank].now, lines_[rank].functions.back());
    lines_[rank].functions.pop_back();
  }
  void compute(std::uint32_t rank) {
    lines_[rank].now += below(chance(4) ? 2000 : 100);
    if (chance(3)) enter(rank, std::array{"solve", "exchange", "norm"}.at(below(3)));
    if (lines_[rank].functions.size() > 1 && chance(3)) leave(rank);
  }
  void call(std::uint32_t rank, std::uint64_t until, const std::string& name,
            const std::vector<traces::Event>& inside) {
    Line& line = lines_[rank];
    const std::uint64_t end = std::max(line.now, until) + 1 + below(10);
    trace_.enter(rank, line.now, name);
    for (const traces::Event& event : inside) trace_.add(rank, line.now, event);
    trace_.leave(rank, end, name);
    line.now = end + below(3);
  }

  Channel any_channel() {
    const auto sender = any_rank();
    return {sender, chance(8) ? sender : any_rank(), static_cast<std::uint32_t>(below(2)),
            static_cast<std::uint32_t>(below(2))};
  }
  void isend_one(const Channel& channel) {
    const auto [from, to, tag, communicator] = channel;
    PairMatrix& traffic = traffic_[channel];
    const std::uint64_t number = ++requests_;
    lines_[from].sends.push_back({number, isend_ends(number), channel, traffic.sent.size(), 0});
    traffic.sent.push_back(lines_[from].now);
    call(from, 0, "MPI_Isend", {isend(number, to, tag, communicator)});
  }
  void send_one(const Channel& channel) {
    const auto [from, to, tag, communicator] = channel;
    PairMatrix& traffic = traffic_[channel];
    // Synchronous, if its receive is posted.
    const bool known = traffic.sent.size() < traffic.posted.size();
    const std::uint64_t until = known && chance(2) ? traffic.posted[traffic.sent.size()] : 0;
    traffic.sent.push_back(lines_[from].now);
    call(from, until, until > 0 ? "MPI_Ssend" : "MPI_Send", {sent(to, tag, communicator)});
  }
  void irecv_one(const Channel& channel) {
    const auto [from, to, tag, communicator] = channel;
    PairMatrix& traffic = traffic_[channel];
    const std::uint64_t number = ++requests_;
    lines_[to].receives.push_back(
        {number, irecv_ends(number, from, tag, communicator), channel, traffic.posted.size(), 0});
    traffic.posted.push_back(lines_[to].now);
    call(to, 0, "MPI_Irecv", {irecv(number)});
  }
  void recv_one(const Channel& channel) {
    const auto [from, to, tag, communicator] = channel;
    PairMatrix& traffic = traffic_[channel];
    if (traffic.posted.size() >= traffic.sent.size()) return irecv_one(channel);
    const std::uint64_t until = traffic.sent[traffic.posted.size()];
    traffic.posted.push_back(lines_[to].now);
    call(to, until, "MPI_Recv", {received(from, tag, communicator)});
  }
  // Both send before they receive, in one call.
  void sendrecv(std::uint32_t one, std::uint32_t other) {
    if (one == other) return;
    PairMatrix& there = traffic_[{one, other, 7, 0}];
    PairMatrix& back = traffic_[{other, one, 7, 0}];
    const std::uint64_t first = lines_[one].now;
    const std::uint64_t second = lines_[other].now;
    there.sent.push_back(first);
    there.posted.push_back(second);
    back.sent.push_back(second);
    back.posted.push_back(first);
    call(one, second, "MPI_Sendrecv", {received(other, 7), sent(other, 7)});
    call(other, first, "MPI_Sendrecv", {sent(one, 7), received(one, 7)});
  }

  // Some of the requests of a rank that can end, in any order.
  void complete(std::uint32_t rank, bool all) {
    Line& line = lines_[rank];
    std::vector<traces::Event> ends;
    std::uint64_t until = 0;
    const auto take = [&](std::vector<Request>& requests, auto may_end) {
      std::shuffle(requests.begin(), requests.end(), random_);
      for (std::size_t at = 0; at < requests.size();) {
        std::uint64_t not_before = 0;
        if ((!all && chance(3)) || !may_end(requests[at], not_before)) {
          ++at;
          continue;
        }
        until = std::max(until, not_before);
        ends.push_back(requests[at].end);
        requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(at));
      }
    };
    take(line.receives, [&](const Request& request, std::uint64_t& not_before) {
      const PairMatrix& traffic = traffic_[request.channel];
      if (request.ordinal >= traffic.sent.size()) return false;
      not_before = traffic.sent[request.ordinal];
      return true;
    });
    take(line.sends, [&](const Request& request, std::uint64_t& not_before) {
      const PairMatrix& traffic = traffic_[request.channel];
      if (request.ordinal < traffic.posted.size() && chance(2))
        not_before = traffic.posted[request.ordinal];
      return true;
    });
    take(line.collectives, [](const Request& request, std::uint64_t& not_before) {
      not_before = request.not_before;
      return true;
    });
    std::shuffle(ends.begin(), ends.end(), random_);
    if (!ends.empty()) call(rank, until, ends.size() > 1 ? "MPI_Waitall" : "MPI_Wait", ends);
  }

  void collective_step(bool blocking) {
    const std::uint32_t which = communicators_[below(communicators_.size())];
    const traces::TraceCommunicator& communicator = trace_.all.communicators[which];
    std::vector<std::uint32_t> members = communicator.ranks;
    members.insert(members.end(), communicator.remote.begin(), communicator.remote.end());
    std::array kinds{traces::Collective::kBarrier, traces::Collective::kAllToAll,
                     traces::Collective::kFromRoot, traces::Collective::kToRoot,
                     traces::Collective::kScan};
    const traces::Collective kind = kinds.at(below(communicator.remote.empty() ? 5 : 4));
    const std::uint32_t root =
        kind == traces::Collective::kFromRoot || kind == traces::Collective::kToRoot
            ? members[below(members.size())]
            : traces::kNobody;
    std::uint64_t last = 0;
    for (const std::uint32_t rank : members) last = std::max(last, lines_[rank].now);
    const std::uint64_t number = ++requests_;
    for (const std::uint32_t rank : members) {
      // As late as any of them may have to be; a simple machine.
      if (blocking) {
        call(rank, last, "MPI_Collective", {collective(kind, root, which)});
      } else {
        lines_[rank].collectives.push_back(
            {number, icollective_ends(number, kind, root, which), {}, 0, last});
        call(rank, 0, "MPI_Icollective", {icollective(number)});
      }
    }
  }

  void fence() {
    std::uint64_t last = 0;
    for (const Line& line : lines_) last = std::max(last, line.now);
    for (std::uint32_t rank = 0; rank < wanted_.ranks; ++rank)
      call(rank, last, "MPI_Win_fence", {of_window(traces::EventKind::kWindowFence, window_)});
  }

  void epoch() {
    std::vector<std::uint32_t> origins, targets;
    for (std::uint32_t rank = 0; rank < wanted_.ranks; ++rank)
      if (!chance(3)) (chance(2) ? origins : targets).push_back(rank);
    if (origins.empty() || targets.empty()) return;
    const std::uint32_t to = trace_.add_group(targets);
    const std::uint32_t from = trace_.add_group(origins);
    std::uint64_t posted = 0;
    for (const std::uint32_t target : targets) {
      posted = std::max(posted, lines_[target].now);
      call(target, 0, "MPI_Win_post", {of_window(traces::EventKind::kWindowPost, window_, from)});
    }
    std::uint64_t completed = 0;
    const bool start_blocks = chance(2);
    for (const std::uint32_t origin : origins) {
      call(origin, start_blocks ? posted : 0, "MPI_Win_start",
           {of_window(traces::EventKind::kWindowStart, window_, to)});
      compute(origin);
      completed = std::max(completed, lines_[origin].now);
      call(origin, posted, "MPI_Win_complete",
           {of_window(traces::EventKind::kWindowComplete, window_)});
    }
    for (const std::uint32_t target : targets) {
      compute(target);
      call(target, completed, "MPI_Win_wait", {of_window(traces::EventKind::kWindowWait, window_)});
    }
  }

  void parallel_region() {
    std::vector<std::uint32_t> team = threads_;
    team.insert(team.begin(), 0);
    std::vector<std::uint64_t> now(team.size(), lines_[0].now);
    for (const std::uint32_t member : team)
      trace_.add(member, lines_[0].now, of_team(traces::EventKind::kTeamBegin, team_));
    for (std::uint64_t barriers = 1 + below(2); barriers > 0; --barriers) {
      std::uint64_t last = 0;
      for (std::uint64_t& time : now) last = std::max(last, time += below(500));
      for (std::size_t at = 0; at < team.size(); ++at) {
        trace_.enter(team[at], now[at], "omp barrier");
        if (last > now[at] + 20 && chance(3))
          trace_.call(team[at], now[at] + 5, now[at] + 5 + below(15), "task");
        now[at] = last + below(5);
        trace_.leave(team[at], now[at], "omp barrier");
      }
    }
    for (const std::uint64_t time : now) lines_[0].now = std::max(lines_[0].now, time);
    for (const std::uint32_t member : team)
      trace_.add(member, lines_[0].now, of_team(traces::EventKind::kTeamEnd, team_));
  }

  void one_step() {
    compute(any_rank());
    switch (below(14)) {
      case 0:
      case 1:
        return isend_one(any_channel());
      case 2:
      case 3:
        return irecv_one(any_channel());
      case 4:
        return send_one(any_channel());
      case 5:
      case 6:
        return recv_one(any_channel());
      case 7:
        return sendrecv(any_rank(), any_rank());
      case 8:
      case 9:
        return complete(any_rank(), false);
      case 10:
        return collective_step(true);
      case 11:
        return collective_step(false);
      case 12:
        return chance(2) ? fence() : epoch();
      default:
        return threads_.empty() ? complete(any_rank(), true) : parallel_region();
    }
  }

  void finish() {
    for (auto& [channel, traffic] : traffic_) {
      while (traffic.sent.size() < traffic.posted.size()) send_one(channel);
      while (traffic.posted.size() < traffic.sent.size()) recv_one(channel);
    }
    for (std::uint32_t rank = 0; rank < wanted_.ranks; ++rank) {
      complete(rank, true);
      while (!lines_[rank].functions.empty()) leave(rank);
    }
  }

  RandomTracedProgram wanted_;
  std::mt19937_64 random_;
  MemoryTrace trace_;
  std::vector<Line> lines_;
  std::map<Channel, PairMatrix> traffic_;
  std::vector<std::uint32_t> communicators_;
  std::vector<std::uint32_t> threads_;
  std::uint32_t window_ = 0;
  std::uint32_t team_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace

MemoryTrace random_trace(const RandomTracedProgram& program) {
  MemoryTrace trace = Program(program).run();
  if (program.largest_skew == 0) return trace;
  std::mt19937_64 random(program.seed + 77);
  for (const traces::TraceRank& rank : trace.all.ranks) {
    const std::uint64_t skew =
        std::uniform_int_distribution<std::uint64_t>(0, program.largest_skew)(random);
    for (const std::uint32_t location : rank.locations)
      for (traces::Event& event : trace.events[location]) event.time += skew;
  }
  return trace;
}

void cut_off(MemoryTrace& trace, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::vector<traces::Event>& events : trace.events)
    if (random() % 2 == 0) events.resize(random() % (events.size() + 1));
}

}  // namespace huddle::waitstates
