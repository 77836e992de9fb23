#include "profiles/traces/symbols/function_names.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
namespace {

constexpr std::size_t kLongestName = 16'384;
constexpr std::uint64_t kMostSections = 1U << 20U;

// A file that is read at places which it names itself: any place may be out of it.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path.string()),
        name_(path.string()) {
    if (file_.descriptor() < 0) throw SystemError("open", name_, errno);
    const struct stat status = file_.status();
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // How many bytes there were.
  std::size_t read(std::uint64_t at, void* into, std::size_t size) const {
    if (at >= size_) return 0;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, size_ - at));
    std::size_t done = 0;
    while (done < size) {
      const ssize_t more = ::pread(file_.descriptor(), static_cast<char*>(into) + done, size - done,
                                   static_cast<off_t>(at + done));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) throw SystemError("read", name_, errno);
      if (more == 0) break;
      done += static_cast<std::size_t>(more);
    }
    return done;
  }

  template <class Record>
  [[nodiscard]] std::optional<Record> record(std::uint64_t at) const {
    Record record;
    if (read(at, &record, sizeof record) != sizeof record) return {};
    return record;
  }

 private:
  files::OpenFile file_;
  std::string name_;
  std::uint64_t size_ = 0;
};

bool of_this_machine(const Elf64_Ehdr& header) {
  const unsigned char order =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

// The best symbol for an address so far.
struct Finding {
  std::uint64_t address = 0;
  std::size_t index = 0;  // of the caller's list
  bool found = false;
  int rank = 0;  // how good: names that are seen from outside before others
  std::uint64_t size = 0;
  std::uint64_t name_at = 0;   // in the file
  std::uint64_t name_end = 0;  // of the names' section
};

int rank_of(const Elf64_Sym& symbol) {
  switch (ELF64_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
      return 3;
    case STB_WEAK:
      return 2;
    default:
      return 1;
  }
}

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_size != 0;
}

// `findings` by address.
void match(const Elf64_Sym& symbol, const Elf64_Shdr& names, std::vector<Finding>& findings) {
  auto at = std::lower_bound(
      findings.begin(), findings.end(), symbol.st_value,
      [](const Finding& finding, std::uint64_t value) { return finding.address < value; });
  for (; at != findings.end() && at->address - symbol.st_value < symbol.st_size; ++at) {
    // The smallest function around an address is the innermost; aliases are of one size.
    const bool better = !at->found || symbol.st_size < at->size ||
                        (symbol.st_size == at->size && rank_of(symbol) > at->rank);
    if (!better || symbol.st_name >= names.sh_size) continue;
    at->found = true;
    at->rank = rank_of(symbol);
    at->size = symbol.st_size;
    at->name_at = names.sh_offset + symbol.st_name;
    at->name_end = names.sh_offset + names.sh_size;
  }
}

void search_table(const ElfFile& file, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  std::vector<Finding>& findings) {
  if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_offset > file.size() ||
      names.sh_offset > file.size() ||
      names.sh_size > std::numeric_limits<std::uint64_t>::max() - names.sh_offset)
    return;
  std::uint64_t left = std::min(table.sh_size, file.size() - table.sh_offset) / sizeof(Elf64_Sym);
  std::uint64_t at = table.sh_offset;
  std::array<Elf64_Sym, 1024> symbols;
  while (left > 0) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, 1024));
    const std::size_t got =
        file.read(at, symbols.data(), wanted * sizeof(Elf64_Sym)) / sizeof(Elf64_Sym);
    for (std::size_t i = 0; i < got; ++i)
      if (is_function(symbols[i])) match(symbols[i], names, findings);
    if (got < wanted) return;
    at += wanted * sizeof(Elf64_Sym);
    left -= wanted;
  }
}

// Tables of one type; those of a file with many sections too.
void search_tables(const ElfFile& file, const Elf64_Ehdr& header, std::uint32_t type,
                   std::vector<Finding>& findings) {
  std::uint64_t sections = header.e_shnum;
  const auto section = [&](std::uint64_t number) {
    return file.record<Elf64_Shdr>(header.e_shoff + number * sizeof(Elf64_Shdr));
  };
  if (header.e_shoff == 0 || header.e_shoff > file.size()) return;
  if (sections == 0) {
    const auto first = section(0);
    if (first) sections = first->sh_size;
  }
  sections = std::min(sections, kMostSections);
  for (std::uint64_t i = 0; i < sections; ++i) {
    const auto table = section(i);
    if (!table) return;
    if (table->sh_type != type || table->sh_link >= sections) continue;
    if (const auto names = section(table->sh_link)) search_table(file, *table, *names, findings);
  }
}

std::string name_of(const ElfFile& file, const Finding& finding) {
  const std::uint64_t room = finding.name_end - finding.name_at;
  std::string name(static_cast<std::size_t>(std::min<std::uint64_t>(room, 256)), '\0');
  name.resize(file.read(finding.name_at, name.data(), name.size()));
  if (name.find('\0') == std::string::npos && room > 256) {
    name.resize(static_cast<std::size_t>(std::min<std::uint64_t>(room, kLongestName)));
    name.resize(file.read(finding.name_at, name.data(), name.size()));
  }
  const std::size_t end = name.find('\0');
  return end == std::string::npos ? std::string{} : name.substr(0, end);
}

}  // namespace

std::vector<std::string> elf_symbols(const std::filesystem::path& path,
                                     std::span<const std::uint64_t> addresses) {
  std::vector<std::string> names(addresses.size());
  const ElfFile file(path);
  const auto header = file.record<Elf64_Ehdr>(0);
  if (!header || !of_this_machine(*header)) return names;
  std::vector<Finding> missing;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    missing.push_back({.address = addresses[i], .index = i});
  std::sort(missing.begin(), missing.end(),
            [](const Finding& a, const Finding& b) { return a.address < b.address; });
  for (const std::uint32_t type : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    search_tables(file, *header, type, missing);
    for (const Finding& finding : missing)
      if (finding.found) names[finding.index] = name_of(file, finding);
    std::erase_if(missing, [](const Finding& finding) { return finding.found; });
  }
  return names;
}

namespace {

constexpr std::size_t kLongestShown = 500;

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
  return shortened(name, kLongestShown);
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
                               kLongestShown)
                   : readable_function(names[i]);
  return names;
}

}  // namespace huddle::traces
