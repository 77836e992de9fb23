#include "spank_plugin/charm/adaptor/EnergyLB.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/charm/energy_options.hpp"

extern int quietModeRequested;
// Charm++ warns of arguments with a plus that nobody registered. Declared in a header that it does
// not install.
extern void _registerCommandLineOpt(const char* option);

namespace {

constexpr const char* kArgument = "+EnergyLB";

/// Written before chares run, by one thread of the process; read by all.
huddle::EnergyOptions energy_options;

bool counts_messages(huddle::ChareBalancer balancer) {
  return balancer == huddle::ChareBalancer::kGreedyComm ||
         balancer == huddle::ChareBalancer::kRefineComm;
}

void energy_lb_register() {
  LBRegisterBalancer<EnergyLB>(
      "EnergyLB", "Clocks that follow loads; moves chares where that does not do (Huddle)");
}

/// On each PE, since each has a copy of the arguments; the program's are those of PE 0.
void energy_lb_arguments() {
  char* argument = nullptr;
  CmiGetArgStringDesc(CkGetArgv(), kArgument, &argument, "what EnergyLB does: key=value,...");
  _registerCommandLineOpt(kArgument);
  if (CkMyRank() != 0) return;
  try {
    if (const char* variable = std::getenv(huddle::kEnergyLbVariable); variable != nullptr)
      huddle::read_energy_options(variable, huddle::kEnergyLbVariable, energy_options);
    if (argument != nullptr) huddle::read_energy_options(argument, kArgument, energy_options);
  } catch (const std::exception& error) {
    // As with Slurm's option: what was mistyped must not run as if it had not been said.
    CkAbort("EnergyLB: %s\n", error.what());
  }
  if (counts_messages(energy_options.settings.balancer)) LBTurnCommOn();
}

/// The one CPU that this thread is bound to, if it is.
std::optional<std::uint32_t> bound_cpu() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) != 1) return std::nullopt;
  const int cpu = sched_getcpu();
  return cpu < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(cpu));
}

void say_on_pe_0(std::string_view line) {
  if (CkMyPe() == 0 && !quietModeRequested)
    CkPrintf("CharmLB> EnergyLB: %s\n", std::string(line).c_str());
}

/// The messages between chares; those to and from PEs themselves move with nobody.
void add_links(BaseLB::LDStats& stats, huddle::ChareLoads& loads) {
  stats.makeCommHash();
  const auto chares = static_cast<int>(loads.chares.size());
  const auto add = [&](int from, int to, const LDCommData& said) {
    if (from < 0 || to < 0 || from >= chares || to >= chares || from == to) return;
    loads.links.push_back({static_cast<std::uint32_t>(from),
                           static_cast<std::uint32_t>(to),
                           static_cast<std::uint64_t>(std::max(0, said.messages)),
                           {static_cast<std::uint64_t>(std::max(0, said.bytes))}});
  };
  for (LDCommData& said : stats.commData) {
    if (said.from_proc()) continue;
    const int from = stats.getHash(said.sender);
    if (said.recv_type() == LD_OBJ_MSG) {
      add(from, stats.getHash(said.receiver.get_destObj()), said);
    } else if (said.recv_type() == LD_OBJLIST_MSG) {
      int count = 0;
      const LDObjKey* to = said.receiver.get_destObjs(count);
      for (int i = 0; i < count; ++i) add(from, stats.getHash(to[i]), said);
    }
  }
}

/// "1.20 to 2.40 GHz".
std::string range_of(const std::vector<huddle::Hertz>& clocks) {
  const auto [least, most] = std::minmax_element(clocks.begin(), clocks.end());
  char text[64];
  std::snprintf(text, sizeof text, "%.2f to %.2f GHz", least->value / 1e9, most->value / 1e9);
  return text;
}

}  // namespace

EnergyLB::EnergyLB(const CkLBOptions& options) : CBase_EnergyLB(options) {
  set_up();
  if (CkMyPe() == 0 && !quietModeRequested) CkPrintf("CharmLB> EnergyLB created.\n");
}

void EnergyLB::set_up() {
  lbname = "EnergyLB";
  asker_ = huddle::make_clock_asker(say_on_pe_0);
}

void EnergyLB::InvokeLB() {
  const std::optional<std::uint32_t> cpu = bound_cpu();
  if (cpu != cpu_) {
    cpu_ = cpu;
    place_ = (cpu ? huddle::read_cpu_clock(*cpu) : std::nullopt).value_or(huddle::CpuClock{});
  }
  const double achieved_hz = asker_->achieved().value_or(huddle::Hertz{clock_hz_}).value;
  thisProxy[0].heard_of(CkMyPe(), cpu.has_value(), place_.policy, place_.package, achieved_hz);
  CentralLB::InvokeLB();
}

void EnergyLB::heard_of(int pe, bool bound, unsigned int policy, unsigned int package,
                        double achieved_hz) {
  const auto count = static_cast<std::size_t>(CkNumPes());
  places_.resize(count);
  achieved_hz_.resize(count, 0);
  const auto index = static_cast<std::size_t>(pe);
  if (pe < 0 || index >= count) return;
  places_[index] = {static_cast<std::uint32_t>(CmiPhysicalNodeID(pe)), bound, policy, package};
  achieved_hz_[index] = achieved_hz;
}

