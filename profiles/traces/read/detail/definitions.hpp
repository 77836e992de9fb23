#pragma once

// The definitions of an OTF2 archive as they are in its files, before any reference is resolved.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace huddle::otf2 {

inline constexpr std::uint32_t kUndefined = UINT32_MAX;  ///< a reference to nothing

enum class GroupType : std::uint8_t {
  kLocations = 1,
  kCommLocations = 4,  ///< the locations that ranks are counted by
  kCommGroup = 5,
  kCommSelf = 6,
};
inline constexpr std::uint8_t kOpenmpParadigm = 3;
inline constexpr std::uint8_t kMpiParadigm = 4;

/// Definitions as they are in the file: references are numbers that may name nothing, and a number
/// may be defined twice.
struct GlobalDefinitions {
  struct SystemTreeNode {
    std::uint32_t id, name, class_name, parent;
  };
  struct LocationGroup {
    std::uint32_t id, name, node;
    std::uint8_t type;
  };
  struct Location {
    std::uint64_t id, events;
    std::uint32_t name, group;
    std::uint8_t type;
  };
  struct Region {
    std::uint32_t id, name, canonical_name, file, line;
    std::uint8_t role, paradigm;
  };
  struct Group {
    std::uint32_t id, name;
    GroupType type;
    std::uint8_t paradigm;
    bool of_locations;  ///< members are locations rather than ranks
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    std::uint32_t id, name, group;
    std::uint32_t remote_group = kUndefined;  ///< of an intercommunicator
  };
  struct Window {
    std::uint32_t id, name, comm;
  };
  struct IoHandle {  ///< an open file; `comm` of those that opened it together
    std::uint32_t id, comm;
  };
  struct MetricMember {
    std::uint32_t id, name, description;
  };
  struct MetricClass {
    std::uint32_t id, members, first_member;
  };
  struct MetricInstance {
    std::uint32_t id, metric_class;
    std::uint64_t recorder, scope;  ///< a location; what it is of
    std::uint8_t scope_type;
  };
  struct CallingContext {
    std::uint32_t id, region, parent;
  };
  struct LocationProperty {
    std::uint64_t location;
    std::uint32_t name, value;
  };

  std::uint64_t ticks_per_second = 0;  ///< 0: no clock was defined
  std::uint64_t begin = 0;             ///< ticks
  std::uint64_t duration = 0;          ///< ticks
  std::unordered_map<std::uint32_t, std::string> strings;
  std::vector<SystemTreeNode> nodes;
  std::vector<std::uint32_t> shared_memory_nodes;  ///< of nodes: those that are a node
  std::vector<LocationGroup> location_groups;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::vector<Group> groups;
  std::vector<Comm> comms;
  std::vector<Window> windows;
  std::vector<IoHandle> io_handles;
  std::vector<MetricMember> metric_members;
  std::vector<MetricClass> metric_classes;
  std::vector<MetricInstance> metric_instances;
  std::vector<CallingContext> calling_contexts;
  std::vector<LocationProperty> location_properties;
  std::uint64_t records = 0;

  /// Empty if there is none of this number.
  [[nodiscard]] const std::string& text(std::uint32_t id) const;
};

/// Throws SystemError, and FormatError for a damaged file. Records that are not used are skipped.
GlobalDefinitions read_global_definitions(const std::filesystem::path& file,
                                          std::uint64_t chunk_bytes);

/// The definitions of one location, which its events are read with.
struct LocalDefinitions {
  /// What the mapped numbers refer to.
  enum Kind : std::uint8_t {
    kRegions = 3,
    kGroups = 4,
    kComms = 6,
    kWindows = 8,
    kContexts = 10,
    kFiles = 13
  };
  static constexpr std::size_t kKinds = 14;
  /// From the location's own number to the global one. Numbers that are not listed are global.
  std::array<std::vector<std::pair<std::uint64_t, std::uint64_t>>, kKinds> mappings;

  struct ClockOffset {
    std::uint64_t time = 0;   ///< of the location's clock
    std::int64_t offset = 0;  ///< to be added at that time
  };
  std::vector<ClockOffset> clock_offsets;  ///< as in the file
};

/// Throws SystemError, and FormatError for a damaged file.
LocalDefinitions read_local_definitions(const std::filesystem::path& file,
                                        std::uint64_t chunk_bytes);

}  // namespace huddle::otf2
