#include "aggregator/balance/load_table.hpp"

#include <cmath>

#include "tests/fuzz/fuzz_input.hpp"

/// Any text is either a table whose every load is a time of an object on one of its processors, or
/// a huddle::Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto table =
      parsed([&] { return balance::parse_load_table(as_text(data, size), "loads"); });
  if (!table) return 0;
  demand(table->processors > 0 && table->objects() > 0 && table->iterations() > 0);
  demand(table->loads.size() == table->iterations() * table->objects());
  for (const std::uint32_t processor : table->processor_of) demand(processor < table->processors);
  for (const double load : table->loads) demand(std::isfinite(load) && load >= 0);
  return 0;
}
