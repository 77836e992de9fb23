#pragma once

// Power figures of a node from what huddle-energyd observed of its occupations.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/observations/power_observations.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// Power of a node and its busy parts, as a machine document's figures add up. A busy core draws
/// `core_static + core_dynamic (f / clock)^3` at the frequency f.
struct PowerFit {
  Watts idle_node;
  Watts package;
  Watts die;
  Watts core_static;
  Watts core_dynamic;
  /// Mean of the busy cores' clocks; 0: not known.
  Hertz clock;
  /// The lowest and the highest clock that cores were busy at; 0: not known.
  Hertz lowest;
  Hertz highest;
  /// True if power was told apart by frequency. Otherwise core_dynamic is 0.
  bool by_frequency = false;
  /// Mean of |predicted / observed - 1| over groups of jobs that the fit was made without; absent
  /// with jobs of one group alone.
  std::optional<double> error;
  /// Time that was observed, and the number of different occupations in it.
  Seconds time;
  std::size_t occupations = 0;
  /// Sentences for people: what was never seen, and what can't be told apart for that.
  std::vector<std::string> notes;

  /// At 0 Hz, or without frequencies: at `clock`.
  [[nodiscard]] Watts core_at(Hertz frequency) const;
};

/// Least squares of relative errors, with figures of 0 or more. An occupation counts by the time
/// that it lasted, up to a minute for each group of jobs: how programs differ shows in many jobs,
/// not in long ones. A part whose figure the occupations do not determine gets none, and a note.
/// Throws Error if nodes of different sizes or sensors are mixed, or if there is nothing but one
/// occupation.
PowerFit fit_power(const std::vector<PowerObservations>& nodes);

/// Puts the figures into the document: at its nominal frequency, and, told apart by frequency, at
/// the lowest and highest clock observed; each to four digits. `rest`: what a node draws besides
/// what sensors count. `observer` says for people who observed it, and where.
void put_power(const PowerFit& fit, Watts rest, const std::string& observer, Machine& machine);

}  // namespace huddle::predict
