#include "spank_plugin/charm/energy_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "profiles/balancing/clock_choice.hpp"
#include "profiles/balancing/workload.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::charm {
namespace {

void check_number(double value, const char* what, std::size_t index) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(fmt::format("{} {} is {}; expected: 0 or more", what, index, value));
}

void check_loads(const ChareLoads& loads) {
  check_number(loads.interval.value, "the length of interval", 0);
  for (std::size_t i = 0; i < loads.pes.size(); ++i) {
    const PeLoad& pe = loads.pes[i];
    check_number(pe.background.value, "the background load of PE", i);
    check_number(pe.achieved.value, "the clock of PE", i);
    if (!(pe.speed > 0) || !std::isfinite(pe.speed))
      throw Error(fmt::format("the speed of PE {} is {}; expected: above 0", i, pe.speed));
    if (pe.clock_domain >= loads.pes.size())
      throw Error(fmt::format("clock domain {} of at most {}", pe.clock_domain, loads.pes.size()));
  }
  for (std::size_t i = 0; i < loads.chares.size(); ++i) {
    const ChareLoad& chare = loads.chares[i];
    check_number(chare.time.value, "the time of chare", i);
    if (chare.pe >= loads.pes.size())
      throw Error(fmt::format("chare {} is on PE {} of {}", i, chare.pe, loads.pes.size()));
    if (!(chare.sensitivity >= 0 && chare.sensitivity <= 1))
      throw Error(
          fmt::format("the sensitivity of chare {} is {}; expected: 0 to 1", i, chare.sensitivity));
  }
  for (const ChareLink& link : loads.links)
    if (link.a >= loads.chares.size() || link.b >= loads.chares.size())
      throw Error(fmt::format("a link between chares {} and {} of {}", link.a, link.b,
                              loads.chares.size()));
  if (std::none_of(loads.pes.begin(), loads.pes.end(),
                   [](const PeLoad& pe) { return pe.available; }))
    throw Error("no PE is available");
}

bool counts_links(ChareBalancer balancer) {
  return balancer == ChareBalancer::kGreedyComm || balancer == ChareBalancer::kRefineComm;
}

}  // namespace

/// Loads as the library knows them: at the top clock.
struct EnergyStrategy::Work {
  /// `learnt` is of each PE, or empty.
  Work(const ChareLoads& loads, const balancing::ClockSteps& steps, const EnergySettings& settings,
       std::span<const balancing::ClockSensitivity> learnt)
      : measured(loads), sensitivity_of(learnt) {
    const Hertz top = steps.most();
    for (std::size_t pe = 0; pe < loads.pes.size(); ++pe) {
      const PeLoad& load = loads.pes[pe];
      const double sensitivity = learnt.empty() ? 1 : learnt[pe].mean();
      processors.push_back(
          {balancing::workload_of(load.background, clock_of(load, steps), top, sensitivity).time,
           load.speed, load.available});
      domain_of.push_back(load.clock_domain);
      domains = std::max(domains, load.clock_domain + 1);
    }
    for (const ChareLoad& chare : loads.chares) {
      const PeLoad& pe = loads.pes[chare.pe];
      const double sensitivity = learnt.empty() ? chare.sensitivity : learnt[chare.pe].mean();
      const balancing::Workload work =
          balancing::workload_of(chare.time, clock_of(pe, steps), top, sensitivity);
      objects.push_back({work.time * pe.speed, chare.pe, chare.migratable});
      present.push_back(chare.pe);
      if (chare.migratable && !pe.available) evacuation = true;
    }
    if (!counts_links(settings.balancer)) return;
    for (const ChareLink& link : loads.links)
      links.push_back({link.a, link.b,
                       settings.per_message * static_cast<double>(link.messages) +
                           settings.per_byte * static_cast<double>(link.bytes.value)});
  }

  static Hertz clock_of(const PeLoad& pe, const balancing::ClockSteps& steps) {
    return pe.achieved.value > 0 ? pe.achieved : steps.most();
  }

