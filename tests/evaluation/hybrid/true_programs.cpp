#include "tests/evaluation/hybrid/true_programs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "aggregator/hybrid/team_menu.hpp"
#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {
namespace {

std::uint32_t cores_of(const TrueNode& node) {
  return node.packages * node.dies_per_package * node.cores_per_die;
}

std::vector<std::uint32_t> all_cores(const TrueNode& node) {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t core = 0; core < cores_of(node); ++core) cores.push_back(core);
  return cores;
}

/// Seconds of perfectly parallel computation on all of a node's cores at the highest clock.
double gigacycles(const TrueNode& node, double seconds) {
  return seconds * node.clocks_ghz.back() * cores_of(node);
}

/// Bytes that take this long when the node's packages are just not overasked.
double bytes(const TrueNode& node, double seconds) {
  return seconds * node.package_flow * node.packages;
}

double all_caches(const TrueNode& node) {
  return node.die_cache * node.packages * node.dies_per_package;
}

TrueProgram two_ranks(const TrueNode& node, const char* name) {
  TrueProgram program;
  program.name = name;
  program.node = node;
  for (const std::uint32_t number : {0U, 1U}) {
    TrueRank rank;
    rank.node = number;
    rank.cores = all_cores(node);
    program.ranks.push_back(rank);
  }
  return program;
}

/// A region that computes for `compute` seconds on all cores and moves what takes `memory`.
TrueRegion region_of(const TrueNode& node, const char* name, double compute, double memory) {
  TrueRegion region;
  region.name = name;
  region.threads = cores_of(node);
  region.gigacycles = gigacycles(node, compute);
  region.serial_share = 0.001;
  region.bytes = bytes(node, memory);
  region.working_set = 0.5 * all_caches(node);
  region.reuse = 0.3;
  region.barriers = 2;
  return region;
}

TrueRegion serial_of(const TrueNode& node, const char* name, double seconds) {
  TrueRegion region;
  region.name = name;
  region.gigacycles = seconds * node.clocks_ghz.back();
  region.serial_share = 1;
  region.barriers = 0;
  return region;
}

void add_group(TrueProgram& program, double passes, const std::vector<TrueRegion>& regions,
               const std::vector<double>& loads, double send_s) {
  program.group_passes.push_back(passes);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    std::vector<TrueRegion> own = regions;
    for (TrueRegion& region : own) {
      region.gigacycles *= loads[rank];
      region.bytes *= loads[rank];
    }
    program.ranks[rank].groups.push_back(own);
    program.ranks[rank].send_s.push_back(send_s);
  }
}

}  // namespace

TrueNode four_packages() {
  TrueNode node;
  node.name = "4:1:4";
  node.packages = 4;
  node.dies_per_package = 1;
  node.cores_per_die = 4;
  node.clocks_ghz = {1.0, 1.2, 1.4, 1.7, 2.0};
  node.clock_of_package = true;
  node.idle_watts = 130;
  node.package = {8, 0.5};
  node.die = {2, 0.2};
  node.core = {3, 1.0};
  node.package_flow = 6e9;
  node.core_flow = 2.5e9;
  node.crowding = 0.5;
  node.die_cache = 2e6;
  node.barrier_s = 1e-6;
  node.shared_core_s = 6e-6;
  node.binding_s = 40e-6;
  node.clock_s = 100e-6;
  return node;
}

TrueNode two_packages() {
  TrueNode node;
  node.name = "2:1:8";
  node.packages = 2;
  node.dies_per_package = 1;
  node.cores_per_die = 8;
  node.clocks_ghz = {1.2, 1.6, 2.0, 2.4, 2.7};
  node.idle_watts = 80;
  node.package = {15, 0.6};
  node.die = {3, 0.2};
  node.core = {1.5, 0.35};
  node.package_flow = 40e9;
  node.core_flow = 8e9;
  node.crowding = 0.4;
  node.die_cache = 20e6;
  node.barrier_s = 0.7e-6;
  node.shared_core_s = 5e-6;
  node.binding_s = 30e-6;
  node.clock_s = 60e-6;
  return node;
}

