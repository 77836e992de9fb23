#include "commgraph/topology/node_topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>

#include "commgraph/topology/detail/node_kinds.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

struct TopologyDestroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDestroy>;

Topology new_topology() {
  // Faults that hwloc finds in a document are reported by an exception, not on standard error.
  static std::once_flag once;
  std::call_once(once, [] { setenv("HWLOC_HIDE_ERRORS", "2", /*overwrite=*/0); });
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc could not start: out of memory");
  Topology topology(raw);
  // Whoever wrote the document may have been confined to some PUs; the hardware has all of them.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

bool is_xml(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

[[noreturn]] void fail_synthetic(std::string_view origin, std::string_view text) {
  throw FormatError(origin, "synthetic topology", fmt::format("\"{}\"", shortened(text)),
                    "an hwloc description such as \"package:2 die:2 core:2 pu:1\", or XML");
}

// hwloc builds whatever a synthetic description asks for, so a line could cost all memory. What
// stands in (...) and [...] adds no levels.
void check_size(std::string_view origin, std::string_view text) {
  std::uint64_t objects = 1;
  unsigned depth = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    if (*at == '(' || *at == '[') ++depth;
    if ((*at == ')' || *at == ']') && depth > 0) --depth;
    const bool counts = depth == 0 && *at >= '0' && *at <= '9' &&
                        (at == text.data() || at[-1] == ':' || at[-1] == ' ');
    if (!counts) {
      ++at;
      continue;
    }
    std::uint32_t arity = 0;
    const auto [next, failure] = std::from_chars(at, end, arity);
    if (failure != std::errc{}) fail_synthetic(origin, text);
    objects *= arity;
    if (objects > PuSet::kLimit)
      throw FormatError(origin, "synthetic topology", fmt::format("\"{}\"", shortened(text)),
                        fmt::format("at most {} PUs", PuSet::kLimit));
    at = next;
  }
}

// The number before the point in <topology version="3.0">; 0 if there is none.
unsigned xml_version(std::string_view text) {
  constexpr std::string_view kBefore = "<topology version=\"";
  const std::size_t at = text.find(kBefore);
  unsigned version = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + kBefore.size(), text.data() + text.size(), version);
  return version;
}

Topology read(std::string_view origin, const std::string& text) {
  Topology topology = new_topology();
  if (is_xml(text)) {
    if (const unsigned version = xml_version(text); version > hwloc_get_api_version() >> 16U)
      throw FormatError(origin, "XML topology", fmt::format("XML of hwloc {}", version),
                        fmt::format("XML of hwloc {0}: \"lstopo --export-xml-flags v{0} --of xml\" "
                                    "writes it",
                                    hwloc_get_api_version() >> 16U));
    if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(),
                                     static_cast<int>(text.size() + 1)) != 0 ||
        hwloc_topology_load(topology.get()) != 0)
      throw FormatError(origin, "XML topology", "something hwloc can't read",
                        "an hwloc XML document, as \"lstopo --of xml\" writes it");
    return topology;
  }
  check_size(origin, text);
  if (hwloc_topology_set_synthetic(topology.get(), text.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    fail_synthetic(origin, text);
  return topology;
}

// The objects of a type below `within`, in hwloc's order.
std::vector<hwloc_obj_t> objects_inside(hwloc_topology_t topology, hwloc_const_cpuset_t within,
                                        hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_inside_cpuset_by_type(
                                          topology, within, type, object)) != nullptr;)
    objects.push_back(object);
  return objects;
}

class NodeReader {
 public:
  NodeReader(hwloc_topology_t topology, std::string_view origin)
      : topology_(topology), origin_(origin) {
    const hwloc_obj_t root = hwloc_get_root_obj(topology);
    packages_ = objects_inside(topology, root->cpuset, HWLOC_OBJ_PACKAGE);
    if (packages_.empty()) packages_.push_back(root);
    memory_ = memory_nodes(topology);
    if (objects_inside(topology, root->cpuset, HWLOC_OBJ_CORE).empty()) core_type_ = HWLOC_OBJ_PU;
  }

  NodeTopology node() {
    refuse_unlike_cores(topology_, origin_);
    NodeTopology node;
    node.die_level = choose_die_level();
    node.packages = static_cast<std::uint32_t>(packages_.size());
    for (const hwloc_obj_t package : packages_) {
      const std::vector<hwloc_obj_t> dies = dies_of(package, node.die_level);
      require_alike(node.dies_per_package, dies.size(), "package", name_of(node.die_level));
      for (const hwloc_obj_t die : dies) add_cores(node, die);
    }
    node.numa_per_package = numa_level(node);
    const hwloc_obj_t root = hwloc_get_root_obj(topology_);
    require_all_inside(node, objects_inside(topology_, root->cpuset, core_type_).size());
    if (!is_memory_invented(root)) add_memory(node);
    return node;
  }

