#pragma once

// EnergyLB inside Charm++: the edge between its load-balancing framework and the room charm, which
// decides. Compiled by charmc alone; see docs/charm.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "CentralLB.h"
#include "EnergyLB.decl.h"
#include "spank_plugin/charm/clock_asker.hpp"
#include "spank_plugin/charm/cpu_clock.hpp"
#include "spank_plugin/charm/energy_strategy.hpp"

/// One on each PE. At a balance point each tells that of PE 0 where it runs and how fast; PE 0
/// decides, and tells each its clock. After a restart from a checkpoint it begins anew.
class EnergyLB : public CBase_EnergyLB {
 public:
  explicit EnergyLB(const CkLBOptions& options);
  explicit EnergyLB(CkMigrateMessage* message) : CBase_EnergyLB(message) { set_up(); }

  /// All chares of this PE are at the balance point.
  void InvokeLB() override;
  /// On PE 0, with the loads of all. No exception leaves it: then chares stay, and a line says why.
  void work(LDStats* stats) override;
  void pup(PUP::er&) override {}

  // Entry methods: of PE 0, and of each PE.
  void heard_of(int pe, bool bound, unsigned int policy, unsigned int package, double achieved_hz);
  void set_clock(double clock_hz, double lease_s);

 private:
  void set_up();
  void begin();
  [[nodiscard]] huddle::ChareLoads loads_of(LDStats& stats) const;
  void print(const huddle::EnergyDecision& decision);

  std::unique_ptr<huddle::ClockAsker> asker_;
  /// Where this PE was bound to at the last balance point, if it was, and what Linux says of that.
  std::optional<std::uint32_t> cpu_;
  huddle::CpuClock place_;
  /// The clock that was asked for and granted; 0: none.
  double clock_hz_ = 0;

  // On PE 0:
  std::unique_ptr<huddle::EnergyStrategy> strategy_;
  /// The place and the clock of each PE, as heard last.
  std::vector<huddle::PePlace> places_;
  std::vector<double> achieved_hz_;
  /// The clock that each PE was asked to take last; 0: never.
  std::vector<double> asked_hz_;
  bool failed_ = false;
};