  [[nodiscard]] Seconds length(const balancing::WorkPlacement& placement) const {
    Seconds longest;
    for (const Seconds load : balancing::loads_of(objects, links, placement, processors))
      longest = std::max(longest, load);
    return longest;
  }

  /// Returns the work of each PE, without communication: the clock of a PE that waits for a message
  /// does not matter.
  [[nodiscard]] std::vector<balancing::Workload> workloads(
      const balancing::WorkPlacement& placement) const {
    std::vector<balancing::Workload> work;
    for (const balancing::WorkProcessor& processor : processors)
      work.push_back({processor.background, processor.background.value});
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const Seconds time = objects[i].time * (1 / processors[placement[i]].speed);
      work[placement[i]].time += time;
      work[placement[i]].sensitivity += time.value * measured.chares[i].sensitivity;
    }
    for (std::size_t pe = 0; pe < work.size(); ++pe) {
      balancing::Workload& one = work[pe];
      one.sensitivity = one.time.value > 0 ? std::min(1.0, one.sensitivity / one.time.value) : 1;
      // The highest that may be: a clock too low costs more than one too high.
      if (!sensitivity_of.empty()) one.sensitivity = sensitivity_of[pe].upper();
    }
    return work;
  }

  [[nodiscard]] double imbalance(const balancing::WorkPlacement& placement) const {
    const std::vector<balancing::Workload> all = workloads(placement);
    std::vector<balancing::Workload> available;
    for (std::size_t pe = 0; pe < all.size(); ++pe)
      if (processors[pe].available) available.push_back(all[pe]);
    return balancing::imbalance_of(available);
  }

  const ChareLoads& measured;
  std::span<const balancing::ClockSensitivity> sensitivity_of;
  std::vector<balancing::WorkProcessor> processors;
  std::vector<balancing::WorkObject> objects;
  std::vector<balancing::WorkLink> links;
  balancing::WorkPlacement present;
  std::vector<std::uint32_t> domain_of;
  std::uint32_t domains = 0;
  /// True if a chare is where none may be.
  bool evacuation = false;
};

std::string_view name_of(ChareBalancer balancer) {
  switch (balancer) {
    case ChareBalancer::kNone:
      return "none";
    case ChareBalancer::kGreedy:
      return "greedy";
    case ChareBalancer::kRefine:
      return "refine";
    case ChareBalancer::kGreedyComm:
      return "greedy_comm";
    case ChareBalancer::kRefineComm:
      return "refine_comm";
  }
  return "";
}

EnergyStrategy::EnergyStrategy(balancing::ClockSteps steps, EnergySettings settings)
    : steps_(std::move(steps)), settings_(settings) {
  check_number(settings.per_message.value, "the cost of a message, setting", 0);
  check_number(settings.per_byte.value, "the cost of a byte, setting", 0);
  check_number(settings.worthwhile, "the gain that moving is worth, setting", 0);
  check_number(settings.least_gain, "the least gain of moving, setting", 0);
  check_number(settings.lease, "the lease, setting", 0);
  if (!(settings.tolerance >= 1))
    throw Error(fmt::format("refine's tolerance is {}; expected: 1 or more", settings.tolerance));
  if (settings.patience < 1) throw Error("a patience of 0 balance points; expected: 1 or more");
}

EnergyDecision EnergyStrategy::balance(const ChareLoads& loads) {
  check_loads(loads);
  if (settings_.learn_sensitivity) learn(loads);
  const Work work(loads, steps_, settings_, learnt_);
  EnergyDecision decision;
  decision.pe_of = work.present;
  decision.imbalance = work.imbalance(work.present);
  constexpr double kSame = 1 + 1e-9;
  decision.beyond_clocks = decision.imbalance > steps_.range() * kSame;
  decision.length_before = work.length(work.present);
  decision.length_after = decision.length_before;
  compare_with_promise(decision);
  consider_moving(work, decision);
  decision.imbalance_after = work.imbalance(decision.pe_of);
  choose_clocks_of(work, decision);
  decision.lease = std::max(loads.interval, decision.length_before) * settings_.lease;
  if (decision.handed_over) learnt_.clear();
  return decision;
}

