#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace huddle::evaluation {

/// A node of the generated measurements: four Xeon E5-4650 at 2.7 GHz, as far as its data sheet
/// (cores, cache, 130 W a socket) and usual results of STREAM say.
struct MeasuredNode {
  double cores_per_socket = 8;  ///< of four sockets; threads fill one after the other
  double hertz = 2.7e9;
  double bandwidth_core = 8e9;      ///< B/s that one core gets from memory
  double bandwidth_socket = 36e9;   ///< B/s that a socket gets
  double cache_socket = 20e6;       ///< bytes of a socket's last level
  double cache_speed = 5;           ///< how many times as fast as memory that is
  double idle_watts = 180;          ///< four sockets and 256 GB that do nothing
  double core_watts = 9.5;          ///< what a core adds while it computes
  double stalled_share = 0.75;      ///< of that while it waits for memory
  double watts_per_byte_s = 4e-10;  ///< what traffic to memory adds
  double barrier_s = 2e-6;          ///< of a team, for each doubling of it
};

/// The figures of one thread in the region that is measured, over a whole run, by the law alone.
struct LawfulRow {
  double calls = 0;    ///< of the region
  double seconds = 0;  ///< of the thread with the most work
  double watts = 0;    ///< of the node meanwhile
  double simd = 0;     ///< instructions of 256 bits
  double instructions = 0;
  double lines = 0;   ///< brought into the first cache
  double misses = 0;  ///< of the last cache
  double stalls = 0;  ///< cycles
};

/// A program with a known law, and the problem sizes of the paper's Table I.
struct ProgramLaw {
  std::string_view name;
  std::uint32_t first_size = 0;
  std::uint32_t last_size = 0;
  std::uint32_t sizes = 0;  ///< equidistant
  /// The unevenness of a team's threads: the deviation of a thread's own time.
  double imbalance = 0;
  LawfulRow (*row)(const MeasuredNode& node, double size, double threads) = nullptr;

  [[nodiscard]] std::uint32_t size(std::uint32_t index) const {
    return first_size + index * ((last_size - first_size) / (sizes - 1));
  }
};

/// On 4 processes, one on a node each: HOMB, Jacobi sweeps over size x size points; CoMD, forces
/// between `size` atoms of a process in link cells; AMG2006, V-cycles for Laplace's equation with
/// `size` unknowns of a process.
const std::array<ProgramLaw, 3>& program_laws();

}  // namespace huddle::evaluation
