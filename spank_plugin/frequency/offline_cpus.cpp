#include "spank_plugin/frequency/offline_cpus.hpp"

#include <fmt/format.h>

#include <array>

#include "profiles/files/kernel_file.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle {
namespace {

std::string line_of(const std::filesystem::path& path) {
  std::array<char, 4096> text{};
  const long size = read_kernel_file(path.c_str(), text.data(), text.size());
  if (size <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

// Whether what is offline may be hyperthreads: as many of each core.
bool may_be_threads(const std::string& smt, std::size_t present, std::size_t online) {
  return smt != "on" && smt != "notsupported" && online != 0 && present % online == 0;
}

}  // namespace

std::string why_cores_have_other_numbers(const std::filesystem::path& sysfs) {
  const std::filesystem::path root = sysfs / "devices/system/cpu";
  const PuSet online = PuSet::parse(line_of(root / "online"));
  const PuSet present = PuSet::parse(line_of(root / "present"));
  PuSet offline;
  for (const std::uint32_t pu : present.members())
    if (!online.contains(pu)) offline.add(pu);
  const std::string smt = line_of(root / "smt/control");
  if (offline.empty() || may_be_threads(smt, present.size(), online.size())) return {};
  return fmt::format("CPUs {} are switched off, so cores may have other numbers than Slurm's",
                     offline.list());
}

}  // namespace huddle
