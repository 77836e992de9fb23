#include "profiles/programs/training/kernel_options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {

namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      {"dense-multiply", "computing", dense_multiply, 0, Shape::kAllreduce, 64},
      {"monte-carlo", "computing", monte_carlo, 0, Shape::kAllreduce, 512},
      {"polynomial", "computing", polynomial, 0, Shape::kHalo2d, 2 * kKiB},
      {"pointer-chase", "latency", pointer_chase, 64 * kMiB, Shape::kHalo2d, 20 * kKiB},
      {"random-gather", "latency", random_gather, 96 * kMiB, Shape::kHalo3d, 30 * kKiB},
      {"hash-lookup", "latency", hash_lookup, 32 * kMiB, Shape::kButterfly, 8 * kKiB},
      {"graph-walk", "latency", graph_walk, 64 * kMiB, Shape::kAllToAll, 4 * kKiB},
      {"triad", "bandwidth", triad, 96 * kMiB, Shape::kHalo3d, 60 * kKiB},
      {"copy", "bandwidth", copy, 64 * kMiB, Shape::kRing, 32 * kKiB},
      {"dot-product", "bandwidth", dot_product, 64 * kMiB, Shape::kAllreduce, 200 * kKiB},
      {"transpose", "bandwidth", transpose, 32 * kMiB, Shape::kRowsAllToAll, 100 * kKiB},
      {"stencil-large", "bandwidth", stencil, 64 * kMiB, Shape::kHalo3d, 300 * kKiB},
      {"stencil-small", "cache", blocked_stencil, 3 * kMiB, Shape::kHalo2d, 80 * kKiB},
      {"stencil-blocked", "cache", blocked_stencil, 1 * kMiB, Shape::kButterfly, 100 * kKiB},
      {"sweep", "cache", sweep, 6 * kMiB, Shape::kWavefront, 6 * kKiB},
      {"fourier", "cache", fourier, 6 * kMiB, Shape::kAllToAll, 40 * kKiB},
      {"sparse-product", "cache", sparse_product, 16 * kMiB, Shape::kButterfly, 45 * kKiB},
      {"radix-sort", "cache", radix_sort, 6 * kMiB, Shape::kAllreduce, 2 * kKiB},
  };
  return kernels;
}

const Kernel* kernel_named(std::string_view name) {
  for (const Kernel& kernel : all_kernels())
    if (kernel.name == name) return &kernel;
  return nullptr;
}

namespace {

constexpr double kMostSeconds = 86400;
constexpr std::uint64_t kMostIterations = 1000000000000;
constexpr std::size_t kMostFootprint = std::size_t{1} << 40U;

constexpr std::string_view kHelp =
    "huddle_training_kernels --kernel NAME [--iterations N | --seconds S] [--footprint BYTES]\n"
    "\n"
    "Runs one kernel of known kind on all ranks: each computes the same, however many there are,\n"
    "and exchanges data behind each iteration. Then each rank checks its result.\n"
    "\n"
    "  --kernel NAME      which; see --list\n"
    "  --iterations N     how often\n"
    "  --seconds S        about how long instead (default: 1)\n"
    "  --footprint BYTES  how much memory each rank goes through (default: see --list); kernels\n"
    "                     that are bound by computing don't look at it\n"
    "  --list             name, what it is bound by, footprint, exchange and bytes of a message\n"
    "\n"
    "Rank 0 prints kernel, footprint, ranks, iterations and seconds. Status: 0 right, 1 wrong\n"
    "result, 2 wrong arguments.\n";

std::string list_of_kernels() {
  std::string text;
  for (const Kernel& kernel : all_kernels()) {
    char line[200];
    std::snprintf(line, sizeof line, "%-16s %-10s %10zu %-16s %8zu\n", kernel.name.data(),
                  kernel.bound.data(), kernel.footprint, name_of(kernel.shape).data(),
                  kernel.message_bytes);
    text += line;
  }
  return text;
}

template <class Number>
bool take(std::string_view text, Number lowest, Number highest, Number& into) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= lowest && value <= highest)) return false;
  into = value;
  return true;
}

std::string complaint(std::string_view option, std::string_view found, const char* expected) {
  return std::string(option) + ": found " + std::string(found) + ", expected " + expected;
}

}  // namespace

std::string KernelOptions::read(int argc, char** argv) {
  bool footprint_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "--list") {
      text = option == "--help" ? std::string(kHelp) : list_of_kernels();
      return {};
    }
    if (i + 1 == argc) return complaint(option, "nothing behind it", "an option and its value");
    const std::string_view value = argv[++i];
    if (option == "--kernel") {
      kernel = kernel_named(value);
      if (kernel == nullptr) return complaint(option, value, "a name of --list");
    } else if (option == "--iterations") {
      if (!take(value, std::uint64_t{1}, kMostIterations, iterations))
        return complaint(option, value, "a whole number from 1");
    } else if (option == "--seconds") {
      if (!take(value, 0.0, kMostSeconds, seconds))
        return complaint(option, value, "seconds, up to a day");
    } else if (option == "--footprint") {
      if (!take(value, std::size_t{0}, kMostFootprint, footprint))
        return complaint(option, value, "bytes, up to 2^40");
      footprint_given = true;
    } else {
      return "there is no option " + std::string(option);
    }
  }
  if (kernel == nullptr) return "--kernel is missing";
  if (!footprint_given) footprint = kernel->footprint;
  return {};
}

}  // namespace huddle::calibration
