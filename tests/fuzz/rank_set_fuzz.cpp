#include "profiles/vocabulary/rank_set.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any text is a set of ranks that survives its list form, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  constexpr std::uint32_t kLimit = 4000000000U;
  const auto set = parsed([&] { return RankSet::parse(as_text(data, size), kLimit); });
  if (!set) return 0;
  const auto& runs = set->runs();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    demand(runs[i].first <= runs[i].last && runs[i].last < kLimit);
    demand((runs[i].last - runs[i].first) % runs[i].stride == 0);
    demand(i == 0 || runs[i - 1].last < runs[i].first);
    demand(set->contains({runs[i].first}) && set->contains({runs[i].last}));
  }
  demand(set->empty() == (set->size() == 0));
  demand(RankSet::parse(set->list(), kLimit) == *set);
  return 0;
}
