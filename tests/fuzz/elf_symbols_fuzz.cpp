#include "profiles/traces/symbols/function_names.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/fuzz/fuzz_input.hpp"

/// Any file has a name or none for each address; what it says of a name is made readable.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  static const int file = ::memfd_create("program", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  demand(::ftruncate(file, 0) == 0);
  demand(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  constexpr std::array<std::uint64_t, 5> kAddresses{0, 8, 0x40, 0x1139, ~std::uint64_t{0}};
  const auto symbols = parsed([&] { return traces::elf_symbols(path, kAddresses); });
  if (!symbols) return 0;
  demand(symbols->size() == kAddresses.size());
  for (const std::string& symbol : *symbols) {
    demand(symbol.size() <= size);
    demand(traces::readable_function(symbol).find('\n') == std::string::npos);
  }
  return 0;
}
