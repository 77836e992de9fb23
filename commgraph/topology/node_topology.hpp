#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Which objects of hwloc the dies of a topology are.
enum class DieLevel : std::uint8_t { kDie, kL3, kL2, kPackage };

/// The word that users read: "Die", "L3", "L2" or "package".
std::string_view name_of(DieLevel level);

/// One node: packages of dies of cores, all alike, whatever else (NUMA nodes, groups, caches) hwloc
/// saw in between.
struct NodeTopology {
  struct Core {
    /// The operating system's number of its first PU (in hwloc's order).
    std::uint32_t first_pu = 0;
    /// All its PUs: more than one with SMT.
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

  std::uint32_t packages = 0;
  std::uint32_t dies_per_package = 0;
  std::uint32_t cores_per_die = 0;
  /// What counts as a die: hwloc's Die, else the cores below one L3, else those below one L2,
  /// whichever splits the package (a cache of a single core splits nothing: its core shares it with
  /// no other); if none does, the package is its one die.
  DieLevel die_level = DieLevel::kPackage;
  /// packages x dies_per_package x cores_per_die entries, in that order: see core().
  std::vector<Core> cores;
  /// Empty for a node that was read; see rank_shape.hpp.
  std::vector<Idle> idle = {};
  /// 0 if unknown. (hwloc invents memory for a synthetic topology that does not give any; that
  /// counts as unknown.)
  Bytes memory;

  /// The core at a place. Precondition: each index is below its count.
  [[nodiscard]] const Core& core(std::uint32_t package, std::uint32_t die,
                                 std::uint32_t core_in_die) const {
    return cores[(package * dies_per_package + die) * cores_per_die + core_in_die];
  }
};

/// Reads a node from an hwloc XML document (what lstopo writes) or from a synthetic description
/// such as "package:2 die:2 core:2 pu:1"; text that begins with '<' is XML. The node may be any
/// machine, and PUs that the writer was not allowed to use count as hardware too. Without Package
/// objects the machine is one package; without Core objects every PU is a core. `origin` is what
/// errors call the text. Throws FormatError if hwloc can't read it, or if the packages, dies or
/// cores are not all alike.
NodeTopology load_topology(std::string_view text, std::string_view origin = "topology");

/// This machine as an hwloc XML document, for Machine::topology: without its host name and its
/// firmware's serial numbers. hwloc's environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC) is obeyed.
/// Throws Error.
std::string this_machine_xml();

/// The same as load_topology(this_machine_xml()).
NodeTopology this_machine_topology();

}  // namespace huddle
