#include "commgraph/topology/detail/node_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::string_view kUnnamed = "unnamed";
constexpr std::array<std::string_view, 2> kHighBandwidth = {"HBM", "MCDRAM"};

// The name of a kind that is not ordinary memory; empty for that.
std::string_view special_kind(hwloc_obj_t node) {
  const std::string_view subtype = node->subtype == nullptr ? "" : node->subtype;
  for (const std::string_view kind : {"GPUMemory", "HBM", "MCDRAM", "NVM", "SPM"})
    if (in_lower_case(subtype) == in_lower_case(kind)) return subtype;
  if (in_lower_case(subtype).starts_with("cxl")) return subtype;
  if (const char* type = hwloc_obj_get_info_by_name(node, "DAXType"); type != nullptr) return type;
  if (hwloc_obj_get_info_by_name(node, "CXLDevice") != nullptr) return "CXL";
  if (hwloc_obj_get_info_by_name(node, "DAXDevice") != nullptr) return "DAX";
  return {};
}

bool shares_cores_with_earlier(const std::vector<MemoryNode>& nodes, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i)
    if (nodes[i].kind.empty() &&
        hwloc_bitmap_intersects(nodes[i].object->cpuset, nodes[at].object->cpuset) != 0)
      return true;
  return false;
}

// Facts about a kind of cores that tell it from others; 0 and empty if unknown.
struct CoreKind {
  std::string type;
  double capacity = 0;
  double base_mhz = 0;
  int pus = 0;
};

CoreKind core_kind(hwloc_topology_t topology, unsigned index) {
  CoreKind kind;
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  int efficiency = -1;
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  if (hwloc_cpukinds_get_info(topology, index, cpus, &efficiency, &count, &infos, 0) == 0)
    for (unsigned i = 0; i < count; ++i) {
      const std::string_view name = infos[i].name;
      const std::string_view value = infos[i].value;
      double* const number = name == "LinuxCapacity"      ? &kind.capacity
                             : name == "FrequencyBaseMHz" ? &kind.base_mhz
                                                          : nullptr;
      if (name == "CoreType") kind.type = value;
      if (number != nullptr) std::from_chars(value.data(), value.data() + value.size(), *number);
    }
  kind.pus = hwloc_bitmap_weight(cpus);
  hwloc_bitmap_free(cpus);
  return kind;
}

bool are_unlike(double left, double right) {
  constexpr double kTenth = 1.1;
  return left > 0 && right > 0 && std::max(left, right) > kTenth * std::min(left, right);
}

std::string text_of(const CoreKind& kind) {
  std::string text = fmt::format("{} PUs", kind.pus);
  if (!kind.type.empty()) text += fmt::format(" of {}", shortened(kind.type));
  if (kind.capacity > 0) text += fmt::format(" of capacity {:g}", kind.capacity);
  if (kind.base_mhz > 0) text += fmt::format(" of {:g} MHz", kind.base_mhz);
  return text;
}

}  // namespace

std::vector<MemoryNode> memory_nodes(hwloc_topology_t topology) {
  std::vector<MemoryNode> nodes;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr;)
    nodes.push_back({object, special_kind(object)});
  std::ranges::stable_sort(nodes, {}, [](const MemoryNode& node) { return node.object->os_index; });
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind.empty() && shares_cores_with_earlier(nodes, i)) nodes[i].kind = kUnnamed;
  if (std::ranges::none_of(nodes, [](const MemoryNode& node) { return node.kind.empty(); }))
    for (MemoryNode& node : nodes)
      if (among(kHighBandwidth, node.kind)) node.kind = {};
  return nodes;
}

void refuse_unlike_cores(hwloc_topology_t topology, std::string_view origin) {
  const int kinds = hwloc_cpukinds_get_nr(topology, 0);
  if (kinds < 2) return;
  const CoreKind first = core_kind(topology, 0);
  for (unsigned i = 1; i < static_cast<unsigned>(kinds); ++i) {
    const CoreKind other = core_kind(topology, i);
    if (first.type == other.type && !are_unlike(first.capacity, other.capacity) &&
        !are_unlike(first.base_mhz, other.base_mhz))
      continue;
    throw FormatError(
        origin, "topology",
        fmt::format("unlike cores: {} beside {}", text_of(first), text_of(other)),
        "cores that are all alike: describe those that jobs use, as in \"package:1 core:8 pu:2\"");
  }
}

}  // namespace huddle::commgraph
