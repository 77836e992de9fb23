// Measures how long it takes, and how much memory, to write and to read a profile of many ranks.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/benchmark_main.hpp"
#include "tests/benchmark/synthetic_profile.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: profile_scale [--ranks N] [--neighbours K] [--phases P] [--compare] [--keep] FILE\n"
    "Writes a made-up profile to FILE (CBOR if it ends in .cbor, else JSON), reads it back and\n"
    "prints what that took. Default: 1048576 ranks, 26 neighbours, no phases.\n"
    "  --compare  also checks that what was read is what was written\n"
    "  --keep     leaves FILE behind\n";

struct Options {
  std::uint32_t ranks = 1U << 20U;
  std::uint32_t neighbours = 26;
  std::uint32_t phases = 0;
  bool compare = false;
  bool keep = false;
  std::string file;
};

Options parsed(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw UsageError(fmt::format("{} needs a number", word));
      return static_cast<std::uint32_t>(
          number_from(arguments[i], 0, std::numeric_limits<std::uint32_t>::max()));
    };
    if (word == "--ranks")
      options.ranks = value();
    else if (word == "--neighbours")
      options.neighbours = value();
    else if (word == "--phases")
      options.phases = value();
    else if (word == "--compare")
      options.compare = true;
    else if (word == "--keep")
      options.keep = true;
    else if (word.starts_with("-") || !options.file.empty())
      throw UsageError(fmt::format("unexpected \"{}\"", word));
    else
      options.file = word;
  }
  if (options.file.empty() || options.ranks == 0) throw UsageError("a FILE and 1 rank are needed");
  return options;
}

// The peak memory of this process since the last reset, in MiB.
double peak_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

void reset_peak_resident() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Runs `step` and prints a line about it.
template <class Step>
void measure(const char* name, const std::string& file, Step&& step) {
  reset_peak_resident();
  const double processor_begin = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  step();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double megabytes = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
  fmt::print("{:<8}{:>10.2f}{:>10.2f}{:>10.1f}{:>10.1f}{:>20.1f}\n", name, time.count(),
             processor_seconds() - processor_begin, megabytes, megabytes / time.count(),
             peak_resident());
  std::fflush(stdout);
}

void write(const SyntheticProfile& synthetic, const Options& options) {
  ProfileFile file(options.file, synthetic.head());
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) file.add(synthetic.record(rank));
  file.commit(synthetic.shared());
}

// Each part by its encoding, which has all of its values.
void compare(const Profile& read, const SyntheticProfile& synthetic) {
  const auto demand = [](const std::string& a, const std::string& b, const std::string& what) {
    if (a != b) throw Error(fmt::format("{} was read as\n{}\nand written as\n{}", what, a, b));
  };
  demand(encode_profile_head(read, Encoding::kJson),
         encode_profile_head(synthetic.head(), Encoding::kJson), "the head");
  demand(encode_profile_tail(read.shared, Encoding::kJson),
         encode_profile_tail(synthetic.shared(), Encoding::kJson), "the tail");
  for (std::uint32_t rank = 0; rank < read.ranks; ++rank)
    demand(encode_rank_record(read.rank_records.at(rank), Encoding::kJson),
           encode_rank_record(synthetic.record(rank), Encoding::kJson),
           fmt::format("rank {}", rank));
}

void run(const Options& options) {
  const SyntheticProfile synthetic(options.ranks, options.neighbours, options.phases);
  fmt::print("{} ranks, {} neighbours, {} phases\n", options.ranks, options.neighbours,
             options.phases);
  fmt::print("{:<8}{:>10}{:>10}{:>10}{:>10}{:>20}\n", "step", "seconds", "CPU s", "MB", "MB/s",
             "peak resident MiB");
  measure("write", options.file, [&] { write(synthetic, options); });
  Profile profile;
  measure("read", options.file, [&] { profile = load_profile(options.file); });
  if (options.compare) {
    compare(profile, synthetic);
    fmt::print("what was read is what was written\n");
  }
  if (!options.keep) std::filesystem::remove(options.file);
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main(
      "profile_scale", huddle::kUsage, argc, argv,
      [](const auto& arguments) { huddle::run(huddle::parsed(arguments)); });
}
