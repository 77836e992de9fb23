#include "profiles/executables/build_id.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace huddle::executables {
namespace {

// Hostile files could say that they have more; no program does.
constexpr std::size_t kMostNoteSegments = 512;
constexpr std::size_t kMostNotes = std::size_t{1} << 16U;

constexpr unsigned char kClassHere = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

constexpr std::size_t padded_to_4(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

bool read_whole(int file, std::uint64_t offset, void* into, std::size_t size) {
  return offset <= std::uint64_t{1} << 62U &&
         ::pread(file, into, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

std::string build_id_in(int file) {
  ElfW(Ehdr) header{};
  if (!read_whole(file, 0, &header, sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClassHere ||
      header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum > kMostNoteSegments)
    return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_whole(file, header.e_phoff + i * sizeof segment, &segment, sizeof segment)) return {};
    if (segment.p_type != PT_NOTE) continue;
    std::string notes(std::min<std::uint64_t>(segment.p_filesz, kMostNotes), '\0');
    if (!read_whole(file, segment.p_offset, notes.data(), notes.size())) return {};
    if (std::string id = build_id_in_notes(notes); !id.empty()) return id;
  }
  return {};
}

}  // namespace

std::string build_id_in_notes(std::string_view notes) {
  ElfW(Nhdr) header{};
  while (notes.size() >= sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const std::size_t name_size = padded_to_4(header.n_namesz);
    const std::size_t size = name_size + padded_to_4(header.n_descsz);
    if (size > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
      return hexadecimal(notes.substr(name_size, header.n_descsz));
    notes.remove_prefix(size);
  }
  return {};
}

std::string build_id_of_file(const std::string& program) {
  // A FIFO would wait for a writer.
  const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return {};
  std::string id = build_id_in(file);
  ::close(file);
  return id;
}

}  // namespace huddle::executables
