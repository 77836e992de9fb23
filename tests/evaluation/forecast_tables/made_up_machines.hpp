#pragma once

#include <array>
#include <string_view>

#include "aggregator/forecast/laws/configuration.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {

/// The effect that decides how a program scales on a node.
enum class Effect : unsigned char {
  sockets,  ///< idle power of each socket that is used, clocks that fall with busy cores
  smt,      ///< a second thread on each core, which adds little
  memory,   ///< bandwidth that a few cores of a socket use up
  numa,     ///< memory of the other socket, which is farther
};
inline constexpr std::array kEffects = {Effect::sockets, Effect::smt, Effect::memory, Effect::numa};

std::string_view name_of(Effect effect);

/// A node and a program of threads on it, with what tables that people publish show: fixed and
/// dynamic power, turbo clocks, sockets that are filled one after the other or alternately,
/// memory's bandwidth, second threads of cores. A plain value.
struct MadeUpNode {
  // The node.
  double sockets = 2;
  double cores = 16;  ///< of a socket
  bool smt = false;
  bool spread = false;  ///< threads go to the sockets alternately
  double turbo = 0;     ///< by how much clocks fall until all cores of a socket are busy
  double idle_w = 60;
  double socket_w = 20;  ///< of each that is used
  double core_w = 5;
  double memory_w = 10;  ///< of a socket whose bandwidth is used up
  // The program: shares of the time that one thread takes at size 1.
  double seconds = 100;
  double growth = 1;  ///< power of the size
  double serial = 0.01;
  double memory = 0.1;
  double cache = 0.5;       ///< the size of which half stays in caches
  double enough_cores = 8;  ///< of a socket, that use its bandwidth up
  double far = 0;           ///< by how much memory takes longer where half of it is far
  double second_thread = 0.2;
  double start_s = 0;    ///< whatever the size and the threads
  double barrier_s = 0;  ///< by log2 of the threads

  [[nodiscard]] double most_threads() const { return sockets * cores * (smt ? 2 : 1); }
  [[nodiscard]] double time_s(double size, double threads) const;
  [[nodiscard]] double energy_j(double size, double threads) const;
};

/// One of them by lot, in which the effect matters.
MadeUpNode drawn_node(Effect effect, Noise& lot);

}  // namespace huddle::evaluation
