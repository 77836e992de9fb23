#include "aggregator/waitstates/sources/function_places.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string_view>
#include <utility>

#include "profiles/files/open_file.hpp"
#include "profiles/traces/symbols/function_names.hpp"

namespace huddle {
namespace {

struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

// Walks the debug information of a file, unit by unit.
class PlaceSearch {
 public:
  explicit PlaceSearch(const std::set<std::string>& names) : names_(names) {}

  void search(Dwarf* dwarf) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
      if (dwarf_tag(&die) == DW_TAG_compile_unit) visit_children(die, 0);
  }

  std::map<std::string, SourcePlace> take() {
    for (const std::string& name : ambiguous_) places_.erase(name);
    return std::move(places_);
  }

 private:
  // Functions stand in units, namespaces, classes, modules, and Fortran's in each other.
  static bool may_hold_functions(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_subprogram;
  }

  void visit_children(Dwarf_Die& parent, int depth) {
    constexpr int kDeepest = 50;
    Dwarf_Die die;
    if (depth == kDeepest || dwarf_child(&parent, &die) != 0) return;
    do {
      const int tag = dwarf_tag(&die);
      if (tag == DW_TAG_subprogram) note(die);
      if (may_hold_functions(tag)) visit_children(die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  static std::string string_of(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    const char* const text = dwarf_formstring(
        dwarf_attr_integrate(&die, attribute, &found) != nullptr ? &found : nullptr);
    return text == nullptr ? std::string{} : text;
  }

  // The name that its symbol has to people.
  static std::string name_of(Dwarf_Die& die) {
    Dwarf_Attribute found;
    if (dwarf_attr_integrate(&die, DW_AT_main_subprogram, &found) != nullptr) return "MAIN";
    std::string symbol = string_of(die, DW_AT_linkage_name);
    if (symbol.empty()) symbol = string_of(die, DW_AT_MIPS_linkage_name);
    if (symbol.empty()) symbol = string_of(die, DW_AT_name);
    return symbol.empty() ? symbol : readable_function(symbol);
  }

  // A declaration is no place; what has code is, or what was inlined wherever it is called.
  void note(Dwarf_Die& die) {
    Dwarf_Attribute found;
    if (dwarf_attr(&die, DW_AT_declaration, &found) != nullptr) return;
    const std::string name = name_of(die);
    if (!names_.contains(name)) return;
    const char* const file = dwarf_decl_file(&die);
    int line = 0;
    if (file == nullptr || dwarf_decl_line(&die, &line) != 0 || line <= 0) return;
    const SourcePlace place{file, static_cast<std::uint32_t>(line)};
    const auto [known, is_new] = places_.try_emplace(name, place);
    if (!is_new && known->second != place) ambiguous_.insert(name);
  }

  const std::set<std::string>& names_;
  std::map<std::string, SourcePlace> places_;
  std::set<std::string> ambiguous_;
};

// Searches the file's own debug information; false if it has none.
bool search_file(const std::filesystem::path& file, PlaceSearch& search) {
  const OpenFile opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), file.string());
  if (opened.descriptor() < 0 || !S_ISREG(opened.status().st_mode)) return false;
  const std::unique_ptr<Dwarf, EndDwarf> dwarf(dwarf_begin(opened.descriptor(), DWARF_C_READ));
  if (dwarf == nullptr) return false;
  search.search(dwarf.get());
  return true;
}

}  // namespace

std::map<std::string, SourcePlace> function_places(const std::filesystem::path& file,
                                                   const std::set<std::string>& names,
                                                   const std::filesystem::path& debug_folder) {
  PlaceSearch search(names);
  if (!search_file(file, search))
    if (const std::filesystem::path split = split_debug_file(file, debug_folder); !split.empty())
      search_file(split, search);
  return search.take();
}

}  // namespace huddle
