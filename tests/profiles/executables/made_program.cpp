#include "tests/profiles/executables/made_program.hpp"

#include <sys/stat.h>

#include <array>
#include <cstring>
#include <fstream>

namespace huddle::executables {
namespace {

template <class Record>
void append(std::string& bytes, const Record& record) {
  std::array<char, sizeof record> raw{};
  std::memcpy(raw.data(), &record, sizeof record);
  bytes.append(raw.data(), raw.size());
}

std::uint16_t machine_of_this_process() {
  Elf64_Ehdr own{};
  std::ifstream file("/proc/self/exe", std::ios::binary);
  file.read(reinterpret_cast<char*>(&own), sizeof own);
  return own.e_machine;
}

std::string table_of(const std::vector<std::string>& names) {
  std::string table(1, '\0');
  for (const std::string& name : names) table += name + '\0';
  return table;
}

}  // namespace

// Header, 3 segments, 3 sections, then loader, names, dynamic section, local names.
std::string MadeProgram::bytes() const {
  constexpr std::uint64_t kAddress = 0x400000;
  std::vector<std::string> dynamic_names = libraries;
  dynamic_names.insert(dynamic_names.end(), symbols.begin(), symbols.end());
  const std::string names = table_of(dynamic_names);
  const std::string local_names = table_of(local_symbols);
  const std::uint64_t body = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) + 3 * sizeof(Elf64_Shdr);
  const std::uint64_t names_at = body + loader.size() + 1;
  const std::uint64_t dynamic_at = names_at + names.size();

  std::string dynamic;
  std::uint64_t name = 1;
  for (const std::string& library : libraries) {
    append(dynamic, Elf64_Dyn{DT_NEEDED, {name}});
    name += library.size() + 1;
  }
  append(dynamic, Elf64_Dyn{DT_STRTAB, {kAddress + names_at}});
  append(dynamic, Elf64_Dyn{DT_STRSZ, {names.size()}});
  append(dynamic, Elf64_Dyn{DT_NULL, {0}});
  const std::uint64_t local_at = dynamic_at + dynamic.size();
  const std::uint64_t size = local_at + local_names.size();

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = static_cast<unsigned char>(word_size);
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = machine < 0 ? machine_of_this_process() : static_cast<std::uint16_t>(machine);
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  header.e_shoff = sizeof header + 3 * sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;

  std::string all;
  append(all, header);
  const bool dynamically_linked = !loader.empty();
  append(all, Elf64_Phdr{PT_LOAD, PF_R, 0, kAddress, kAddress, size, size, 4096});
  append(all,
         Elf64_Phdr{dynamically_linked ? PT_INTERP : static_cast<Elf64_Word>(PT_NULL), PF_R, body,
                    kAddress + body, kAddress + body, loader.size() + 1, loader.size() + 1, 1});
  append(all, Elf64_Phdr{dynamically_linked ? PT_DYNAMIC : static_cast<Elf64_Word>(PT_NULL), PF_R,
                         dynamic_at, kAddress + dynamic_at, kAddress + dynamic_at, dynamic.size(),
                         dynamic.size(), 8});
  append(all, Elf64_Shdr{});
  append(all, Elf64_Shdr{0, SHT_SYMTAB, 0, 0, 0, 0, 2, 0, 8, 24});
  append(all, Elf64_Shdr{0, SHT_STRTAB, 0, 0, local_at, local_names.size(), 0, 0, 1, 0});
  return all + loader + '\0' + names + dynamic + local_names;
}

void write_program(const std::filesystem::path& path, const std::string& bytes, unsigned mode) {
  std::ofstream(path, std::ios::binary) << bytes;
  ::chmod(path.c_str(), mode);
}

}  // namespace huddle::executables
