#include "aggregator/commands/show/place_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <set>

#include "profiles/executables/build_id.hpp"
#include "profiles/traces/symbols/function_names.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// A profile names what its user liked: root opens none of it but its own.
bool may_be_read(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
         (::geteuid() != 0 || file.st_uid == 0);
}

// Calls visit(place) for each of a description, "halo+0x2f4a", and visit_other(text) for the rest.
template <class Visit, class VisitOther>
void split(std::string_view description, const Visit& visit, const VisitOther& visit_other) {
  while (!description.empty()) {
    const std::size_t end = description.find(' ');
    const std::string_view word = description.substr(0, end);
    word.find("+0x") == std::string_view::npos ? visit_other(word) : visit(word);
    if (end == std::string_view::npos) return;
    visit_other(description.substr(end, 1));
    description.remove_prefix(end + 1);
  }
}

using PlacesByModule = std::map<std::string, std::set<std::string>, std::less<>>;

// The place in "region at halo+0x1406".
std::string_view function_of(std::string_view region) {
  constexpr std::string_view kPrefix = "region at ";
  return region.starts_with(kPrefix) ? region.substr(kPrefix.size()) : region;
}

void add_place(std::string_view place, PlacesByModule& places) {
  const std::size_t number = place.rfind("+0x");
  if (number != std::string_view::npos) places[std::string(place.substr(0, number))].emplace(place);
}

// The number of a place in the file; 0 if it is none.
std::uint64_t address_in_file(std::string_view place, const ProgramModule& module) {
  const std::size_t number = place.rfind("+0x") + 3;
  std::uint64_t offset = 0;
  std::from_chars(place.data() + number, place.data() + place.size(), offset, 16);
  return offset == 0 ? 0 : offset + module.first_address;
}

// Calls use(place, symbol) for those that have one. Return addresses follow their call, so that
// `before` is 1 for them.
template <class Use>
void name_places(const ProgramModule& module, const PlacesByModule& places, std::uint64_t before,
                 const Use& use) {
  const auto own = places.find(module.name);
  if (own == places.end()) return;
  std::vector<std::uint64_t> addresses;
  for (const std::string& place : own->second) {
    const std::uint64_t address = address_in_file(place, module);
    addresses.push_back(address == 0 ? 0 : address - before);
  }
  try {
    const std::vector<std::string> symbols = traces::elf_symbols(module.path, addresses);
    std::size_t i = 0;
    for (const std::string& place : own->second)
      if (const std::string& symbol = symbols[i++]; !symbol.empty()) use(place, symbol);
  } catch (const Error&) {  // the places will do
  }
}

// The function of GCC's "solve._omp_fn.3"; what clang calls "solve.omp_outlined.1" stays.
std::string readable_region(const std::string& symbol) {
  constexpr std::string_view kMark = "._omp_fn.";
  const std::size_t mark = symbol.find(kMark);
  if (mark == std::string::npos) return traces::readable_function(symbol);
  return fmt::format("{}, region {}", traces::readable_function(symbol.substr(0, mark)),
                     symbol.substr(mark + kMark.size()));
}

}  // namespace

PlaceNames::PlaceNames(const Profile& profile) {
  PlacesByModule calls;
  PlacesByModule regions;
  for (const PhaseGroup& group : profile.shared.phase_groups)
    for (const std::string& description : {group.begin, group.end})
      split(
          description, [&](std::string_view place) { add_place(place, calls); },
          [](std::string_view) {});
  for (const OpenMpRegion& region : profile.shared.openmp_regions)
    add_place(function_of(region.place), regions);
  for (const ProgramModule& module : profile.shared.modules) {
    if (!calls.contains(module.name) && !regions.contains(module.name)) continue;
    if (module.build_id.empty() || !may_be_read(module.path) ||
        executables::build_id_of_file(module.path) != module.build_id)
      continue;
    name_places(module, calls, 1, [&](const std::string& place, const std::string& symbol) {
      functions_.emplace(place, traces::readable_function(symbol));
    });
    name_places(module, regions, 0, [&](const std::string& place, const std::string& symbol) {
      regions_.emplace(place, readable_region(symbol));
    });
  }
}

std::string PlaceNames::named_region(std::string_view place) const {
  const std::string_view function = function_of(place);
  const auto known = regions_.find(function);
  return known == regions_.end() ? std::string(function)
                                 : fmt::format("{} ({})", known->second, function);
}

// Two calls of one function differ in the innermost place.
std::string PlaceNames::named(std::string_view description) const {
  std::string text;
  bool innermost = true;
  split(
      description,
      [&](std::string_view place) {
        const auto function = functions_.find(place);
        if (function == functions_.end())
          text += place;
        else if (innermost)
          text += fmt::format("{} ({})", function->second, place);
        else
          text += function->second;
        innermost = false;
      },
      [&](std::string_view other) { text += other; });
  constexpr std::string_view kStart = " < _start";  // what calls main
  if (text.ends_with(kStart)) text.resize(text.size() - kStart.size());
  return text;
}

}  // namespace huddle::cli
