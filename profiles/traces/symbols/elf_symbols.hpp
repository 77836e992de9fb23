#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace huddle {

/// The names of the functions that hold `addresses` (virtual, as in the file), as the file's symbol
/// tables have them: .symtab, and .dynsym for what that does not know. Empty where none does. The
/// file is an ELF file of this machine's kind, or nothing is known of it; it may hold anything and
/// be changed meanwhile. Memory grows with the addresses, not with the file. Throws SystemError if
/// it can't be read.
std::vector<std::string> elf_symbols(const std::filesystem::path& file,
                                     std::span<const std::uint64_t> addresses);

}  // namespace huddle