void EnergyLB::set_clock(double clock_hz, double lease_s) {
  clock_hz_ = asker_->ask({clock_hz}, {lease_s}) ? clock_hz : 0;
}

void EnergyLB::begin() {
  std::vector<huddle::Hertz> clocks = energy_options.clocks;
  if (clocks.empty()) {
    const auto here = static_cast<std::uint32_t>(std::max(0, sched_getcpu()));
    if (const auto clock = huddle::read_cpu_clock(here)) clocks = clock->steps;
  }
  if (clocks.empty()) {
    say_on_pe_0("clocks can't be set on this node, and +EnergyLB clocks= names none: chares move");
    clocks = {{1e9}};
  }
  huddle::EnergySettings settings = energy_options.settings;
  settings.per_message = {_lb_args.alpha()};
  settings.per_byte = {_lb_args.beta()};
  strategy_ = std::make_unique<huddle::EnergyStrategy>(huddle::ClockSteps(clocks), settings);
  // The first balance point reports whether there is a keeper, whichever PE is to be slower.
  set_clock(strategy_->steps().most().value, 0);
}

huddle::ChareLoads EnergyLB::loads_of(LDStats& stats) const {
  huddle::ChareLoads loads;
  std::vector<huddle::PePlace> places = places_;
  places.resize(stats.nprocs());
  const std::vector<std::uint32_t> domains = huddle::clock_domains(places, energy_options.grain);
  for (std::size_t pe = 0; pe < stats.nprocs(); ++pe) {
    const ProcStats& proc = stats.procs[pe];
    loads.interval = std::max(loads.interval, huddle::Seconds{proc.total_walltime});
    const double achieved = pe < achieved_hz_.size() ? achieved_hz_[pe] : 0;
    // The background is what timers leave over, and may be a little below 0.
    loads.pes.push_back({{std::max(0.0, static_cast<double>(proc.bg_walltime))},
                         proc.pe_speed,
                         proc.available,
                         {achieved},
                         domains[pe]});
  }
  for (std::size_t i = 0; i < stats.objData.size(); ++i)
    loads.chares.push_back({{std::max(0.0, static_cast<double>(stats.objData[i].wallTime))},
                            static_cast<std::uint32_t>(stats.from_proc[i]),
                            stats.objData[i].migratable,
                            energy_options.sensitivity});
  if (counts_messages(energy_options.settings.balancer)) add_links(stats, loads);
  return loads;
}

void EnergyLB::work(LDStats* stats) {
  try {
    if (!strategy_) begin();
    const huddle::ChareLoads loads = loads_of(*stats);
    const huddle::EnergyDecision decision = strategy_->balance(loads);
    for (std::size_t i = 0; i < decision.pe_of.size(); ++i)
      if (decision.pe_of[i] != loads.chares[i].pe)
        stats->assign(static_cast<int>(i), static_cast<int>(decision.pe_of[i]));
    asked_hz_.resize(loads.pes.size(), 0);
    // Repeated although it is the same: a lease ends.
    for (std::size_t pe = 0; pe < loads.pes.size(); ++pe) {
      const double clock = decision.clocks[loads.pes[pe].clock_domain].value;
      const bool top = clock >= strategy_->steps().most().value;
      if (!top || (asked_hz_[pe] > 0 && asked_hz_[pe] != clock))
        thisProxy[static_cast<int>(pe)].set_clock(clock, top ? 0 : decision.lease.value);
      asked_hz_[pe] = clock;
    }
    if (_lb_args.debug()) print(decision);
  } catch (const std::exception& error) {
    if (!std::exchange(failed_, true))
      CkPrintf("CharmLB> EnergyLB: %s; chares stay where they are\n", error.what());
  }
}

void EnergyLB::print(const huddle::EnergyDecision& decision) {
  CkPrintf("CharmLB> EnergyLB: step %d, l %.3f (clocks level out %.3f), longest PE %.6f s\n",
           step(), decision.imbalance, strategy_->steps().range(), decision.length_before.value);
  if (decision.handed_over)
    CkPrintf("CharmLB> EnergyLB: handed over to %s: %u of %zu chares move, then l %.3f, %.6f s\n",
             std::string(name_of(energy_options.settings.balancer)).c_str(), decision.moved,
             decision.pe_of.size(), decision.imbalance_after, decision.length_after.value);
  else if (strategy_->steps().range() > 1)
    CkPrintf("CharmLB> EnergyLB: chares stay, clocks %s\n", range_of(decision.clocks).c_str());
  else
    CkPrintf("CharmLB> EnergyLB: chares stay\n");
  if (_lb_args.debug() < 2) return;
  for (std::size_t domain = 0; domain < decision.clocks.size(); ++domain)
    CkPrintf("CharmLB> EnergyLB: clock domain %zu: %.3f GHz\n", domain,
             decision.clocks[domain].value / 1e9);
}

#include "EnergyLB.def.h"