 private:
  static std::optional<hwloc_obj_type_t> type_of(DieLevel level) {
    switch (level) {
      case DieLevel::kDie:
        return HWLOC_OBJ_DIE;
      case DieLevel::kL3:
        return HWLOC_OBJ_L3CACHE;
      case DieLevel::kL2:
        return HWLOC_OBJ_L2CACHE;
      case DieLevel::kNuma:
        return HWLOC_OBJ_NUMANODE;
      case DieLevel::kPackage:
        break;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<hwloc_obj_t> dies_of(hwloc_obj_t package, DieLevel level) const {
    const auto type = type_of(level);
    if (!type) return {package};
    if (level == DieLevel::kNuma) return numa_nodes_of(package);
    return objects_inside(topology_, package->cpuset, *type);
  }

  // Those that part the package's cores evenly; none if they do not. Special memory and memory
  // without cores do not count.
  [[nodiscard]] std::vector<hwloc_obj_t> numa_nodes_of(hwloc_obj_t package) const {
    std::vector<hwloc_obj_t> nodes;
    for (const hwloc_obj_t found : objects_inside(topology_, package->cpuset, HWLOC_OBJ_NUMANODE)) {
      if (is_special(found)) continue;
      const auto overlaps = [&](hwloc_obj_t other) {
        return hwloc_bitmap_intersects(other->cpuset, found->cpuset) != 0;
      };
      const auto known = std::find_if(nodes.begin(), nodes.end(), overlaps);
      if (known == nodes.end())
        nodes.push_back(found);
      else if (hwloc_bitmap_isequal((*known)->cpuset, found->cpuset) == 0)
        return {};
    }
    std::size_t inside = 0;
    for (const hwloc_obj_t node : nodes) {
      const std::size_t here = cores_in(node);
      if (here != cores_in(nodes.front())) return {};
      inside += here;
    }
    if (nodes.size() < 2 || inside != cores_in(package)) return {};
    return nodes;
  }

  [[nodiscard]] std::size_t cores_in(hwloc_obj_t object) const {
    return objects_inside(topology_, object->cpuset, core_type_).size();
  }

  // See NodeTopology::numa_per_package.
  [[nodiscard]] std::uint32_t numa_level(const NodeTopology& node) const {
    const std::size_t each = numa_nodes_of(packages_.front()).size();
    if (each < 2 || node.dies_per_package <= each || node.dies_per_package % each != 0) return 0;
    const std::size_t dies_each = node.dies_per_package / each;
    for (const hwloc_obj_t package : packages_) {
      const std::vector<hwloc_obj_t> dies = dies_of(package, node.die_level);
      const std::vector<hwloc_obj_t> nodes = numa_nodes_of(package);
      if (nodes.size() != each) return 0;
      for (std::size_t die = 0; die < dies.size(); ++die)
        if (hwloc_bitmap_isincluded(dies[die]->cpuset, nodes[die / dies_each]->cpuset) == 0)
          return 0;
    }
    return static_cast<std::uint32_t>(each);
  }

  [[nodiscard]] bool splits_a_package(DieLevel level) const {
    for (const hwloc_obj_t package : packages_) {
      const std::vector<hwloc_obj_t> dies = dies_of(package, level);
      if (dies.size() < 2) continue;
      if (level == DieLevel::kDie) return true;
      for (const hwloc_obj_t die : dies)
        if (cores_in(die) > 1) return true;
    }
    return false;
  }

  [[nodiscard]] DieLevel choose_die_level() const {
    for (const DieLevel level : {DieLevel::kDie, DieLevel::kL3, DieLevel::kL2, DieLevel::kNuma})
      if (splits_a_package(level)) return level;
    return DieLevel::kPackage;
  }

  void add_cores(NodeTopology& node, hwloc_obj_t die) const {
    const std::vector<hwloc_obj_t> cores = objects_inside(topology_, die->cpuset, core_type_);
    require_alike(node.cores_per_die, cores.size(), "die", "cores");
    for (const hwloc_obj_t core : cores) {
      const std::vector<hwloc_obj_t> pus = objects_inside(topology_, core->cpuset, HWLOC_OBJ_PU);
      if (pus.empty()) fail("a core without PUs", "at least one PU in each core");
      NodeTopology::Core entry;
      entry.first_pu = pus.front()->os_index;
      for (const hwloc_obj_t pu : pus) {
        if (pu->os_index >= PuSet::kLimit)
          fail(fmt::format("PU {}", pu->os_index), fmt::format("numbers below {}", PuSet::kLimit));
        entry.pus.add(pu->os_index);
      }
      node.cores.push_back(std::move(entry));
    }
  }

  // The first container sets the count that the others must have.
  void require_alike(std::uint32_t& count, std::size_t here, std::string_view container,
                     std::string_view content) const {
    if (count == 0) count = static_cast<std::uint32_t>(here);
    if (here == 0 || here != count)
      fail(fmt::format("a {} with {} {} beside one with {}", container, here, content, count),
           "packages and dies that are all alike");
  }

  void require_all_inside(const NodeTopology& node, std::size_t cores) const {
    if (node.cores.size() != cores)
      fail(fmt::format("{} cores, of which only {} are in a die", cores, node.cores.size()),
           "packages and dies that hold all cores");
  }

  static bool is_memory_invented(hwloc_obj_t root) {
    const char* const synthetic = hwloc_obj_get_info_by_name(root, "SyntheticDescription");
    return synthetic != nullptr &&
           std::string_view(synthetic).find("memory=") == std::string_view::npos;
  }

  void add_memory(NodeTopology& node) const {
    for (const MemoryNode& memory : memory_) {
      const std::uint64_t bytes = memory.object->attr->numanode.local_memory;
      if (memory.kind.empty()) {
        node.memory.value += bytes;
        continue;
      }
      const auto known =
          std::ranges::find(node.special_memory, memory.kind, &NodeTopology::SpecialMemory::kind);
      if (known == node.special_memory.end())
        node.special_memory.push_back({std::string(memory.kind), {bytes}});
      else
        known->memory.value += bytes;
    }
  }

  [[nodiscard]] bool is_special(hwloc_obj_t numa_node) const {
    const auto found = std::ranges::find(memory_, numa_node, &MemoryNode::object);
    return found != memory_.end() && !found->kind.empty();
  }

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw FormatError(origin_, "topology", found, expected);
  }

  hwloc_topology_t topology_;
  std::string_view origin_;
  std::vector<hwloc_obj_t> packages_;
  std::vector<MemoryNode> memory_;
  hwloc_obj_type_t core_type_ = HWLOC_OBJ_CORE;
};

// A machine document gets shared: which host it was and its serial numbers are nobody's business.
std::string without_identity(std::string_view xml) {
  constexpr std::array kPrivate = {std::string_view("<info name=\"DMI"),
                                   std::string_view("<info name=\"HostName\""),
                                   std::string_view("<info name=\"LinuxCgroup\"")};
  std::string kept;
  while (!xml.empty()) {
    const std::size_t end = std::min(xml.find('\n'), xml.size() - 1) + 1;
    const std::string_view line = xml.substr(0, end);
    bool is_private = false;
    for (const std::string_view name : kPrivate)
      is_private = is_private || line.find(name) != std::string_view::npos;
    if (!is_private) kept += line;
    xml.remove_prefix(end);
  }
  return kept;
}

}  // namespace

