#include "profiles/traces/symbols/function_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "profiles/traces/symbols/elf_symbols.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kLongestName = 500;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

bool digits_only(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isdigit(letter) != 0;
  });
}

// ".constprop.0", ".isra.3.cold" and the number that gfortran gives to contained procedures.
std::string_view without_clone(std::string_view symbol) {
  for (;;) {
    const std::size_t dot = symbol.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return symbol;
    const std::string_view last = symbol.substr(dot + 1);
    const bool word = last == "constprop" || last == "isra" || last == "part" || last == "cold" ||
                      last == "lto_priv";
    if (!word && !digits_only(last)) return symbol;
    // ._omp_fn.0 and the like are functions of their own.
    if (digits_only(last) && symbol.substr(0, dot).ends_with("_fn")) return symbol;
    symbol = symbol.substr(0, dot);
  }
}

std::string demangled(std::string_view symbol) {
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? std::string(text.get()) : std::string{};
}

std::string fortran(std::string_view symbol) {
  if (symbol == "MAIN__") return "MAIN";
  const std::size_t module_end = symbol.find("_MOD_");
  if (symbol.starts_with("__") && module_end != std::string_view::npos && module_end > 2)
    return fmt::format("{}::{}", symbol.substr(2, module_end - 2), symbol.substr(module_end + 5));
  if (symbol.size() > 1 && symbol.ends_with('_') && !symbol.starts_with('_'))
    symbol.remove_suffix(1);
  return std::string(symbol);
}

}  // namespace

std::string readable_function(std::string_view symbol) {
  const std::string_view plain = without_clone(symbol);
  std::string name;
  if (plain.starts_with("_Z")) name = demangled(plain);
  if (name.empty()) name = fortran(plain);
  return shortened(name, kLongestName);
}

std::vector<std::string> function_names(const std::filesystem::path& module,
                                        std::span<const std::uint64_t> addresses) {
  std::vector<std::string> names;
  try {
    names = elf_symbols(module, addresses);
  } catch (const Error&) {  // the addresses will do
    names.resize(addresses.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = names[i].empty()
                   ? shortened(fmt::format("{}+{:#x}", module.filename().string(), addresses[i]),
                               kLongestName)
                   : readable_function(names[i]);
  return names;
}

}  // namespace huddle
