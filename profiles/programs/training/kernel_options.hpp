#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"
#include "profiles/programs/training/kernel_exchange.hpp"

namespace huddle::calibration {

/// A training program: what a rank computes, over and over, and what ranks exchange after that.
struct Kernel {
  std::string_view name;
  /// The resource that bounds it: "computing", "latency", "bandwidth" or "cache".
  std::string_view bound;
  ComputationPtr (*computation)(std::size_t footprint);
  /// In bytes; the default.
  std::size_t footprint;
  Shape shape;
  std::size_t message_bytes;
};

/// All of them; names are unique.
const std::vector<Kernel>& all_kernels();

/// Null if there is none of that name.
const Kernel* kernel_named(std::string_view name);

/// The command line of huddle_training_kernels.
struct KernelOptions {
  /// Text to print instead of running: for --help and --list.
  std::string text;
  /// Not null unless there is a text.
  const Kernel* kernel = nullptr;
  std::size_t footprint = 0;
  /// 0: as many as take `seconds`.
  std::uint64_t iterations = 0;
  double seconds = 1;

  /// Returns what is wrong with the arguments, found and expected; empty if nothing is.
  std::string read(int argc, char** argv);
};

}  // namespace huddle::calibration
