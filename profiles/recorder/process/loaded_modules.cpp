#include "profiles/recorder/process/loaded_modules.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/executables/build_id.hpp"

namespace huddle::recorder {
namespace {

struct Search {
  const std::vector<PhaseGroup>& groups;
  const std::vector<OpenMpRegion>& regions;
  std::filesystem::path program;
  std::string program_name;
  std::vector<ProgramModule> found;
};

bool is_named(const Search& search, const std::string& name) {
  const std::string place = " " + name + "+0x";
  const bool has_region = std::any_of(
      search.regions.begin(), search.regions.end(),
      [&](const OpenMpRegion& region) { return region.place.find(place) != std::string::npos; });
  const std::vector<PhaseGroup>& groups = search.groups;
  return has_region || std::any_of(groups.begin(), groups.end(), [&](const PhaseGroup& group) {
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

// The program itself, which comes first, has no name here. The loader's lock is held: nothing of
// the loader's may be called.
int look_at(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  Search& search = *static_cast<Search*>(argument);
  try {
    const bool program = *object->dlpi_name == '\0';
    const std::filesystem::path path = program ? search.program : object->dlpi_name;
    const std::string name = program ? search.program_name : path.filename().string();
    if (!name.empty() && is_named(search, name))
      search.found.push_back({name, path, build_id_of(*object), first_address(*object)});
    return 0;
  } catch (...) {
    return 1;
  }
}

// As descriptions have it: it may be a link's, by which the program was started.
std::string name_of_program() {
  Dl_info info{};
  const auto* const own =
      reinterpret_cast<const void*>(::getauxval(AT_PHDR));  // NOLINT: an address
  if (::dladdr(own, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).filename();
}

}  // namespace

std::string build_id_of(const dl_phdr_info& object) {
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* begin =
        reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);  // NOLINT: an address
    std::string text = executables::build_id_in_notes({begin, segment.p_memsz});
    if (!text.empty()) return text;
  }
  return {};
}

std::vector<ProgramModule> modules_named_in(const std::vector<PhaseGroup>& groups,
                                            const std::vector<OpenMpRegion>& regions) {
  if (groups.empty() && regions.empty()) return {};
  std::error_code unknown;
  Search search{groups,
                regions,
                std::filesystem::read_symlink("/proc/self/exe", unknown),
                name_of_program(),
                {}};
  dl_iterate_phdr(look_at, &search);
  std::sort(search.found.begin(), search.found.end());
  search.found.erase(std::unique(search.found.begin(), search.found.end()), search.found.end());
  return search.found;
}

}  // namespace huddle::recorder
