#include "profiles/hardware/counters/event_names.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "profiles/hardware/counters/reading.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::counters {
namespace {

struct Named {
  std::string_view name;
  std::uint64_t code;
};

constexpr std::array kHardware = {
    Named{"cycles", PERF_COUNT_HW_CPU_CYCLES},
    Named{"cpu-cycles", PERF_COUNT_HW_CPU_CYCLES},
    Named{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    Named{"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
    Named{"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
    Named{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    Named{"branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    Named{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
    Named{"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
    Named{"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
    Named{"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    Named{"idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    Named{"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    Named{"idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};

constexpr std::uint64_t kCgroupSwitches = 11;  // newer than some headers

constexpr std::array kSoftware = {
    Named{"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
    Named{"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    Named{"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    Named{"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS},
    Named{"emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS},
    Named{"cgroup-switches", kCgroupSwitches},
};

// The kernel has software events for these as well. But who may only count in user space gets 0
// context switches from them, they miss threads that are just being made, and they cost as much.
constexpr std::array kProcess = {
    std::pair{std::string_view("task-clock"), ProcessCount::kTaskClock},
    std::pair{std::string_view("page-faults"), ProcessCount::kPageFaults},
    std::pair{std::string_view("faults"), ProcessCount::kPageFaults},
    std::pair{std::string_view("minor-faults"), ProcessCount::kMinorFaults},
    std::pair{std::string_view("major-faults"), ProcessCount::kMajorFaults},
    std::pair{std::string_view("context-switches"), ProcessCount::kContextSwitches},
    std::pair{std::string_view("cs"), ProcessCount::kContextSwitches},
};

constexpr std::array kCaches = {
    Named{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, Named{"L1-icache", PERF_COUNT_HW_CACHE_L1I},
    Named{"LLC", PERF_COUNT_HW_CACHE_LL},        Named{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
    Named{"iTLB", PERF_COUNT_HW_CACHE_ITLB},     Named{"branch", PERF_COUNT_HW_CACHE_BPU},
    Named{"node", PERF_COUNT_HW_CACHE_NODE},
};

constexpr std::uint64_t of_cache(std::uint64_t operation, std::uint64_t result) {
  return operation << 8U | result << 16U;
}

constexpr std::array kCacheOperations = {
    Named{"-loads", of_cache(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Named{"-load-misses", of_cache(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    Named{"-stores", of_cache(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Named{"-store-misses", of_cache(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    Named{"-prefetches",
          of_cache(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    Named{"-prefetch-misses",
          of_cache(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS)},
};

// On hybrid machines the upper half of a generic event's code says whose it is (the kernel's
// PERF_PMU_TYPE_SHIFT).
constexpr unsigned kPmuShift = 32;

template <std::size_t Size>
std::optional<std::uint64_t> code_named(std::string_view name,
                                        const std::array<Named, Size>& names) {
  const auto* found = std::find_if(names.begin(), names.end(),
                                   [&](const Named& named) { return named.name == name; });
  if (found == names.end()) return std::nullopt;
  return found->code;
}

// A generic hardware event or one of a cache, without the PMU it is for.
std::optional<EventCode> generic_code(std::string_view name) {
  if (const auto code = code_named(name, kHardware))
    return EventCode{PERF_TYPE_HARDWARE, *code, 0, 0};
  for (const Named& cache : kCaches)
    if (name.starts_with(cache.name))
      if (const auto code = code_named(name.substr(cache.name.size()), kCacheOperations))
        return EventCode{PERF_TYPE_HW_CACHE, cache.code | *code, 0, 0};
  return std::nullopt;
}

std::optional<EventCode> raw_code(std::string_view name) {
  if (!name.starts_with('r') || name.size() < 2) return std::nullopt;
  EventCode code{PERF_TYPE_RAW, 0, 0, 0};
  const char* const last = name.data() + name.size();
  const auto [end, failure] = std::from_chars(name.data() + 1, last, code.config, 16);
  if (failure != std::errc{} || end != last) return std::nullopt;
  return code;
}

EventCode on_pmu(EventCode code, const Pmu& pmu) {
  if (code.type == PERF_TYPE_RAW)
    code.type = pmu.type();
  else
    code.config |= std::uint64_t{pmu.type()} << kPmuShift;
  return code;
}

Event named(std::string_view name, Source source) {
  Event event;
  event.name = event.asked = name;
  event.source = source;
  return event;
}

std::vector<Event> on_all_cores(std::string_view name, const EventCode& code,
                                const PmuDirectory& pmus) {
  Event event = named(name, Source::kCore);
  if (!pmus.is_hybrid()) {
    event.code = code;
    event.pmu_type = PERF_TYPE_RAW;
    return {event};
  }
  std::vector<Event> events;
  for (const Pmu& pmu : pmus.core_pmus()) {
    event.name = fmt::format("{}/{}", pmu.name(), name);
    event.code = on_pmu(code, pmu);
    event.pmu = pmu.name();
    event.pmu_type = pmu.type();
    events.push_back(event);
  }
  return events;
}

// pmu/terms/
Event of_pmu(std::string_view name, const PmuDirectory& pmus) {
  const std::size_t slash = name.find('/');
  if (name.find('/', slash + 1) != name.size() - 1 || name.size() < slash + 3)
    throw Error("not a name such as pmu/event/");
  const Pmu pmu = pmus.find(name.substr(0, slash));
  if (pmu.is_shared())
    throw Error(fmt::format("the PMU {} can't tell what one process does", pmu.name()));
  const std::string_view terms = name.substr(slash + 1, name.size() - slash - 2);
  Event event = named(name, pmu.is_core() ? Source::kCore : Source::kOther);
  event.pmu = pmu.name();
  event.pmu_type = pmu.is_core() && !pmus.is_hybrid() ? std::uint32_t{PERF_TYPE_RAW} : pmu.type();
  const auto generic = generic_code(terms);
  if (generic && pmu.is_core() && !pmu.has_event(terms))
    event.code = pmus.is_hybrid() ? on_pmu(*generic, pmu) : *generic;
  else
    event.code = pmu.encode(terms);
  return event;
}

bool is_letter_of_event(char letter) {
  constexpr std::string_view kSigns = "-_./,=:+@";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || kSigns.find(letter) != std::string_view::npos;
}

// Up to the next comma that is not between slashes.
std::string_view first_name(std::string_view text) {
  bool between_slashes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') between_slashes = !between_slashes;
    if (text[i] == ',' && !between_slashes) return text.substr(0, i);
  }
  return text;
}

void check(std::string_view name, const std::vector<std::string>& before, std::string_view where) {
  const std::string place = fmt::format("event {}", before.size() + 1);
  if (name.empty()) throw FormatError(where, place, "no name", "the name of an event");
  if (!std::all_of(name.begin(), name.end(), is_letter_of_event))
    throw FormatError(where, place, fmt::format("\"{}\"", name),
                      "a name of letters, digits and -_./,=:+@");
  if (std::count(name.begin(), name.end(), '/') % 2 != 0)
    throw FormatError(where, place, fmt::format("\"{}\"", name), "a name such as pmu/event/");
  if (std::find(before.begin(), before.end(), name) != before.end())
    throw FormatError(where, place, fmt::format("\"{}\" again", name), "each event once");
  if (before.size() == kMostEvents)
    throw FormatError(where, place, "one more", fmt::format("at most {} events", kMostEvents));
}

}  // namespace

std::vector<Event> find_event(std::string_view name, const PmuDirectory& pmus) {
  if (name.find('/') != std::string_view::npos) return {of_pmu(name, pmus)};
  for (const auto& [known, count] : kProcess) {
    if (known != name) continue;
    Event event = named(name, Source::kProcess);
    event.count = count;
    return {event};
  }
  if (const auto code = code_named(name, kSoftware)) {
    Event event = named(name, Source::kSoftware);
    event.code = {PERF_TYPE_SOFTWARE, *code, 0, 0};
    event.pmu_type = PERF_TYPE_SOFTWARE;
    event.in_kernel = *code == PERF_COUNT_SW_CPU_MIGRATIONS || *code == kCgroupSwitches;
    return {event};
  }
  if (const auto code = generic_code(name)) return on_all_cores(name, *code, pmus);
  if (const auto code = raw_code(name)) return on_all_cores(name, *code, pmus);
  throw Error("no event of this name is known");
}

std::vector<std::string> default_events() {
  return {"instructions", "cycles",      "cache-references", "cache-misses",
          "task-clock",   "page-faults", "context-switches"};
}

std::vector<std::string> parse_event_list(std::string_view text, std::string_view where) {
  std::vector<std::string> names;
  if (trimmed(text).empty()) return names;
  for (bool more = true; more;) {
    const std::string_view name = first_name(text);
    more = name.size() < text.size();
    text.remove_prefix(name.size() + (more ? 1 : 0));
    check(trimmed(name), names, where);
    names.emplace_back(trimmed(name));
  }
  return names;
}

}  // namespace huddle::counters