TrueNode four_dies() {
  TrueNode node;
  node.name = "1:4:4";
  node.packages = 1;
  node.dies_per_package = 4;
  node.cores_per_die = 4;
  node.clocks_ghz = {1.5, 1.9, 2.3, 2.8, 3.2};
  node.idle_watts = 60;
  node.package = {18, 0.3};
  node.die = {4, 0.15};
  node.core = {1, 0.15};
  node.package_flow = 70e9;
  node.core_flow = 11e9;
  node.crowding = 0.4;
  node.die_cache = 16e6;
  node.barrier_s = 0.6e-6;
  node.shared_core_s = 5e-6;
  node.binding_s = 30e-6;
  node.clock_s = 30e-6;
  return node;
}

TrueProgram amg_like(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "AMG");
  for (int position = 0; position < 14; ++position) {
    // Levels of a multigrid cycle: group 1 differs over 14 iterations, group 2 over 7.
    const double first = 0.4 + 0.6 * std::abs(position - 7) / 7.0;
    const double second = 0.5 + 0.5 * (position % 7) / 6.0;
    TrueRegion relax = region_of(node, "relax", 0.010 * first, 0.016 * first);
    TrueRegion matvec = region_of(node, "matvec", 0.008 * first, 0.020 * first);
    relax.sharing = 0.2;
    add_group(program, 50, {relax, matvec}, {0.9, 1.1}, 1e-4);
    TrueRegion restriction = region_of(node, "restriction", 0.012 * second, 0.006 * second);
    TrueRegion prolongation = region_of(node, "prolongation", 0.006 * second, 0.014 * second);
    prolongation.sharing = 0.3;
    add_group(program, 50, {restriction, prolongation}, {0.9, 1.1}, 1e-4);
  }
  return program;
}

TrueProgram v_cycles(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "V-cycles");
  constexpr int kLevels = 7;
  std::vector<TrueRegion> cycle;
  const auto add_level = [&](int level, bool smooths) {
    const double size = std::pow(0.7, std::max(0, level - 1));
    const double part = smooths ? 1 : 0.3;
    TrueRegion region =
        region_of(node, smooths ? "smooth" : "transfer", part * (level == 0 ? 0.050 : 0.006 * size),
                  part * (level == 0 ? 0.010 : 0.020 * size));
    region.working_set *= level == 0 ? 1 : 0.3 * size;
    region.serial_share = 0.0005;
    region.barriers = 4;
    cycle.push_back(region);
  };
  for (int level = 0; level + 1 < kLevels; ++level) {
    add_level(level, true);
    add_level(level, false);
  }
  add_level(kLevels - 1, true);
  for (int level = kLevels - 2; level >= 0; --level) {
    add_level(level, false);
    add_level(level, true);
  }
  add_group(program, 200, cycle, {1.0, 1.0}, 1e-4);
  return program;
}

TrueProgram irs_like(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "IRS");
  add_group(program, 400,
            {serial_of(node, "setup", 0.002), region_of(node, "rbndcom", 0.010, 0.004)}, {1.0, 0.7},
            2e-4);
  TrueRegion matmul = region_of(node, "rmatmult3", 0.012, 0.024);
  matmul.sharing = 0.3;
  add_group(program, 400, {matmul}, {1.0, 0.85}, 2e-4);
  add_group(program, 400, {region_of(node, "dot", 0.004, 0.008), serial_of(node, "scale", 0.001)},
            {0.8, 1.0}, 2e-4);
  TrueRegion precondition = region_of(node, "precondition", 0.008, 0.012);
  precondition.serial_share = 0.01;
  add_group(program, 400, {precondition, region_of(node, "update", 0.003, 0.006)}, {1.0, 0.8},
            2e-4);
  return program;
}

TrueProgram bt_like(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "BT");
  add_group(program, 200,
            {region_of(node, "x_solve", 0.020, 0.004), region_of(node, "y_solve", 0.020, 0.004),
             region_of(node, "z_solve", 0.020, 0.004), region_of(node, "rhs", 0.016, 0.008)},
            {1.0, 0.55}, 5e-4);
  return program;
}

