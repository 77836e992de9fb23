#include "aggregator/commands/common/machine_on_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;

// The executable is in bin/, or further below where it is one that huddle starts.
fs::path folder_on_file() {
  std::error_code none;
  const fs::path start = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const fs::path inside = fs::path("share") / "huddle" / "machines";
  for (fs::path above = start; above.has_relative_path(); above = above.parent_path())
    if (fs::is_directory(above / inside, none)) return above / inside;
  return start / inside;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string topology_text(const std::string& given) {
  constexpr std::uint64_t kMostTopologyBytes = std::uint64_t{16} << 20U;
  const bool synthetic =
      given.find(':') != std::string::npos && given.find('/') == std::string::npos;
  std::string text = given.empty() ? commgraph::this_machine_xml()
                     : synthetic   ? given
                                   : files::read_file(given, kMostTopologyBytes);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Machine this_machine() {
  Machine machine;
  machine.name = kThisMachine;
  machine.topology = topology_text("");
  machine.node_memory = commgraph::this_machine_topology().memory;
  return machine;
}

Machine machine_named(const std::string& file_or_name) {
  if (file_or_name == kThisMachine) return this_machine();
  std::error_code failure;
  const bool is_name = file_or_name.find('/') == std::string::npos &&
                       !file_or_name.ends_with(".json") && !file_or_name.ends_with(".cbor");
  if (!is_name || fs::exists(file_or_name, failure)) return load_machine(file_or_name);
  const fs::path folder = folder_on_file();
  const std::vector<std::string> names = names_in(folder);
  if (std::find(names.begin(), names.end(), file_or_name) == names.end())
    throw UsageError(fmt::format(
        "there is no file {} and no machine of that name on file: {}", shortened(file_or_name),
        names.empty() ? "none is installed; \"this\" is this machine"
                      : fmt::format("expected this or one of {}", fmt::join(names, ", "))));
  return load_machine(folder / (file_or_name + ".json"));
}

}  // namespace huddle::cli
