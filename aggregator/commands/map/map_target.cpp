#include "aggregator/commands/map/map_target.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/predict/pattern/pattern.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// The message whose time is the distance: of the size at which halos of a few thousand doubles are.
constexpr double kTypicalBytes = 8192;

// Cores of a die, dies of a package, packages of a node, nodes.
constexpr std::size_t kLevelsOfANode = 4;

std::string distances_of(const std::string& file) {
  if (file.empty())
    throw UsageError("--distance is missing: give distances, or --machine to take them from");
  const Machine machine = machine_named(file);
  std::vector<std::uint64_t> nanoseconds;
  for (const LinkTime& link : machine.links) {
    const double seconds = link.latency.value + kTypicalBytes / link.bandwidth.value;
    nanoseconds.push_back(static_cast<std::uint64_t>(seconds * 1e9) + 1);
  }
  return fmt::format("{}", fmt::join(nanoseconds, ":"));
}

Hierarchy whole_machine(const TargetOptions& options, const std::string& machine) {
  const std::string distance = options.distance.empty() ? distances_of(machine) : options.distance;
  Hierarchy hierarchy = Hierarchy::parse(options.hierarchy, distance);
  if (hierarchy.levels() != kLevelsOfANode && !options.pattern.empty())
    throw UsageError(
        fmt::format("--pattern is for a hierarchy of cores, dies, packages and nodes, such as "
                    "2:2:2:128; {} has {} levels",
                    shortened(options.hierarchy), hierarchy.levels()));
  return hierarchy;
}

Hierarchy used_part(const Hierarchy& whole, const std::string& text) {
  if (text.empty()) return whole;
  const Pattern pattern = Pattern::parse(text);
  const auto arities = whole.arities();
  if (pattern.cores > arities[0] || pattern.dies > arities[1] || pattern.packages > arities[2])
    throw UsageError(
        fmt::format("there is no pattern {} on nodes of {} packages x {} dies x {} cores", text,
                    arities[2], arities[1], arities[0]));
  const auto distances = whole.distances();
  return {{pattern.cores, pattern.dies, pattern.packages, arities[3]},
          {distances.begin(), distances.end()}};
}

std::uint32_t number(std::string_view text, std::string_view all) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size())
    throw UsageError(
        fmt::format("--node-sizes {}: \"{}\" is none: expected numbers of cores with "
                    "commas between, such as 8,8,4 or 2x8,4",
                    shortened(all), shortened(text)));
  return value;
}

// "2x8,4" is 8, 8, 4.
std::vector<std::uint32_t> sizes_of(std::string_view text, std::uint32_t nodes) {
  std::vector<std::uint32_t> sizes;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view entry = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), entry.size() + 1));
    const std::size_t times = entry.find('x');
    const std::uint32_t count =
        times == std::string_view::npos ? 1 : number(entry.substr(0, times), text);
    const std::uint32_t size =
        number(times == std::string_view::npos ? entry : entry.substr(times + 1), text);
    if (count > nodes - sizes.size())
      throw UsageError(fmt::format("--node-sizes {} is for more than the {} nodes of the hierarchy",
                                   shortened(text), nodes));
    sizes.insert(sizes.end(), count, size);
  }
  return sizes;
}

}  // namespace

void add_target_options(CLI::App& command, TargetOptions& options) {
  command
      .add_option("--hierarchy", options.hierarchy,
                  "sizes from the innermost level outwards, such as 2:2:2:128 for 2 cores a die, 2 "
                  "dies a package, 2 packages a node, 128 nodes")
      ->required();
  command.add_option("--distance", options.distance,
                     "distance within a group of each level, innermost first, such as "
                     "1:10:100:1000 (default: the times of --machine)");
  CLI::Option* pattern = command.add_option(
      "--pattern", options.pattern,
      "use only these cores of each node: packages, dies of each, cores of each, such as 2:1:2");
  command
      .add_option("--node-sizes", options.node_sizes,
                  "how many cores of each node may be used, such as 8,8,4 or 2x8,4")
      ->excludes(pattern);
}

MapTarget::MapTarget(const TargetOptions& options, const std::string& machine)
    : whole_(whole_machine(options, machine)),
      hierarchy_(used_part(whole_, options.pattern)),
      node_sizes_(sizes_of(options.node_sizes, whole_.nodes())) {}

std::uint32_t MapTarget::whole_core(std::uint32_t core) const {
  std::uint32_t whole = 0;
  std::uint32_t stride = 1;
  for (std::size_t level = 0; level < hierarchy_.levels(); ++level) {
    whole += core % hierarchy_.arities()[level] * stride;
    core /= hierarchy_.arities()[level];
    stride *= whole_.arities()[level];
  }
  return whole;
}

}  // namespace huddle
