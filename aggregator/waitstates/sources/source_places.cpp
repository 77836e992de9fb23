#include "aggregator/waitstates/sources/source_places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>

#include "aggregator/waitstates/sources/function_places.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Whose debug information is that of the traced program; empty if there is none.
std::filesystem::path program_of(const TraceDefinitions& definitions,
                                 const std::filesystem::path& program) {
  if (program.empty()) {
    const bool same = !definitions.build_id.empty() && !definitions.program.empty() &&
                      build_id_of_file(definitions.program) == definitions.build_id;
    return same ? std::filesystem::path(definitions.program) : std::filesystem::path();
  }
  if (::access(program.c_str(), R_OK) != 0) throw SystemError("read", program.string(), errno);
  const std::string id = build_id_of_file(program.string());
  if (!definitions.build_id.empty() && !id.empty() && id != definitions.build_id)
    throw Error(
        fmt::format("{} is another build than the program that was traced: its build id is "
                    "{}, expected {}",
                    shortened(program.string()), id, shortened(definitions.build_id)));
  return program;
}

// A library that changed after the run is not the one that ran: a trace does not name its build.
bool is_older(const std::filesystem::path& library, const std::string& trace) {
  std::error_code error;
  const auto of_trace = std::filesystem::last_write_time(trace, error);
  if (error) return false;
  const auto of_library = std::filesystem::last_write_time(library, error);
  return !error && of_library <= of_trace;
}

// Functions that two libraries have are in neither: the trace does not show which one ran.
void add_places_of_libraries(const std::filesystem::path& program, const std::string& trace,
                             const std::set<std::string>& wanted,
                             std::map<std::string, SourcePlace>& places) {
  std::set<std::string> missing;
  for (const std::string& name : wanted)
    if (!places.contains(name)) missing.insert(name);
  if (missing.empty()) return;
  std::map<std::string, SourcePlace> found;
  std::set<std::string> ambiguous;
  for (const std::filesystem::path& library : libraries_of_program(program)) {
    if (!is_older(library, trace)) continue;
    for (const auto& [name, place] : function_places(library, missing)) {
      const auto [known, is_new] = found.try_emplace(name, place);
      if (!is_new && known->second != place) ambiguous.insert(name);
    }
  }
  for (const std::string& name : ambiguous) found.erase(name);
  places.merge(found);
}

}  // namespace

void add_source_places(WaitReport& report, const TraceDefinitions& definitions,
                       const std::filesystem::path& program) {
  std::map<std::string, SourcePlace> places;
  std::set<std::string> contradicted;
  for (const TraceRegion& region : definitions.regions) {
    if (region.kind == TraceRegion::Kind::kMpi || region.file.empty()) continue;
    const SourcePlace place{region.file, region.line};
    const auto [known, is_new] = places.try_emplace(region.name, place);
    if (!is_new && known->second != place) contradicted.insert(region.name);
  }
  for (const std::string& name : contradicted) places.erase(name);
  std::set<std::string> wanted;
  for (const CallPath& path : report.call_paths)
    if (!path.mpi && !places.contains(path.region) && !contradicted.contains(path.region))
      wanted.insert(path.region);
  if (const std::filesystem::path file = program_of(definitions, program);
      !file.empty() && !wanted.empty()) {
    places.merge(function_places(file, wanted));
    add_places_of_libraries(file, report.trace, wanted, places);
  }
  for (CallPath& path : report.call_paths) {
    const auto known = places.find(path.region);
    if (path.mpi || known == places.end()) continue;
    path.file = known->second.file;
    path.line = known->second.line;
  }
}

}  // namespace huddle
