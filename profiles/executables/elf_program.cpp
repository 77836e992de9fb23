#include "profiles/executables/elf_program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace huddle::executables {
namespace {

// Hostile files could say that they have more; no program does.
constexpr std::size_t kMostSegments = 512;
constexpr std::size_t kMostDynamicEntries = 4096;
constexpr std::uint64_t kMostNames = std::uint64_t{256} << 20U;

constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOwnOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

constexpr std::array<std::string_view, 6> kRuntimes = {
    "libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so", "libmsan.so", "libclang_rt."};
// With the zero byte that ends them in a table of names. clang links runtimes statically.
constexpr std::array<std::string_view, 5> kInitialisers = {
    std::string_view("__asan_init\0", 12), std::string_view("__tsan_init\0", 12),
    std::string_view("__msan_init\0", 12), std::string_view("__lsan_init\0", 12),
    std::string_view("__hwasan_init\0", 14)};
// Functions of runtimes that no program calls, so that none has their names but with their code.
constexpr std::array<std::string_view, 2> kOpenmpInternals = {
    std::string_view("\0gomp_team_start\0", 17),
    std::string_view("\0__kmp_invoke_microtask\0", 24)};
constexpr std::size_t kLongestName = 24;

bool read_at(int file, std::uint64_t offset, void* into, std::size_t size) noexcept {
  if (offset > std::uint64_t{1} << 62U) return false;
  auto* bytes = static_cast<std::byte*>(into);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(file, bytes + done, size - done, static_cast<off_t>(offset + done));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// Up to `size` bytes, fewer at the end of the file.
std::size_t read_some(int file, std::uint64_t offset, char* into, std::size_t size) noexcept {
  if (offset > std::uint64_t{1} << 62U) return 0;
  const ssize_t got = ::pread(file, into, size, static_cast<off_t>(offset));
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// An ELF file of this process's class and byte order.
class NativeElf {
 public:
  NativeElf(int file, const ElfW(Ehdr) & header) : file_(file), header_(header) {}

  // Reads what the file says of itself; false if that does not hold.
  bool read(ElfProgram& program) noexcept {
    if (header_.e_phentsize != sizeof(ElfW(Phdr)) || header_.e_phnum > kMostSegments) return false;
    if (!read_loader(program)) return false;
    if (!read_dynamic(program)) return false;
    // A program that was not stripped has more names than those of its dynamic section.
    program.sanitizer = program.sanitizer || has_symbol(kInitialisers);
    return true;
  }

  // True if a symbol of its has one of these names; a file may have no symbols but those of its
  // dynamic section.
  [[nodiscard]] bool has_symbol(std::span<const std::string_view> names) const noexcept {
    if (header_.e_shentsize != sizeof(ElfW(Shdr))) return false;
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      ElfW(Shdr) symbols{};
      ElfW(Shdr) table{};
      if (!section(i, symbols)) return false;  // only linkers and debuggers need sections
      if (symbols.sh_type != SHT_SYMTAB || !section(symbols.sh_link, table)) continue;
      return has_name({table.sh_offset, table.sh_size}, names);
    }
    return false;
  }

 private:
  bool segment(std::size_t index, ElfW(Phdr) & into) const noexcept {
    return read_at(file_, header_.e_phoff + index * sizeof into, &into, sizeof into);
  }

  bool read_loader(ElfProgram& program) const noexcept {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      ElfW(Phdr) each{};
      if (!segment(i, each)) return false;
      if (each.p_type != PT_INTERP) continue;
      std::array<char, 512> path{};
      const std::size_t size = std::min<std::uint64_t>(each.p_filesz, path.size());
      if (!read_at(file_, each.p_offset, path.data(), size)) return false;
      std::string_view whole(path.data(), size);
      whole = whole.substr(0, whole.find('\0'));
      whole = whole.substr(whole.rfind('/') + 1).substr(0, program.loader.size() - 1);
      std::copy(whole.begin(), whole.end(), program.loader.begin());
      return true;
    }
    return true;
  }

  // Where the file has what is loaded to `address`; nothing if no segment is.
  bool place_of(std::uint64_t address, std::uint64_t& offset) const noexcept {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      ElfW(Phdr) each{};
      if (!segment(i, each)) return false;
      if (each.p_type != PT_LOAD || address < each.p_vaddr ||
          address - each.p_vaddr >= each.p_filesz)
        continue;
      offset = each.p_offset + (address - each.p_vaddr);
      return true;
    }
    return false;
  }

