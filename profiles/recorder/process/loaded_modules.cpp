#include "profiles/recorder/process/loaded_modules.hpp"

#include <link.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/executables/build_id.hpp"

namespace huddle::recorder {
namespace {

struct Search {
  const std::vector<PhaseGroup>& groups;
  std::vector<ProgramModule> found;
};

bool is_named(const std::vector<PhaseGroup>& groups, const std::string& name) {
  const std::string place = " " + name + "+0x";
  return std::any_of(groups.begin(), groups.end(), [&](const PhaseGroup& group) {
    return group.begin.find(place) != std::string::npos ||
           group.end.find(place) != std::string::npos;
  });
}

// Where dladdr() counts from: the page of the first loaded segment, as the file has it.
std::uint64_t first_address(const dl_phdr_info& object) {
  constexpr std::uint64_t kPage = 4096;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_LOAD) return object.dlpi_phdr[i].p_vaddr / kPage * kPage;
  return 0;
}

std::string build_id(const dl_phdr_info& object) {
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* begin =
        reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);  // NOLINT: an address
    std::string text = build_id_in_notes({begin, segment.p_memsz});
    if (!text.empty()) return text;
  }
  return {};
}

// The program itself comes first, and has no name here.
int look_at(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  Search& search = *static_cast<Search*>(argument);
  try {
    std::error_code unknown;
    std::filesystem::path path(object->dlpi_name);
    if (path.empty()) path = std::filesystem::read_symlink("/proc/self/exe", unknown);
    // A description has the name by which the loader knows the program, which may be a link's.
    const std::string name = path.filename();
    if (!name.empty() && is_named(search.groups, name))
      search.found.push_back({name, path, build_id(*object), first_address(*object)});
    return 0;
  } catch (...) {
    return 1;
  }
}

}  // namespace

std::vector<ProgramModule> modules_named_in(const std::vector<PhaseGroup>& groups) {
  Search search{groups, {}};
  if (!groups.empty()) dl_iterate_phdr(look_at, &search);
  std::sort(search.found.begin(), search.found.end());
  search.found.erase(std::unique(search.found.begin(), search.found.end()), search.found.end());
  return search.found;
}

}  // namespace huddle::recorder