std::string_view name_of(DieLevel level) {
  switch (level) {
    case DieLevel::kDie:
      return "Die";
    case DieLevel::kL3:
      return "L3";
    case DieLevel::kL2:
      return "L2";
    case DieLevel::kNuma:
      return "NUMA";
    case DieLevel::kPackage:
      break;
  }
  return "package";
}

NodeTopology load_topology(std::string_view text, std::string_view origin) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  if (text.size() > kMostBytes)
    throw FormatError(origin, "topology", fmt::format("{} bytes", text.size()),
                      fmt::format("at most {}", kMostBytes));
  const Topology topology = read(origin, std::string(text));
  return NodeReader(topology.get(), origin).node();
}

std::string this_machine_xml() {
  const Topology topology = new_topology();
  if (hwloc_topology_load(topology.get()) != 0)
    throw Error("hwloc can't read this machine's topology");
  char* buffer = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology.get(), &buffer, &length, 0) != 0)
    throw Error("hwloc can't write this machine's topology as XML");
  const auto release = [&](char* owned) { hwloc_free_xmlbuffer(topology.get(), owned); };
  const std::unique_ptr<char, decltype(release)> guard(buffer, release);
  return without_identity(buffer);
}

NodeTopology this_machine_topology() {
  return load_topology(this_machine_xml(), "this machine");
}

}  // namespace huddle::commgraph