void EnergyStrategy::learn(const ChareLoads& loads) {
  if (learnt_.size() != loads.pes.size())
    learnt_.assign(loads.pes.size(), balancing::ClockSensitivity(steps_.most()));
  std::vector<Seconds> time;
  for (const PeLoad& pe : loads.pes) time.push_back(pe.background);
  for (const ChareLoad& chare : loads.chares) time[chare.pe] += chare.time;
  for (std::size_t pe = 0; pe < time.size(); ++pe)
    learnt_[pe].observe(time[pe], Work::clock_of(loads.pes[pe], steps_));
}

balancing::WorkPlacement EnergyStrategy::better_placement(const Work& work) const {
  switch (settings_.balancer) {
    case ChareBalancer::kGreedy:
    case ChareBalancer::kGreedyComm:
      return balancing::greedy_placement(work.objects, work.processors, work.links);
    case ChareBalancer::kRefine:
    case ChareBalancer::kRefineComm:
      return balancing::refined_placement(work.objects, work.processors, settings_.tolerance,
                                          work.links);
    case ChareBalancer::kNone:
      break;
  }
  // Nothing but what must leave its PE.
  std::vector<balancing::WorkObject> objects = work.objects;
  for (balancing::WorkObject& object : objects)
    object.movable = object.movable && !work.processors[object.processor].available;
  return balancing::refined_placement(objects, work.processors, settings_.tolerance);
}

void EnergyStrategy::consider_moving(const Work& work, EnergyDecision& decision) {
  promised_ = {0};
  if (settings_.balancer == ChareBalancer::kNone && !work.evacuation) return;
  const balancing::WorkPlacement placement = better_placement(work);
  const Seconds length = work.length(placement);
  // Where there is but one clock, everything is beyond it, and noise would move chares for ever.
  const bool condition = decision.beyond_clocks && steps_.range() > 1;
  const double gain = caution_ * (condition ? settings_.least_gain : settings_.worthwhile);
  if (!work.evacuation && length.value >= (1 - gain) * decision.length_before.value) return;
  decision.moved = balancing::moved_objects(work.objects, placement);
  if (decision.moved == 0) return;
  decision.handed_over = true;
  decision.pe_of = placement;
  decision.length_after = length;
  moved_from_ = decision.length_before;
  promised_ = length;
}

/// Loads that change by themselves, or chares that take longer elsewhere, would be moved for
/// nothing at each balance point.
void EnergyStrategy::compare_with_promise(const EnergyDecision& decision) {
  if (!(promised_.value > 0)) return;
  constexpr double kMostCaution = 8;
  const double kept = (moved_from_.value - decision.length_before.value) /
                      std::max(1e-12, moved_from_.value - promised_.value);
  if (promised_ < moved_from_) caution_ = kept < 0.25 ? std::min(kMostCaution, caution_ * 2) : 1;
}

void EnergyStrategy::choose_clocks_of(const Work& work, EnergyDecision& decision) {
  if (!wanted_.empty() && wanted_.front().size() != work.domains) wanted_.clear();
  if (decision.handed_over) {
    wanted_.clear();
    decision.clocks.assign(work.domains, steps_.most());
    return;
  }
  const balancing::ClockChoice choice = balancing::choose_clocks(
      work.workloads(decision.pe_of), work.domain_of, work.domains, steps_);
  wanted_.insert(wanted_.begin(), choice.clocks);
  if (wanted_.size() > settings_.patience) wanted_.pop_back();
  decision.clocks = choice.clocks;
  for (std::uint32_t domain = 0; domain < work.domains; ++domain) {
    Hertz& clock = decision.clocks[domain];
    if (wanted_.size() < settings_.patience) clock = steps_.most();
    for (const std::vector<Hertz>& before : wanted_) clock = std::max(clock, before[domain]);
  }
}

}  // namespace huddle::charm
