#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::commgraph {

/// The kind of hwloc's objects that the dies of a topology are.
enum class DieLevel : std::uint8_t { kDie, kL3, kL2, kNuma, kPackage };

/// The word that users read: "Die", "L3", "L2", "NUMA" or "package".
std::string_view name_of(DieLevel level);

/// One node: packages of dies of cores, all alike, with NUMA nodes between packages and dies where
/// they split a package into groups of dies; whatever else (groups, other caches) hwloc saw does
/// not count.
struct NodeTopology {
  struct Core {
    /// The operating system's number of its first PU (in hwloc's order).
    std::uint32_t first_pu = 0;
    /// All its PUs: more than one with SMT. In a node of PUs (see smt_node.hpp), one of them.
    PuSet pus;
  };

  /// PUs of a die that belong to no entry of `cores`.
  struct Idle {
    std::uint32_t package = 0;
    /// Within its package. Either index may be beyond the node's, where a die or a package has
    /// none.
    std::uint32_t die = 0;
    PuSet pus;
  };

  /// Memory of one kind that programs must ask for, of all NUMA nodes of it.
  struct SpecialMemory {
    /// As hwloc names it: "GPUMemory", "HBM", "NVM", ...; "unnamed" for a second NUMA node of the
    /// same cores that has no name.
    std::string kind;
    Bytes memory;

    friend bool operator==(const SpecialMemory&, const SpecialMemory&) = default;
  };

  std::uint32_t packages = 0;
  std::uint32_t dies_per_package = 0;
  /// Entries of `cores` in a die.
  std::uint32_t cores_per_die = 0;
  /// Number of NUMA nodes in a package, if each of them holds several dies, as many as any other
  /// (they count from the package's first die on); else 0: then there is no such level.
  std::uint32_t numa_per_package = 0;
  /// Number of entries of `cores`, one after the other, that are PUs of one core: 1, except in a
  /// node of PUs (see smt_node.hpp).
  std::uint32_t pus_per_core = 1;
  /// The objects that count as dies: hwloc's Die, else the cores below one L3, else those below one
  /// L2, else those of one NUMA node, whichever splits the package (a cache of a single core splits
  /// nothing: its core shares it with no other); if none does, the package is its one die.
  DieLevel die_level = DieLevel::kPackage;
  /// packages x dies_per_package x cores_per_die entries, in that order: see core().
  std::vector<Core> cores;
  /// Empty for a node that was read; see rank_shape.hpp.
  std::vector<Idle> idle = {};
  /// That ranks get without asking; 0 if unknown. (hwloc invents memory for a synthetic topology
  /// that does not give any; that counts as unknown.)
  Bytes memory;
  /// Beside `memory`, no kind twice.
  std::vector<SpecialMemory> special_memory = {};

  /// The core at a place. Precondition: each index is below its count.
  [[nodiscard]] const Core& core(std::uint32_t package, std::uint32_t die,
                                 std::uint32_t core_in_die) const {
    return cores[(package * dies_per_package + die) * cores_per_die + core_in_die];
  }
  /// Dies of a NUMA node, or of a package that has none.
  [[nodiscard]] std::uint32_t dies_per_numa() const {
    return numa_per_package == 0 ? dies_per_package : dies_per_package / numa_per_package;
  }
};

/// Reads a node from an hwloc XML document (what lstopo writes) or from a synthetic description
/// such as "package:2 die:2 core:2 pu:1"; text that begins with '<' is XML. The node may be any
/// machine, and PUs that the writer was not allowed to use count as hardware too. Without Package
/// objects the machine is one package; without Core objects every PU is a core. `origin` is what
/// errors call the text. Throws FormatError if hwloc can't read it, or if the packages, dies or
/// cores are not all alike, in number or in kind.
NodeTopology load_topology(std::string_view text, std::string_view origin = "topology");

/// This machine as an hwloc XML document, for Machine::topology: without its host name and its
/// firmware's serial numbers. hwloc's environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC) is obeyed.
/// Throws Error.
std::string this_machine_xml();

/// The same as load_topology(this_machine_xml()).
NodeTopology this_machine_topology();

}  // namespace huddle::commgraph
