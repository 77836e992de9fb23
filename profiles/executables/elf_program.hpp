#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace huddle::executables {

/// Facts from an ELF file about how it is loaded and what is linked into it.
struct ElfProgram {
  enum class Kind : std::uint8_t {
    kOther,   ///< no ELF file
    kBroken,  ///< an ELF file whose tables are not where it says
    kElf,
  };
  Kind kind = Kind::kOther;
  /// EI_CLASS, EI_DATA and e_machine. The members below are known only if class and byte order are
  /// those of this process.
  std::uint8_t word_size = 0;
  std::uint8_t byte_order = 0;
  std::uint16_t machine = 0;
  /// The name of the dynamic loader that it asks for (PT_INTERP), without its folder and cut at 63
  /// characters; empty if it asks for none: it is linked statically, or is a library.
  std::array<char, 64> loader{};
  /// True if the runtime of a sanitizer is needed (DT_NEEDED) or linked in: one that must be loaded
  /// first (ASan, TSan, MSan, LSan, HWASan), or that takes calls of libraries that were not
  /// compiled for it as errors.
  bool sanitizer = false;

  [[nodiscard]] std::string_view loader_name() const { return loader.data(); }
};

/// Reads what is needed of an open file, whose position stays. What can't be read counts as broken.
/// Allocates nothing and calls async-signal-safe functions only: it can be called between fork()
/// and exec(), and in any process.
ElfProgram read_elf_program(int file) noexcept;

/// True if the ELF file `program` has an OpenMP runtime linked into it: libgomp, or LLVM's or
/// Intel's. Known only of programs that were not stripped; false of all others, and of what can't
/// be read.
bool holds_openmp_runtime(const std::string& program);

/// True if a library of this name, with or without a folder, is the runtime of a sanitizer.
bool is_sanitizer_runtime(std::string_view library) noexcept;

}  // namespace huddle::executables
