#include "tests/evaluation/balancing/governed_run.hpp"

#include <fmt/format.h>
#include <simgrid/plugins/dvfs.h>
#include <simgrid/plugins/energy.h>
#include <simgrid/version.h>
#include <smpi/sampi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <optional>
#include <simgrid/s4u.hpp>
#include <vector>

#include "profiles/balancing/rank_balancer.hpp"

// Signals that SimGrid 3.32's own AMPI_Iteration_in() should call for its governor, and doesn't. No
// installed header has them.
namespace simgrid::smpi::plugin::ampi {
extern xbt::signal<void(s4u::Actor const&)> on_iteration_in;
extern xbt::signal<void(s4u::Actor const&)> on_iteration_out;
}  // namespace simgrid::smpi::plugin::ampi

namespace huddle::balancing {
namespace {

namespace s4u = simgrid::s4u;
namespace adagio = simgrid::smpi::plugin::ampi;

/// Flops of a second of work at the top clock.
constexpr double kSecond = 1e9;

/// The state that the ranks of the one program that this process simulates share.
struct World {
  const balance::LoadTable& table;
  Governor governor;
  /// The clocks by pstate, the fastest first.
  std::vector<Hertz> clocks;
  std::vector<RankBalancer> balancers;
  std::optional<BalanceReport> last_report;
  std::size_t reported = 0;
};
World* world = nullptr;

/// The last rank to come reduces, as MPI_Iallreduce would in the meantime; all hear of it in the
/// next iteration.
void balance(std::uint32_t rank, double computation, double length, Hertz achieved) {
  RankBalancer& mine = world->balancers[rank];
  mine.period_ended({{computation}, {length}, achieved});
  if (world->reported++ == 0) world->last_report.reset();
  BalanceReport report = mine.report();
  if (world->last_report) report.combine(*world->last_report);
  world->last_report = report;
  if (world->reported == world->balancers.size()) world->reported = 0;
}

void rank_main() {
  MPI_Init(nullptr, nullptr);
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  const auto rank = static_cast<std::uint32_t>(number);
  s4u::Host* host = s4u::this_actor::get_host();
  const balance::LoadTable& table = world->table;
  std::optional<BalanceReport> heard;
  for (std::size_t iteration = 0; iteration < table.iterations(); ++iteration) {
    if (world->governor == Governor::kAdagio) adagio::on_iteration_in(*s4u::Actor::self());
    const double begin = MPI_Wtime();
    const Hertz clock = world->clocks[static_cast<std::size_t>(host->get_pstate())];
    double load = 0;
    for (std::size_t object = 0; object < table.objects(); ++object)
      if (table.processor_of[object] == rank) load += table.load(iteration, object);
    smpi_execute_flops(load * kSecond);
    const double computation = MPI_Wtime() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    if (world->governor == Governor::kHuddle) {
      if (heard) world->balancers[rank].agreed(*heard);
      balance(rank, computation, MPI_Wtime() - begin, clock);
      MPI_Barrier(MPI_COMM_WORLD);  // so that all ranks have reported
      heard = world->last_report;
      const Hertz wanted = world->balancers[rank].clock();
      const auto state = std::find_if(world->clocks.begin(), world->clocks.end(), [&](Hertz one) {
        return one.value <= wanted.value * (1 + 1e-9);
      });
      const auto pstate = static_cast<unsigned long>(state - world->clocks.begin());
      if (pstate != static_cast<unsigned long>(host->get_pstate())) host->set_pstate(pstate);
    }
    if (world->governor == Governor::kAdagio) adagio::on_iteration_out(*s4u::Actor::self());
  }
  MPI_Finalize();
}

// SimGrid 4 makes hosts only in zones that belong to the engine.
s4u::NetZone* new_zone() {
#if SIMGRID_VERSION >= 40000
  return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_star("cluster");
#else
  return s4u::create_star_zone("cluster");
#endif
}

std::vector<s4u::Host*> make_hosts(s4u::Engine&, const balance::LoadTable& table,
                                   const balance::BalancedMachine& machine, Governor governor) {
  std::vector<double> speeds;
  std::string watts;
  for (auto power = machine.power.rbegin(); power != machine.power.rend(); ++power) {
    speeds.push_back(kSecond * (power->clock / machine.power.back().clock));
    watts += fmt::format("{}{}:{}:{}", watts.empty() ? "" : ",", power->waiting.value,
                         power->computing.value, power->computing.value);
    world->clocks.push_back(power->clock);
  }
  s4u::NetZone* zone = new_zone();
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t rank = 0; rank < table.processors; ++rank) {
    s4u::Host* host = zone->create_host(fmt::format("host{}", rank), speeds);
    host->set_property("wattage_per_state", watts);
    host->set_property("wattage_off", "0");
    host->set_property("plugin/dvfs/governor",
                       governor == Governor::kAdagio ? "adagio" : "performance");
    host->seal();
    const s4u::Link* up =
        zone->create_link(fmt::format("up{}", rank), 1e12)->set_latency(1e-9)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(up)}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

}  // namespace

GovernedRun simulate_with_simgrid(const balance::LoadTable& table,
                                  const balance::BalancedMachine& machine, Governor governor) {
  World shared{table, governor, {}, {}, {}, 0};
  shared.balancers.assign(table.processors, RankBalancer(machine.steps(), {}));
  world = &shared;
  std::vector<std::string> words = {"balancing", "--log=root.thres:error",
                                    "--cfg=smpi/simulate-computation:no",
                                    "--cfg=smpi/host-speed:1000000000f"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, arguments.data());
  sg_host_energy_plugin_init();
  if (governor == Governor::kAdagio) sg_host_dvfs_plugin_init();
  SMPI_init();
  const std::vector<s4u::Host*> hosts = make_hosts(engine, table, machine, governor);
  GovernedRun run;
  SMPI_app_instance_register("program", nullptr, static_cast<int>(hosts.size()));
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const s4u::ActorPtr actor = s4u::Actor::init(fmt::format("rank{}", rank), hosts[rank]);
    actor->set_property("instance_id", "program");
    actor->set_property("rank", std::to_string(rank));
    actor->start([] { rank_main(); });
  }
  engine.run();
  SMPI_finalize();
  run.time_s = s4u::Engine::get_clock();
  for (s4u::Host* host : hosts) run.energy_j += sg_host_get_consumed_energy(host);
  world = nullptr;
  return run;
}

}  // namespace huddle::balancing
