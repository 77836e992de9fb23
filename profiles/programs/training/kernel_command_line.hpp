#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "profiles/programs/training/kernel_table.hpp"

namespace huddle::calibration {

/// The command line of huddle_training_kernels.
struct KernelOptions {
  /// What to print instead of running: for --help and --list.
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
