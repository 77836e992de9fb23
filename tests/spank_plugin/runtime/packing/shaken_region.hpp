#pragma once

#include <omp.h>

#include <cstdint>
#include <memory>

#include "spank_plugin/runtime/packing/packing_driver.hpp"

namespace huddle::runtime {

inline std::unique_ptr<PackingDriver> shaking_driver;
inline bool shaken = false;

/// A region of `team` threads as the runtime's entry would begin it, packed if it is shaken.
template <class Body>
void region(int team, const Body& body) {
  const auto level = static_cast<std::uint32_t>(omp_get_level());
  const std::uint64_t token =
      shaken ? shaking_driver->region_begins(0x1000, static_cast<std::uint32_t>(team), level, 0)
             : 0;
#pragma omp parallel num_threads(team)
  {
    if (shaken)
      shaking_driver->thread_begins(token, static_cast<std::uint32_t>(omp_get_thread_num()));
    body();
  }
}

/// Each of these does what real programs do with the masks of their threads, and returns a digest
/// of all that it saw: what it is without packing.
double by_processors();
double by_dynamic();
double by_masks();
double by_makers();
double by_hwloc();
double by_visiting();
/// Ends packing.
double by_binding();

}  // namespace huddle::runtime
