#include "tests/benchmark/benchmark_main.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <exception>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

std::uint64_t number_from(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(fmt::format("\"{}\" is no number from {} to {}", text, least, most));
  return value;
}

int benchmark_main(std::string_view name, std::string_view usage, int argc, const char* const* argv,
                   const std::function<void(const std::vector<std::string_view>&)>& body) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string_view>{"--help"}) {
    fmt::print("{}", usage);
    return 0;
  }
  try {
    body(arguments);
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "{}: {}\n{}", name, error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace huddle
