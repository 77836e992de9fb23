#pragma once

namespace huddle {

/// What a run is asked with. A program measured without one of them has 1 there in all of its rows.
struct Configuration {
  double size = 1;           ///< problem size, above 0
  double processes = 1;      ///< at least 1
  double threads = 1;        ///< of each process, at least 1
  double frequency_ghz = 1;  ///< above 0

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

}  // namespace huddle
