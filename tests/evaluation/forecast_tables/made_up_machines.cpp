#include "tests/evaluation/forecast_tables/made_up_machines.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::evaluation {
namespace {

double drawn(double least, double most, Noise& lot) {
  return least + (most - least) * lot.uniform();
}

double drawn_by_log(double least, double most, Noise& lot) {
  return least * std::pow(most / least, lot.uniform());
}

template <std::size_t N>
double one_of(const std::array<double, N>& values, Noise& lot) {
  return values[std::min(N - 1, static_cast<std::size_t>(lot.uniform() * N))];
}

// Busy cores of socket `i`.
double busy_of(const MadeUpNode& node, double busy, double i) {
  if (node.spread) return std::floor((busy + node.sockets - 1 - i) / node.sockets);
  return std::clamp(busy - i * node.cores, 0.0, node.cores);
}

// The sums over the sockets with so many threads.
struct Parts {
  double busy = 0;       // cores
  double used = 0;       // sockets
  double speed = 0;      // of computation, in cores at the highest clock
  double bandwidth = 0;  // in what one core can use
  double watts = 0;      // of the sockets
};

Parts parts_of(const MadeUpNode& node, double threads) {
  Parts parts;
  parts.busy = std::min(threads, node.sockets * node.cores);
  const double seconds_each = (threads - parts.busy) / parts.busy;
  for (double i = 0; i < node.sockets; ++i) {
    const double busy = busy_of(node, parts.busy, i);
    if (busy == 0) continue;
    const double clock = 1 - node.turbo * busy / node.cores;
    // A smooth minimum: bandwidth falls short before it is used up.
    const double bandwidth =
        std::pow(std::pow(busy, -4) + std::pow(node.enough_cores, -4), -1.0 / 4);
    ++parts.used;
    parts.speed += busy * clock * (1 + node.second_thread * seconds_each);
    parts.bandwidth += bandwidth;
    parts.watts += node.socket_w +
                   busy * node.core_w * std::pow(clock, 2) * (1 + 0.15 * seconds_each) +
                   node.memory_w * bandwidth / node.enough_cores;
  }
  return parts;
}

}  // namespace

std::string_view name_of(Effect effect) {
  constexpr std::array<std::string_view, 4> names = {"sockets", "SMT", "memory", "NUMA"};
  return names[static_cast<std::size_t>(effect)];
}

double MadeUpNode::time_s(double size, double threads) const {
  const Parts parts = parts_of(*this, threads);
  const double farther = 1 + far * (1 - 1 / parts.used);
  const double uncached = memory * size / (size + cache);
  const double shares =
      serial + (1 - serial) * ((1 - memory) / parts.speed + uncached * farther / parts.bandwidth);
  return start_s + seconds * std::pow(size, growth) * shares + barrier_s * std::log2(1 + threads);
}

double MadeUpNode::energy_j(double size, double threads) const {
  return time_s(size, threads) * (idle_w + parts_of(*this, threads).watts);
}

MadeUpNode drawn_node(Effect effect, Noise& lot) {
  MadeUpNode node;
  node.sockets = one_of(std::array{2.0, 2.0, 2.0, 4.0}, lot);
  node.cores = one_of(std::array{6.0, 8.0, 12.0, 16.0, 24.0, 32.0}, lot);
  node.spread = effect != Effect::numa && lot.uniform() < 0.25;
  node.turbo = drawn(0, 0.25, lot);
  node.idle_w = drawn_by_log(30, 150, lot);
  node.socket_w = drawn_by_log(5, 60, lot);
  node.core_w = drawn_by_log(1.5, 8, lot);
  node.memory_w = drawn_by_log(3, 25, lot);
  node.seconds = drawn_by_log(10, 1000, lot);
  node.growth = drawn(0.8, 2, lot);
  node.serial = drawn_by_log(0.001, 0.05, lot);
  node.memory = drawn(0, 0.2, lot);
  node.enough_cores = node.cores * drawn(0.5, 1, lot);
  node.cache = drawn_by_log(0.1, 5, lot);
  node.second_thread = drawn(-0.05, 0.35, lot);
  node.start_s = node.seconds * drawn_by_log(1e-4, 0.02, lot);
  node.barrier_s = node.seconds * drawn_by_log(1e-5, 3e-4, lot);
  if (effect == Effect::sockets) node.socket_w = drawn_by_log(25, 100, lot);
  if (effect == Effect::smt) node.smt = true;
  if (effect == Effect::memory || effect == Effect::numa) {
    node.memory = drawn(0.3, 0.9, lot);
    node.enough_cores = node.cores * drawn_by_log(0.15, 0.8, lot);
  }
  if (effect == Effect::numa) node.far = drawn_by_log(0.15, 1, lot);
  return node;
}

}  // namespace huddle::evaluation