TrueProgram sp_like(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "SP");
  TrueRegion rhs = region_of(node, "rhs", 0.010, 0.020);
  rhs.sharing = 0.2;
  add_group(
      program, 300,
      {region_of(node, "x_solve", 0.012, 0.014), region_of(node, "y_solve", 0.012, 0.014), rhs},
      {1.0, 1.0}, 5e-4);
  return program;
}

TrueProgram lu_like(const TrueNode& node) {
  TrueProgram program = two_ranks(node, "LU");
  add_group(program, 250,
            {region_of(node, "jacld", 0.020, 0.002), region_of(node, "blts", 0.020, 0.002),
             region_of(node, "rhs", 0.020, 0.004)},
            {1.0, 1.0}, 5e-4);
  return program;
}

namespace {

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Between them so that each order of magnitude is as likely.
double scaled(std::mt19937_64& random, double low, double high) {
  return std::exp(between(random, std::log(low), std::log(high)));
}

TrueRegion random_region(std::mt19937_64& random, const TrueNode& node, std::uint32_t threads) {
  TrueRegion region;
  region.name = "region";
  region.threads = threads;
  const double seconds = scaled(random, 2e-3, 50e-3);
  region.gigacycles = seconds * node.clocks_ghz.back() * threads;
  region.serial_share = random() % 3 == 0 ? scaled(random, 0.003, 0.1) : 0;
  region.bytes = bytes(node, seconds * scaled(random, 0.05, 3)) * threads / cores_of(node);
  region.working_set = scaled(random, 0.05, 4) * all_caches(node) * threads / cores_of(node);
  region.reuse = between(random, 0, 0.7);
  region.sharing = random() % 2 == 0 ? between(random, 0, 0.5) : 0;
  region.barriers = 1 + static_cast<double>(random() % 20);
  region.passes = random() % 3 == 0 ? 3 : 1;
  return region;
}

/// Where ranks are: alone on nodes, or two on one, side by side or with half of each die.
void place_ranks(TrueProgram& program, std::size_t nodes, int a_node, bool mixed) {
  const std::uint32_t cores = cores_of(program.node);
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (int part = 0; part < a_node; ++part) {
      TrueRank rank;
      rank.node = node;
      for (std::uint32_t core = 0; core < cores; ++core) {
        const std::uint32_t half =
            mixed ? core % program.node.cores_per_die * 2 / program.node.cores_per_die
                  : core * 2 / cores;
        if (a_node == 1 || half == static_cast<std::uint32_t>(part)) rank.cores.push_back(core);
      }
      program.ranks.push_back(rank);
    }
}

}  // namespace

TrueProgram random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed * 7919 + 17);
  TrueProgram program;
  program.name = "random";
  program.node = seed % 3 == 0 ? four_packages() : seed % 3 == 1 ? two_packages() : four_dies();
  const std::size_t kind = random() % 4;
  if (kind == 0) place_ranks(program, 2, 1, false);
  if (kind == 1) place_ranks(program, 3 + random() % 2, 1, false);
  if (kind >= 2) place_ranks(program, kind - 1, 2, random() % 2 == 0);
  const std::size_t groups = kind == 0 ? 2 : 1;
  const std::size_t regions = kind == 1 ? 3 : 2;
  const auto threads = static_cast<std::uint32_t>(program.ranks.front().cores.size());
  for (std::size_t g = 0; g < groups; ++g) {
    program.group_passes.push_back(100);
    std::vector<TrueRegion> shared;
    for (std::size_t i = 0; i < regions; ++i)
      shared.push_back(random_region(random, program.node, threads));
    const bool alike = random() % 3 != 0;
    const double uneven = random() % 3 == 0 ? 0 : between(random, 0, 0.5);
    for (TrueRank& rank : program.ranks) {
      std::vector<TrueRegion> own = shared;
      const double load = 1 - uneven * between(random, 0, 1);
      for (TrueRegion& region : own) {
        if (!alike) region = random_region(random, program.node, threads);
        region.gigacycles *= load;
        region.bytes *= load;
      }
      rank.groups.push_back(own);
      rank.send_s.push_back(between(random, 0, 3e-4));
    }
  }
  return program;
}

}  // namespace huddle::hybrid
