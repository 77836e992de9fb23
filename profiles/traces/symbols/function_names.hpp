#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::traces {

/// The names of the functions that hold `addresses` (virtual, as in the file), as the file's symbol
/// tables have them: .symtab, and .dynsym for what that does not know. Empty where none does. The
/// file is an ELF file of this machine's kind, or nothing is known of it; it may hold anything and
/// be changed meanwhile. Memory grows with the addresses, not with the file. Throws SystemError if
/// it can't be read.
std::vector<std::string> elf_symbols(const std::filesystem::path& file,
                                     std::span<const std::uint64_t> addresses);

/// A name for people, of a name as linkers know it: C++ demangled; `solver_` of Fortran as
/// "solver", `__heat_MOD_step` as "heat::step", `MAIN__` as "MAIN"; without what compilers add to
/// clones ("step.constprop.0").
std::string readable_function(std::string_view symbol);

/// Of each address (virtual, as in the file) in a program or library, the function around it as
/// readable_function() names it; "program+0x2f4a" where the file does not know (it is stripped, or
/// gone). One name for each address.
std::vector<std::string> function_names(const std::filesystem::path& module,
                                        std::span<const std::uint64_t> addresses);

}  // namespace huddle::traces