  // Calls `use` with each entry of the dynamic section until it returns false; false if unreadable.
  template <class Use>
  bool for_each_dynamic(const Section& dynamic, Use use) const noexcept {
    const std::size_t count =
        std::min<std::uint64_t>(dynamic.size / sizeof(ElfW(Dyn)), kMostDynamicEntries);
    for (std::size_t i = 0; i < count; ++i) {
      ElfW(Dyn) entry{};
      if (!read_at(file_, dynamic.offset + i * sizeof entry, &entry, sizeof entry)) return false;
      if (entry.d_tag == DT_NULL || !use(entry)) return true;
    }
    return true;
  }

  bool read_dynamic(ElfProgram& program) const noexcept {
    Section dynamic;
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      ElfW(Phdr) each{};
      if (!segment(i, each)) return false;
      if (each.p_type == PT_DYNAMIC) dynamic = {each.p_offset, each.p_filesz};
    }
    if (dynamic.size == 0) return true;
    std::uint64_t address = 0;
    Section names;
    if (!for_each_dynamic(dynamic, [&](const ElfW(Dyn) & entry) {
          if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
          if (entry.d_tag == DT_STRSZ) names.size = entry.d_un.d_val;
          return true;
        }))
      return false;
    if (names.size == 0) return true;
    if (!place_of(address, names.offset)) return false;
    const bool readable = for_each_dynamic(dynamic, [&](const ElfW(Dyn) & entry) {
      if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < names.size)
        program.sanitizer = program.sanitizer || names_runtime(names.offset + entry.d_un.d_val);
      return true;
    });
    if (!readable) return false;
    program.sanitizer = program.sanitizer || has_name(names, kInitialisers);
    return true;
  }

  [[nodiscard]] bool names_runtime(std::uint64_t offset) const noexcept {
    std::array<char, 256> name{};
    const std::size_t size = read_some(file_, offset, name.data(), name.size() - 1);
    return is_sanitizer_runtime(std::string_view(name.data(), size)
                                    .substr(0, std::string_view(name.data(), size).find('\0')));
  }

  [[nodiscard]] bool section(std::size_t index, ElfW(Shdr) & into) const noexcept {
    return index < header_.e_shnum &&
           read_at(file_, header_.e_shoff + index * sizeof into, &into, sizeof into);
  }

  // Searches the table piece by piece; pieces overlap, so that no name is cut.
  [[nodiscard]] bool has_name(const Section& table,
                              std::span<const std::string_view> names) const noexcept {
    std::array<char, 8192> piece{};
    const std::uint64_t size = std::min(table.size, kMostNames);
    for (std::uint64_t done = 0; done < size;) {
      const std::size_t wanted = std::min<std::uint64_t>(piece.size(), size - done);
      const std::size_t got = read_some(file_, table.offset + done, piece.data(), wanted);
      const std::string_view text(piece.data(), got);
      for (const std::string_view name : names)
        if (text.find(name) != std::string_view::npos) return true;
      if (got <= kLongestName || got < wanted) return false;
      done += done + got >= size ? got : got - kLongestName;
    }
    return false;
  }

  int file_;
  const ElfW(Ehdr) & header_;
};

}  // namespace

bool is_sanitizer_runtime(std::string_view library) noexcept {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  return std::any_of(kRuntimes.begin(), kRuntimes.end(),
                     [&](std::string_view runtime) { return name.starts_with(runtime); });
}

bool holds_openmp_runtime(const std::string& program) {
  const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ElfW(Ehdr) header{};
  const bool holds =
      read_at(file, 0, &header, sizeof header) &&
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == kOwnClass &&
      header.e_ident[EI_DATA] == kOwnOrder && NativeElf(file, header).has_symbol(kOpenmpInternals);
  ::close(file);
  return holds;
}

ElfProgram read_elf_program(int file) noexcept {
  ElfProgram program;
  std::array<unsigned char, EI_NIDENT + 4> start{};
  if (!read_at(file, 0, start.data(), start.size()) ||
      std::memcmp(start.data(), ELFMAG, SELFMAG) != 0)
    return program;
  program.kind = ElfProgram::Kind::kElf;
  program.word_size = start[EI_CLASS];
  program.byte_order = start[EI_DATA];
  const unsigned first = start[EI_NIDENT + 2];
  const unsigned second = start[EI_NIDENT + 3];
  program.machine = static_cast<std::uint16_t>(
      program.byte_order == ELFDATA2MSB ? first << 8U | second : second << 8U | first);
  if (program.word_size != kOwnClass || program.byte_order != kOwnOrder) return program;
  ElfW(Ehdr) header{};
  if (!read_at(file, 0, &header, sizeof header) || !NativeElf(file, header).read(program))
    program.kind = ElfProgram::Kind::kBroken;
  return program;
}

}  // namespace huddle::executables
