#include "tests/evaluation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>

#include "tests/evaluation/noise.hpp"
#include "tests/evaluation/platform.hpp"
#include "tests/evaluation/rounds.hpp"

namespace huddle::evaluation {
namespace {

namespace s4u = simgrid::s4u;

// Messages up to here leave before their receiver asks for them.
constexpr double kEagerBytes = 32768;
// The share by which the operating system makes passes differ.
constexpr double kJitter = 0.002;

/// The state that all actors share.
struct World {
  const Cluster& cluster;
  const Program& program;
  const Placement& placement;
  Platform platform;
  std::vector<Sharers> sharers;
  /// The barriers by the group's first and last rank.
  std::map<std::pair<std::uint32_t, std::uint32_t>, s4u::BarrierPtr> barriers;

  [[nodiscard]] auto ranks() const { return static_cast<std::uint32_t>(placement.size()); }

  s4u::Barrier& barrier_of(const std::vector<std::uint32_t>& members) {
    s4u::BarrierPtr& barrier = barriers[{members.front(), members.back()}];
    if (!barrier) barrier = s4u::Barrier::create(static_cast<unsigned>(members.size()));
    return *barrier;
  }
};

s4u::Mailbox* mailbox(std::uint32_t from, std::uint32_t to, double bytes) {
  return s4u::Mailbox::by_name(
      fmt::format("{}>{}{}", from, to, bytes <= kEagerBytes ? " eager" : ""));
}

/// One rank.
class RankActor {
 public:
  RankActor(World& world, std::uint32_t rank, RankTimes& times)
      : world_(world),
        rank_(rank),
        times_(times),
        load_(load_of(world.program, rank)),
        jitter_(seed_of(world.program.name) + 1, rank) {}

  void run() {
    const std::size_t steps = world_.program.steps.size();
    times_.computing.assign(steps, 0);
    times_.exchanging.assign(steps, 0);
    for (unsigned iteration = 0; iteration < kSimulatedIterations; ++iteration)
      for (step_ = 0; step_ < steps; ++step_) take(world_.program.steps[step_]);
    times_.run = s4u::Engine::get_clock();
  }

 private:
  void take(const Step& step) {
    const Pace pace = pace_of(step.computation, world_.cluster, world_.sharers[rank_]);
    const double time = pace.seconds * load_ * jitter_.factor(kJitter);
    const Exchange& exchange = step.exchange;
    const bool wavefront = exchange.shape == Shape::kWavefront;
    const double inside = time * (wavefront ? 1 : exchange.overlap);
    compute(time - inside);
    const double begin = s4u::Engine::get_clock();
    if (wavefront) {
      sweep(exchange, inside);
    } else if (is_all_to_all(exchange.shape)) {
      compute(inside);
      all_to_all(exchange);
    } else {
      exchange_messages(exchange, inside);
    }
    // Differences of clocks round: what overlapped wholly must not take less than nothing.
    times_.exchanging[step_] += std::max(0.0, s4u::Engine::get_clock() - begin - inside);
  }

  void compute(double seconds) {
    if (seconds <= 0) return;
    s4u::this_actor::sleep_for(seconds);
    times_.computing[step_] += seconds;
  }

  [[nodiscard]] std::uint64_t on_wire(double bytes) const {
    return static_cast<std::uint64_t>(bytes + world_.cluster.net.bytes_per_message);
  }

  void send(const Message& message, std::vector<s4u::CommPtr>& pending) const {
    static int content = 0;
    const s4u::CommPtr comm =
        mailbox(rank_, message.peer, message.bytes)->put_init(&content, on_wire(message.bytes));
    if (message.bytes <= kEagerBytes) {
      comm->detach();
    } else {
      comm->start();
      pending.push_back(comm);
    }
  }

  void receive(const Message& message, std::vector<s4u::CommPtr>& pending) {
    s4u::Mailbox* from = mailbox(message.peer, rank_, message.bytes);
    // With a receiver that is known, data moves as soon as it is sent.
    if (message.bytes <= kEagerBytes) from->set_receiver(s4u::Actor::self());
    received_.push_back(nullptr);
    pending.push_back(from->get_async<int>(&received_.back()));
  }

