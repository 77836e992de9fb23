#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/formats/machine/machine_words.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// What the parts of a node draw at one frequency of the cores, each more than idle, as in
/// PowerFigures.
struct PowerPoint {
  /// 0 or more; at 0, what a busy core would draw without a clock.
  Hertz frequency;
  Watts core;
  /// Absent: not known at this frequency.
  std::optional<Watts> package;
  std::optional<Watts> die;

  friend bool operator==(const PowerPoint&, const PowerPoint&) = default;
};

/// Which cores have one clock.
enum class ClockDomain : std::uint8_t {
  kCore,     ///< each its own
  kPackage,  ///< all of a package
};

/// The frequencies that the cores of a node may be set to, all cores alike.
struct Frequencies {
  /// Ascending, none twice, each above 0; one or more.
  std::vector<Hertz> settable;
  /// The one that runs have unless they say otherwise, and that PowerFigures are of; one of
  /// `settable`.
  Hertz nominal;
  /// Ascending, none twice, none at the nominal frequency, which has its figures in PowerFigures.
  /// Empty: what the cores draw at other frequencies is unknown.
  std::vector<PowerPoint> power;
  ClockDomain domain = ClockDomain::kCore;
  Origin origin = Origin::kAssumed;

  friend bool operator==(const Frequencies&, const Frequencies&) = default;
};

}  // namespace huddle
