#include "profiles/recorder/openmp/region_places.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/executables/elf_program.hpp"
#include "profiles/recorder/openmp/runtime_entries.hpp"
#include "profiles/recorder/process/loaded_modules.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

struct BuildIdSearch {
  std::uintptr_t address;
  std::string build_id;
};

// The loader's lock is held: nothing of the loader's may be called.
int look_for_build_id(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  auto& search = *static_cast<BuildIdSearch*>(argument);
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address - begin >= segment.p_memsz) continue;
    try {
      search.build_id = build_id_of(*object);
    } catch (...) {  // without it the place alone is the id
    }
    return 1;
  }
  return 0;
}

// `times`: of the same passes, or if none of them was timed, of more.
OpenMpRegionRecord record_of(std::uint64_t group, std::uint64_t region, const RegionPasses& passes,
                             const RegionPasses& times, const Interval& run) {
  const double tick = run.lasted(1).value;
  OpenMpRegionRecord record;
  record.group = group;
  record.region = region;
  record.passes = passes.count;
  record.untimed_passes = passes.count - passes.timed;
  if (times.timed > 0) {
    record.shortest = run.lasted(times.shortest);
    record.longest = run.lasted(times.longest);
    record.mean = std::clamp(Seconds{times.mean() * tick}, record.shortest, record.longest);
    record.variance_s2 = times.variance() * tick * tick;
  }
  record.serial.value = passes.serial_before_all() * tick;
  record.smallest_team = std::max(passes.smallest_team, 1U);
  record.largest_team = std::max(passes.largest_team, record.smallest_team);
  if (passes.observed == 0) return record;
  record.observed_passes = passes.observed;
  // All passes, by the share of those that were looked at: these need not be as long as others.
  const double share = passes.observed_ticks > 0 ? 1 / passes.observed_ticks : 0;
  record.busiest = std::min(record.mean * (passes.busiest * share), record.mean);
  record.busy = std::min(record.mean * (passes.busy * share), record.busiest);
  return record;
}

void add_counts(OpenMpRegionRecord& record, const RegionCounts& counts, const Interval& run,
                const std::function<std::vector<double>(const counters::Tally&)>& counts_of) {
  record.counted_passes = counts.passes;
  record.counted_for = counts.weight;
  record.counted_time = run.lasted(counts.ticks);
  record.counts = counts_of(counts.tally);
}

}  // namespace

const void* llvm_runtime() noexcept {
  return ::dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num");
}

OpenMpRegion region_at(std::uintptr_t function) {
  Dl_info info{};
  if (function == 0) return {hash_of("regions at other places"), "regions at other places"};
  if (::dladdr(reinterpret_cast<const void*>(function), &info) == 0 || info.dli_fname == nullptr)
    return {hash_of("region at ?"), "region at ?"};
  const std::string place =
      fmt::format("{}+0x{:x}", std::filesystem::path(info.dli_fname).filename().string(),
                  function - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  BuildIdSearch search{function, {}};
  dl_iterate_phdr(look_for_build_id, &search);
  return {hash_of(search.build_id + " " + place), "region at " + place};
}

std::string why_regions_are_missing() {
  static const bool own_runtime = executables::holds_openmp_runtime("/proc/self/exe");
  if (own_runtime)
    return "a runtime of OpenMP is linked into the program: its parallel regions can't be seen";
  if (!users_tool || llvm_runtime() == nullptr) return {};
  return "parallel regions of LLVM's or Intel's runtime of OpenMP are not recorded: another tool "
         "has "
         "the runtime's interface for tools (OMP_TOOL_LIBRARIES, ompt_start_tool or "
         "ThreadSanitizer)";
}

DescribedRegions describe(
    const RegionRecords& records, const Interval& run,
    const std::function<std::vector<double>(const counters::Tally&)>& counts_of) {
  // First: what is known of a period when its regions are read is of regions that are among them.
  const auto period = records.period();
  std::map<std::uintptr_t, std::uint64_t> ids;
  std::map<std::uint64_t, std::string> places;
  // Two functions may have one id: those whose library is not known.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Key, RegionPasses> passes;
  std::map<Key, RegionCounts> counts;
  const auto id_of = [&](std::uintptr_t function) {
    const auto known = ids.find(function);
    if (known != ids.end()) return known->second;
    OpenMpRegion region = region_at(function);
    places[region.id] = std::move(region.place);
    return ids[function] = region.id;
  };
  for (const RegionRecords::Row& row : records.rows()) {
    const Key key{row.group, id_of(row.function)};
    passes[key].add(row.passes);
    if (row.counts.passes > 0) counts[key].add(row.counts);
  }
  std::map<std::uint64_t, RegionPasses> in_all_groups;
  for (const auto& [key, total] : passes) in_all_groups[key.second].add(total);
  DescribedRegions described;
  for (const auto& [key, total] : passes) {
    const RegionPasses& times = total.timed > 0 ? total : in_all_groups[key.second];
    described.records.push_back(record_of(key.first, key.second, total, times, run));
    const auto counted = counts.find(key);
    if (counts_of && counted != counts.end())
      add_counts(described.records.back(), counted->second, run, counts_of);
  }
  // Regions beyond RegionRecords::kMost are not, and a table that is read later may lack them.
  const auto is_described = [&](std::uint64_t function) {
    return ids.contains(static_cast<std::uintptr_t>(function));
  };
  if (period && std::ranges::all_of(period->functions, is_described)) {
    RegionPeriodRecord& record = described.periods.emplace_back();
    record.first = period->first;
    record.passes = period->passes;
    for (const std::uint64_t function : period->functions)
      record.regions.push_back(id_of(static_cast<std::uintptr_t>(function)));
  }
  for (auto& [id, place] : places) described.regions.push_back({id, std::move(place)});
  return described;
}

}  // namespace huddle::recorder
