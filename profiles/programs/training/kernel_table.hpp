#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "profiles/programs/training/kernel.hpp"
#include "profiles/programs/training/kernel_exchange.hpp"

namespace huddle::calibration {

/// A training program: what a rank computes, over and over, and what ranks exchange behind it.
struct Kernel {
  std::string_view name;
  /// What it is bound by: "computing", "latency", "bandwidth" or "cache".
  std::string_view bound;
  ComputationPtr (*computation)(std::size_t footprint);
  /// Unless told otherwise; bytes.
  std::size_t footprint;
  Shape shape;
  std::size_t message_bytes;
};

/// All of them; names are unique.
const std::vector<Kernel>& all_kernels();

/// Null if there is none of that name.
const Kernel* kernel_named(std::string_view name);

}  // namespace huddle::calibration
