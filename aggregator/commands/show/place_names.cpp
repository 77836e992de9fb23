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

namespace huddle {
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

// What a place's number is in the file: just before it, as it follows its call. 0 if it is none.
std::uint64_t address_in_file(std::string_view place, const ProgramModule& module) {
  const std::size_t number = place.rfind("+0x") + 3;
  std::uint64_t offset = 0;
  std::from_chars(place.data() + number, place.data() + place.size(), offset, 16);
  return offset == 0 ? 0 : offset - 1 + module.first_address;
}

}  // namespace

PlaceNames::PlaceNames(const Profile& profile) {
  std::map<std::string, std::set<std::string>, std::less<>> places;  // by module
  for (const PhaseGroup& group : profile.shared.phase_groups)
    for (const std::string& description : {group.begin, group.end})
      split(
          description,
          [&](std::string_view place) {
            places[std::string(place.substr(0, place.rfind("+0x")))].emplace(place);
          },
          [](std::string_view) {});
  for (const ProgramModule& module : profile.shared.modules) {
    const auto own = places.find(module.name);
    if (own == places.end() || module.build_id.empty() || !may_be_read(module.path) ||
        build_id_of_file(module.path) != module.build_id)
      continue;
    std::vector<std::uint64_t> addresses;
    for (const std::string& place : own->second)
      addresses.push_back(address_in_file(place, module));
    try {
      const std::vector<std::string> symbols = elf_symbols(module.path, addresses);
      std::size_t i = 0;
      for (const std::string& place : own->second)
        if (const std::string& symbol = symbols[i++]; !symbol.empty())
          functions_.emplace(place, readable_function(symbol));
    } catch (const Error&) {  // the places will do
    }
  }
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

}  // namespace huddle
