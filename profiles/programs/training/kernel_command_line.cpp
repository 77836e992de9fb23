#include "profiles/programs/training/kernel_command_line.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace huddle::calibration {
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
