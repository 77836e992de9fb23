#include "profiles/import/openmpi_monitoring.hpp"

#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

void check(const std::vector<SentMessages>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    demand(cells[i].receiver.value < 4 && cells[i].messages > 0);
    demand(cells[i].size_class > 0 || cells[i].bytes.value == 0);
    demand(i == 0 || cells[i - 1].receiver < cells[i].receiver);
  }
}

}  // namespace
}  // namespace huddle

/// Any text is either what rank 1 of 4 may have written, and becomes cells that a profile may hold,
/// or a huddle::Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto rank =
      parsed([&] { return imports::parse_monitoring(as_text(data, size), "fuzz", Rank{1}, 4); });
  if (!rank) return 0;
  check(rank->record.sent);
  check(rank->record.put);
  check(rank->record.fetched);
  return 0;
}