  void move(const Round& round, double computing) {
    std::vector<s4u::CommPtr> pending;
    received_.clear();
    received_.reserve(round.receives.size());
    for (const Message& message : round.receives) receive(message, pending);
    for (const Message& message : round.sends) send(message, pending);
    compute(computing);
    for (const s4u::CommPtr& comm : pending) comm->wait();
  }

  void exchange_messages(const Exchange& exchange, double computing) {
    for (const Round& round : rounds_of(exchange, rank_, world_.ranks())) {
      move(round, computing);
      computing = 0;
    }
  }

  void sweep(const Exchange& exchange, double computing) {
    const std::vector<Round> rounds = rounds_of(exchange, rank_, world_.ranks());
    for (unsigned block = 0; block < exchange.blocks; ++block) {
      move(rounds.front(), 0);
      compute(computing / exchange.blocks);
      move(rounds.back(), 0);
    }
  }

  // Messages among all of a group are too many to simulate each: flows stand for them that load the
  // links as they do.
  void all_to_all(const Exchange& exchange) {
    const std::vector<std::uint32_t> members = members_of(exchange.shape, rank_, world_.ranks());
    const auto here = [&](std::uint32_t peer) {
      return peer != rank_ && world_.placement[peer].node == world_.placement[rank_].node;
    };
    const auto inside = std::count_if(members.begin(), members.end(), here);
    const auto outside = static_cast<double>(members.size()) - 1 - static_cast<double>(inside);
    const double each = exchange.bytes + world_.cluster.net.bytes_per_message;
    world_.barrier_of(members).wait();
    s4u::this_actor::sleep_for(world_.cluster.net.overhead_s *
                               static_cast<double>(members.size() - 1));
    s4u::Host* self = world_.platform.core_of[rank_];
    std::vector<s4u::CommPtr> flows;
    if (outside > 0) {
      const auto bytes = static_cast<std::uint64_t>(outside * each);
      flows.push_back(s4u::Comm::sendto_async(self, world_.platform.hub, bytes));
      flows.push_back(s4u::Comm::sendto_async(world_.platform.hub, self, bytes));
    }
    const auto each_inside = static_cast<std::uint64_t>(each);
    for (const std::uint32_t peer : members)
      if (here(peer))
        flows.push_back(s4u::Comm::sendto_async(self, world_.platform.core_of[peer], each_inside));
    for (const s4u::CommPtr& flow : flows) flow->wait();
  }

  World& world_;
  std::uint32_t rank_;
  RankTimes& times_;
  double load_;
  Noise jitter_;
  std::size_t step_ = 0;
  std::vector<int*> received_;
};

// Messages to other nodes of an all-to-all go over the hub.
Pairs pairs_of(const Program& program, const Placement& placement) {
  Pairs pairs;
  const auto ranks = static_cast<std::uint32_t>(placement.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const Step& step : program.steps) {
      for (const Round& round : rounds_of(step.exchange, rank, ranks))
        for (const Message& message : round.sends) pairs.emplace(rank, message.peer);
      if (!is_all_to_all(step.exchange.shape)) continue;
      for (const std::uint32_t peer : members_of(step.exchange.shape, rank, ranks))
        if (peer != rank && placement[peer].node == placement[rank].node) pairs.emplace(rank, peer);
    }
  }
  return pairs;
}

void configure() {
  // Plain flow-level sharing: the default model's factors describe TCP over Ethernet.
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("contexts/stack-size:128");
}

}  // namespace

Run simulate(const Cluster& cluster, const Program& program, const Placement& placement) {
  std::vector<std::string> words = {"evaluation", "--log=root.thresh:critical"};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Sanitizers don't follow when stacks are switched inside of a thread.
  words.emplace_back("--cfg=contexts/factory:thread");
#endif
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  s4u::Engine engine(&argc, argv.data());
  configure();
  World world{cluster,
              program,
              placement,
              platform_of(cluster, placement, pairs_of(program, placement)),
              sharers_of(placement),
              {}};
  Run run(placement.size());
  for (std::uint32_t rank = 0; rank < world.ranks(); ++rank)
    s4u::Actor::create(fmt::format("rank{}", rank), world.platform.core_of[rank],
                       [&world, &run, rank] { RankActor(world, rank, run[rank]).run(); });
  engine.run();
  return run;
}

}  // namespace huddle::evaluation
