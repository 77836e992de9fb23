#include "aggregator/waitstates/sources/elf_links.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "profiles/executables/build_id.hpp"
#include "profiles/files/open_file.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// An ELF file that is open for reading; null for anything else.
class OpenElf {
 public:
  explicit OpenElf(const fs::path& file)
      : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), file.string()) {
    if (file_.descriptor() < 0 || !S_ISREG(file_.status().st_mode)) return;
    if (elf_version(EV_CURRENT) == EV_NONE) return;
    elf_.reset(elf_begin(file_.descriptor(), ELF_C_READ, nullptr));
    if (elf_ && elf_kind(elf_.get()) != ELF_K_ELF) elf_.reset();
  }
  [[nodiscard]] Elf* get() const { return elf_.get(); }

 private:
  OpenFile file_;
  std::unique_ptr<Elf, EndElf> elf_;
};

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

// The checksum that .gnu_debuglink has (CRC-32 of ISO 3309, as zlib's).
std::uint32_t checksum_of(const fs::path& file) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = (value & 1) != 0 ? 0xedb88320U ^ value >> 1U : value >> 1U;
      table.at(i) = value;
    }
    return table;
  }();
  const OpenFile opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC), file.string());
  std::uint32_t sum = UINT32_MAX;
  std::array<unsigned char, 65536> bytes{};
  for (;;) {
    const ssize_t got =
        opened.descriptor() < 0 ? 0 : ::read(opened.descriptor(), bytes.data(), bytes.size());
    if (got <= 0) return ~sum;
    for (ssize_t i = 0; i < got; ++i)
      sum = kTable.at((sum ^ bytes.at(static_cast<std::size_t>(i))) & 0xffU) ^ sum >> 8U;
  }
}

fs::path debug_file_by_id(const std::string& id, const fs::path& folder) {
  if (id.size() < 4) return {};
  fs::path file = folder / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug");
  return is_file(file) && build_id_of_file(file.string()) == id ? file : fs::path();
}

}  // namespace

fs::path split_debug_file(const fs::path& file, const fs::path& folder) {
  const std::string id = build_id_of_file(file.string());
  if (fs::path found = debug_file_by_id(id, folder); !found.empty()) return found;
  const OpenElf elf(file);
  GElf_Word sum = 0;
  const char* const link =
      elf.get() == nullptr ? nullptr : dwelf_elf_gnu_debuglink(elf.get(), &sum);
  // A name, and no path: a file must not send us anywhere.
  if (link == nullptr || *link == '\0' || std::string_view(link).find('/') != std::string::npos)
    return {};
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) return {};
  const fs::path beside = real.parent_path();
  for (const fs::path& found :
       {beside / link, beside / ".debug" / link, folder / beside.relative_path() / link})
    if (is_file(found) && found != real && checksum_of(found) == sum) return found;
  return {};
}

namespace {

struct Needs {
  std::vector<std::string> libraries;
  std::vector<fs::path> folders;
};

void add_folders(std::string_view list, const fs::path& origin, std::vector<fs::path>& folders) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    std::string folder(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    for (const std::string_view name : {"$ORIGIN", "${ORIGIN}"})
      if (const std::size_t at = folder.find(name); at != std::string::npos)
        folder.replace(at, name.size(), origin.string());
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const fs::path& origin,
                  Needs& needs) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  const std::size_t entry = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
  if (data == nullptr || entry == 0) return;
  constexpr std::size_t kMostEntries = 10'000;
  constexpr std::size_t kLongest = 4096;
  constexpr std::size_t kMostNeeds = 1000;
  const std::size_t entries =
      std::min<std::size_t>(static_cast<std::size_t>(header.sh_size) / entry, kMostEntries);
  for (std::size_t i = 0; i < entries; ++i) {
    GElf_Dyn dynamic;
    if (gelf_getdyn(data, static_cast<int>(i), &dynamic) == nullptr || dynamic.d_tag == DT_NULL)
      return;
    const auto tag = dynamic.d_tag;
    if (tag != DT_NEEDED && tag != DT_RUNPATH && tag != DT_RPATH) continue;
    const char* const text =
        elf_strptr(elf, header.sh_link, static_cast<std::size_t>(dynamic.d_un.d_val));
    if (text == nullptr || strnlen(text, kLongest) == kLongest) continue;
    if (needs.libraries.size() + needs.folders.size() >= kMostNeeds) return;
    if (tag == DT_NEEDED)
      needs.libraries.emplace_back(text);
    else
      add_folders(text, origin, needs.folders);
  }
}

Needs needs_of(const fs::path& file) {
  Needs needs;
  const OpenElf elf(file);
  if (elf.get() == nullptr) return needs;
  std::error_code error;
  const fs::path origin = fs::canonical(file, error).parent_path();
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
    read_dynamic(elf.get(), section, header, origin, needs);
    break;  // a file has one
  }
  return needs;
}

}  // namespace

std::vector<fs::path> libraries_of_program(const fs::path& program) {
  constexpr std::size_t kMost = 100;
  std::vector<fs::path> found;
  std::vector<fs::path> folders;
  for (std::size_t at = 0; at <= found.size() && found.size() < kMost; ++at) {
    const Needs needs = needs_of(at == 0 ? program : found[at - 1]);
    // The loader looks into the program's folders for its libraries' needs, too (DT_RPATH).
    std::vector<fs::path> here = needs.folders;
    if (at == 0) folders = needs.folders;
    here.insert(here.end(), folders.begin(), folders.end());
    for (const std::string& name : needs.libraries) {
      if (name.find('/') != std::string::npos) continue;
      const auto folder =
          std::ranges::find_if(here, [&](const fs::path& each) { return is_file(each / name); });
      if (folder == here.end()) continue;
      const fs::path library = *folder / name;
      if (std::ranges::find(found, library) == found.end() && found.size() < kMost)
        found.push_back(library);
    }
  }
  return found;
}

}  // namespace huddle
