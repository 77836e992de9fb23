#include "spank_plugin/runtime/packing/packing_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace huddle::runtime {
namespace {

/// The values that name no place.
struct Binding {
  const char* variable;
  std::array<std::string_view, 2> says_nothing;
};
constexpr std::array<Binding, 4> kBindings = {{{"OMP_PROC_BIND", {"false", "FALSE"}},
                                               {"OMP_PLACES", {}},
                                               {"GOMP_CPU_AFFINITY", {}},
                                               {"KMP_AFFINITY", {"none", "disabled"}}}};

bool equal_but_for_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

// More looks cost more than a region of 30 us takes.
bool spins_for_long(const Environment& environment) {
  constexpr std::uint64_t kMostLooks = 1000;
  if (!text_of(environment, "GOMP_SPINCOUNT").empty()) {
    const auto looks = number_of<std::uint64_t>(environment, "GOMP_SPINCOUNT");
    return !looks || *looks > kMostLooks;
  }
  const std::string_view policy = text_of(environment, "OMP_WAIT_POLICY");
  return policy != "passive" && policy != "PASSIVE";
}

std::string why_not_packed(const Environment& environment, bool libgomp) {
  for (const Binding& binding : kBindings) {
    const std::string_view value = text_of(environment, binding.variable);
    if (value.empty() || value == binding.says_nothing[0] || value == binding.says_nothing[1])
      continue;
    return fmt::format("{} says where threads run", binding.variable);
  }
  if (libgomp && spins_for_long(environment))
    return "its threads look for work for long before they sleep (GOMP_SPINCOUNT)";
  if (libgomp) return {};
  const std::string_view yields = text_of(environment, "KMP_USE_YIELD");
  if (!yields.empty() && yields != "1")
    return "its threads look for work without letting others run (KMP_USE_YIELD)";
  // Then libomp lets others run only where it has more threads than processors itself.
  if (yields.empty() && (equal_but_for_case(text_of(environment, "OMP_WAIT_POLICY"), "active") ||
                         equal_but_for_case(text_of(environment, "KMP_LIBRARY"), "turnaround")))
    return "its threads look for work without letting others run (OMP_WAIT_POLICY, KMP_LIBRARY)";
  return {};
}

}  // namespace huddle::runtime
