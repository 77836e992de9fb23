// Measures what the hooks of root take on a node of many PUs: reading its cores, a claim on all
// clocks, and putting back; CPU time, with what the writes to sysfs take beside it. sysfs is a tree
// of files in memory.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 21;

double cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

// Cores of two PUs, 8 cores on each L3, two packages, a clock for each PU.
void make_sysfs(const fs::path& sysfs, std::uint32_t pus) {
  const fs::path cpus = sysfs / "devices/system/cpu";
  put(cpus / "online", fmt::format("0-{}", pus - 1));
  for (std::uint32_t node = 0; node < 2; ++node)
    put(sysfs / fmt::format("devices/system/node/node{}/cpulist", node),
        fmt::format("{}-{},{}-{}", node * pus / 4, (node + 1) * pus / 4 - 1,
                    node * pus / 4 + pus / 2, (node + 1) * pus / 4 + pus / 2 - 1));
  for (std::uint32_t pu = 0; pu < pus; ++pu) {
    const std::uint32_t core = pu % (pus / 2);
    const std::string siblings = fmt::format("{},{}", core, core + pus / 2);
    const std::uint32_t first = core / 8 * 8;
    const fs::path own = cpus / fmt::format("cpu{}", pu);
    put(own / "topology/physical_package_id", std::to_string(core / (pus / 4)));
    put(own / "topology/core_cpus_list", siblings);
    put(own / "topology/die_id", "0");
    for (int index = 0; index < 4; ++index) {
      const fs::path cache = own / fmt::format("cache/index{}", index);
      put(cache / "level", std::to_string(std::max(1, index)));
      put(cache / "type", index == 0 ? "Data" : index == 1 ? "Instruction" : "Unified");
      put(cache / "shared_cpu_list", index < 3 ? siblings
                                               : fmt::format("{}-{},{}-{}", first, first + 7,
                                                             first + pus / 2, first + 7 + pus / 2));
    }
    const fs::path clock = cpus / fmt::format("cpufreq/policy{}", pu);
    put(clock / "affected_cpus", std::to_string(pu));
    put(clock / "scaling_driver", "acpi-cpufreq");
    put(clock / "cpuinfo_min_freq", "1200000");
    put(clock / "cpuinfo_max_freq", "2400000");
    put(clock / "scaling_available_frequencies", "2400000 2100000 1800000 1500000 1200000 ");
    put(clock / "scaling_available_governors", "ondemand performance userspace");
    put(clock / "scaling_governor", "ondemand");
    put(clock / "scaling_min_freq", "1200000");
    put(clock / "scaling_max_freq", "2400000");
  }
}

// Real files, and the time that writing to them takes.
class TimedFiles final : public frequency::CpufreqFiles {
 public:
  explicit TimedFiles(const fs::path& sysfs) : files_(sysfs) {}
  [[nodiscard]] std::vector<std::uint32_t> policies() const override { return files_.policies(); }
  [[nodiscard]] std::optional<std::string> read(std::uint32_t policy,
                                                const char* file) const override {
    return files_.read(policy, file);
  }
  [[nodiscard]] int write(std::uint32_t policy, const char* file, std::string_view value) override {
    const double begin = cpu_ms();
    const int refusal = files_.write(policy, file, value);
    writing_ms += cpu_ms() - begin;
    return refusal;
  }

  double writing_ms = 0;

 private:
  frequency::SysfsCpufreq files_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

void measure(const fs::path& scratch, std::uint32_t pus) {
  const fs::path sysfs = scratch / fmt::format("sys{}", pus);
  make_sysfs(sysfs, pus);
  TimedFiles files(sysfs);
  frequency::FrequencyControl::Settings settings;
  settings.journal_directory = scratch / "journal";
  settings.site = frequency::ClockLimits{1'200'000, 2'400'000};
  frequency::FrequencyControl control(files, settings);
  frequency::Claim claim;
  claim.owner = processes::own_identity();
  PuSet all;
  for (std::uint32_t pu = 0; pu < pus; ++pu) {
    claim.limits[pu] = {1'500'000, 1'500'000};
    all.add(pu);
  }
  std::vector<double> cores;
  std::vector<double> claims;
  std::vector<double> releases;
  std::vector<double> writes;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_ms();
    if (hardware::physical_cores(sysfs).size() != pus / 2) throw Error("not all cores were found");
    const double claiming = cpu_ms();
    files.writing_ms = 0;
    const frequency::FrequencyReport claimed = control.claim(claim, all);
    const double releasing = cpu_ms();
    const double writing = files.writing_ms;
    const frequency::FrequencyReport released =
        control.release([](const frequency::Claim&) { return true; });
    const double end = cpu_ms();
    if (!claimed.failures.empty() || !claimed.differences.empty() || !released.not_put_back.empty())
      throw Error("the clocks were not set or not put back");
    cores.push_back(claiming - begin);
    claims.push_back(releasing - claiming - writing);
    releases.push_back(end - releasing - (files.writing_ms - writing));
    writes.push_back(files.writing_ms);
  }
  fmt::print("{:>5} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}\n", pus, median(cores), median(claims),
             median(releases), median(writes));
}

int run() {
  std::string scratch = "/dev/shm/huddle-hooks-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) throw SystemError("make", scratch, errno);
  fmt::print("CPU time in ms, median of {} rounds\n{:>5} {:>10} {:>10} {:>10} {:>10}\n", kRounds,
             "PUs", "cores", "claim", "put back", "writes");
  try {
    for (const std::uint32_t pus : {16U, 64U, 256U}) measure(scratch, pus);
  } catch (...) {
    fs::remove_all(scratch);
    throw;
  }
  fs::remove_all(scratch);
  return 0;
}

}  // namespace
}  // namespace huddle

int main() {
  try {
    return huddle::run();
  } catch (const huddle::Error& error) {
    fmt::print(stderr, "hook_cost: {}\n", error.what());
    return 1;
  }
}
