#include <fmt/format.h>
#include <otf2/OTF2_GlobalDefWriter.h>
#include <otf2/OTF2_Reader.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "profiles/traces/detail/mpi_functions.hpp"
#include "profiles/traces/write/detail/otf2_output.hpp"
#include "profiles/traces/write/detail/part_tables.hpp"
#include "profiles/traces/write/detail/power_writer.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
namespace {

template <class Members>
void check_members(const Members& members, std::size_t defined, std::string_view what,
                   std::size_t index) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t member : members)
    if (member >= defined || !seen.insert(member).second)
      throw Error(fmt::format("can't write a trace: {} {} names {} {}", what, index, member,
                              member >= defined ? "which is not defined" : "twice"));
}

void check_locations(const TraceDefinitions& definitions) {
  std::set<std::uint64_t> references;
  for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
    const TraceLocation& location = definitions.locations[i];
    if (location.rank >= definitions.ranks.size())
      throw Error(fmt::format("can't write a trace: location {} is of rank {}, and there are {}", i,
                              location.rank, definitions.ranks.size()));
    if (!references.insert(location_reference(location)).second)
      throw Error(fmt::format("can't write a trace: two locations are thread {} of rank {}",
                              location.thread, location.rank));
  }
}

void check_ranks(const TraceDefinitions& definitions) {
  if (definitions.ranks.empty()) throw Error("can't write a trace: it has no ranks");
  for (std::size_t i = 0; i < definitions.ranks.size(); ++i) {
    const TraceRank& rank = definitions.ranks[i];
    if (rank.locations.empty())
      throw Error(fmt::format("can't write a trace: rank {} has no location", i));
    check_members(rank.locations, definitions.locations.size(), "rank", i);
    for (const std::uint32_t location : rank.locations)
      if (definitions.locations[location].rank != i)
        throw Error(fmt::format("can't write a trace: rank {} names location {} of rank {}", i,
                                location, definitions.locations[location].rank));
  }
}

}  // namespace

void check_trace_definitions(const TraceDefinitions& definitions) {
  if (definitions.ticks_per_second == 0)
    throw Error("can't write a trace: its clock has 0 ticks in a second");
  check_locations(definitions);
  check_ranks(definitions);
  const std::size_t ranks = definitions.ranks.size();
  for (std::size_t i = 0; i < definitions.communicators.size(); ++i) {
    const TraceCommunicator& each = definitions.communicators[i];
    check_members(each.ranks, ranks, "communicator", i);
    check_members(each.remote, ranks, "communicator", i);
    if (each.ranks.empty() && !each.remote.empty())
      throw Error(fmt::format("can't write a trace: communicator {} has one side only", i));
  }
  for (std::size_t i = 0; i < definitions.groups.size(); ++i)
    check_members(definitions.groups[i], ranks, "group", i);
  for (std::size_t i = 0; i < definitions.teams.size(); ++i)
    check_members(definitions.teams[i], definitions.locations.size(), "team", i);
  for (std::size_t i = 0; i < definitions.windows.size(); ++i)
    if (definitions.windows[i].communicator >= definitions.communicators.size())
      throw Error(
          fmt::format("can't write a trace: window {} names communicator {}, and there are "
                      "{}",
                      i, definitions.windows[i].communicator, definitions.communicators.size()));
}

namespace {

// A member takes its length and at most 8 bytes.
constexpr std::uint64_t kBytesOfMember = 9;

std::uint64_t largest_definition(const TraceDefinitions& definitions) {
  std::size_t members = definitions.locations.size();
  for (const TraceCommunicator& each : definitions.communicators)
    members = std::max({members, each.ranks.size(), each.remote.size()});
  for (const auto* groups : {&definitions.groups, &definitions.teams})
    for (const auto& group : *groups) members = std::max(members, group.size());
  std::size_t text = 0;
  for (const TraceRegion& region : definitions.regions) text = std::max(text, region.name.size());
  return std::max<std::uint64_t>(members * kBytesOfMember, text);
}

OTF2_RegionRole role_of_openmp(const TraceRegion& region) {
  const auto holds = [&](std::string_view word) {
    return region.name.find(word) != std::string::npos;
  };
  if (region.kind == TraceRegion::Kind::kOpenmpBarrier)
    return holds("implicit") ? OTF2_REGION_ROLE_IMPLICIT_BARRIER : OTF2_REGION_ROLE_BARRIER;
  if (holds("parallel")) return OTF2_REGION_ROLE_PARALLEL;
  if (region.kind == TraceRegion::Kind::kThreadLock && !holds("critical"))
    return OTF2_REGION_ROLE_WRAPPER;
  if (holds("critical")) return OTF2_REGION_ROLE_CRITICAL;
  if (holds("for") || holds("do")) return OTF2_REGION_ROLE_LOOP;
  return OTF2_REGION_ROLE_CODE;
}

// Writes the global definitions; each method those of one kind.
class DefinitionWriter {
 public:
  DefinitionWriter(Otf2Output& output, const TraceDefinitions& definitions)
      : output_(output),
        definitions_(definitions),
        writer_(output.definitions()),
        next_group_(kFirstGroup + static_cast<std::uint32_t>(definitions.groups.size())) {}

  void write(const TraceClock& clock, const PowerWriter& power) {
    output_.check(OTF2_GlobalDefWriter_WriteClockProperties(
        writer_, definitions_.ticks_per_second, clock.begin, clock.length,
        clock.wall_clock_ns == 0 ? OTF2_UNDEFINED_TIMESTAMP : clock.wall_clock_ns));
    write_paradigm(OTF2_PARADIGM_MPI, "MPI", OTF2_PARADIGM_CLASS_PROCESS);
    const auto is_openmps = [](const TraceRegion& region) {
      return region.kind == TraceRegion::Kind::kOpenmp ||
             region.kind == TraceRegion::Kind::kOpenmpBarrier ||
             region.kind == TraceRegion::Kind::kThreadLock;
    };
    if (!definitions_.teams.empty() || std::ranges::any_of(definitions_.regions, is_openmps))
      write_paradigm(OTF2_PARADIGM_OPENMP, "OpenMP", OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    write_system_tree();
    write_locations();
    write_regions();
    write_groups();
    write_communicators();
    write_teams();
    write_files();
    for (std::uint32_t i = 0; i < definitions_.windows.size(); ++i)
      output_.check(OTF2_GlobalDefWriter_WriteRmaWin(
          writer_, i, string(definitions_.windows[i].name), definitions_.windows[i].communicator,
          OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
    power.write_definitions(
        writer_, [this](const std::string& text) { return string(text); },
        [this](const std::string& node) {
          const auto found = nodes_.find(node);
          return found == nodes_.end() ? 0 : found->second;
        });
  }

 private:
  std::uint32_t string(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(strings_.size());
    const auto [where, is_new] = strings_.emplace(text, next);
    if (is_new) output_.check(OTF2_GlobalDefWriter_WriteString(writer_, next, text.c_str()));
    return where->second;
  }

  void write_paradigm(OTF2_Paradigm paradigm, const char* name, OTF2_ParadigmClass kind) {
    output_.check(OTF2_GlobalDefWriter_WriteParadigm(writer_, paradigm, string(name), kind));
  }

  void write_system_tree() {
    write_tree_node(0, "machine", "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE,
                    OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (const TraceRank& rank : definitions_.ranks) {
      const auto next = static_cast<std::uint32_t>(nodes_.size()) + 1;
      if (!rank.node.empty() && nodes_.emplace(rank.node, next).second)
        write_tree_node(next, rank.node, "node", 0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
  }

  void write_tree_node(std::uint32_t reference, const std::string& name, const char* kind,
                       std::uint32_t parent, OTF2_SystemTreeDomain domain) {
    output_.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, reference, string(name),
                                                           string(kind), parent));
    output_.check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, reference, domain));
  }

  void write_locations() {
    for (std::uint32_t i = 0; i < definitions_.ranks.size(); ++i) {
      const TraceRank& rank = definitions_.ranks[i];
      output_.check(OTF2_GlobalDefWriter_WriteLocationGroup(
          writer_, i, string(rank.name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
          rank.node.empty() ? 0 : nodes_.at(rank.node), OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const TraceLocation& location : definitions_.locations)
      output_.check(OTF2_GlobalDefWriter_WriteLocation(
          writer_, location_reference(location), string(location.name),
          OTF2_LOCATION_TYPE_CPU_THREAD, location.events, location.rank));
  }

  void write_regions() {
    for (std::uint32_t i = 0; i < definitions_.regions.size(); ++i) {
      const TraceRegion& region = definitions_.regions[i];
      OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
      // That is what they are: seen from time to time, on the way to MPI.
      OTF2_Paradigm paradigm = OTF2_PARADIGM_SAMPLING;
      if (region.kind == TraceRegion::Kind::kMpi) {
        role = role_of_mpi(region.name);
        paradigm = OTF2_PARADIGM_MPI;
      } else if (region.kind != TraceRegion::Kind::kUser) {
        role = role_of_openmp(region);
        paradigm = OTF2_PARADIGM_OPENMP;
      }
      const std::uint32_t name = string(region.name);
      const std::uint32_t file = region.file.empty() ? OTF2_UNDEFINED_STRING : string(region.file);
      output_.check(OTF2_GlobalDefWriter_WriteRegion(writer_, i, name, name, string({}), role,
                                                     paradigm, OTF2_REGION_FLAG_NONE, file,
                                                     region.line, 0));
    }
  }

  template <class Members>
  void write_group(std::uint32_t reference, OTF2_GroupType type, OTF2_Paradigm paradigm,
                   const Members& members) {
    const std::vector<std::uint64_t> wide(members.begin(), members.end());
    output_.check(OTF2_GlobalDefWriter_WriteGroup(
        writer_, reference, string({}), type, paradigm, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(wide.size()), wide.data()));
  }

  void write_groups() {
    std::vector<std::uint64_t> first;
    for (const TraceRank& rank : definitions_.ranks)
      first.push_back(location_reference(definitions_.locations[rank.locations[0]]));
    write_group(kMpiLocationsGroup, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, first);
    write_group(kSelfGroup, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                std::vector<std::uint64_t>{});
    for (std::uint32_t i = 0; i < definitions_.groups.size(); ++i)
      write_group(kFirstGroup + i, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                  definitions_.groups[i]);
  }

  std::uint32_t new_group(const std::vector<std::uint32_t>& ranks, OTF2_Paradigm paradigm) {
    write_group(next_group_, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, ranks);
    return next_group_++;
  }

  // Many communicators of a program have the same members.
  std::uint32_t group_of(const std::vector<std::uint32_t>& ranks) {
    if (ranks.empty()) return kSelfGroup;
    const auto known = groups_of_ranks_.find(ranks);
    if (known != groups_of_ranks_.end()) return known->second;
    return groups_of_ranks_[ranks] = new_group(ranks, OTF2_PARADIGM_MPI);
  }

  void write_communicators() {
    for (std::uint32_t i = 0; i < definitions_.communicators.size(); ++i) {
      const TraceCommunicator& each = definitions_.communicators[i];
      if (each.remote.empty()) {
        const std::uint32_t group = group_of(each.ranks);
        output_.check(OTF2_GlobalDefWriter_WriteComm(writer_, i, string(each.name), group,
                                                     OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
      } else {
        const std::uint32_t first = group_of(each.ranks);
        const std::uint32_t second = group_of(each.remote);
        output_.check(OTF2_GlobalDefWriter_WriteInterComm(writer_, i, string(each.name), first,
                                                          second, OTF2_UNDEFINED_COMM,
                                                          OTF2_COMM_FLAG_NONE));
      }
    }
  }

  void write_teams() {
    if (definitions_.teams.empty()) return;
    std::vector<std::uint64_t> all;
    for (const TraceLocation& location : definitions_.locations)
      all.push_back(location_reference(location));
    write_group(next_group_++, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, all);
    auto reference = static_cast<std::uint32_t>(definitions_.communicators.size());
    for (const auto& team : definitions_.teams) {
      const std::uint32_t group = new_group(team, OTF2_PARADIGM_OPENMP);
      output_.check(OTF2_GlobalDefWriter_WriteComm(writer_, reference++, string({}), group,
                                                   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
  }

  // One for all files that a communicator's members open: its number is the communicator's.
  void write_files() {
    constexpr OTF2_IoParadigmRef kMpiIo = 0;
    const auto has_files = [](const TraceCommunicator& each) { return each.files; };
    if (std::ranges::none_of(definitions_.communicators, has_files)) return;
    output_.check(OTF2_GlobalDefWriter_WriteIoParadigm(
        writer_, kMpiIo, string("MPI-IO"), string("MPI-IO"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
        OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr));
    for (std::uint32_t i = 0; i < definitions_.communicators.size(); ++i)
      if (definitions_.communicators[i].files)
        output_.check(OTF2_GlobalDefWriter_WriteIoHandle(
            writer_, i, string("files of a communicator"), OTF2_UNDEFINED_IO_FILE, kMpiIo,
            OTF2_IO_HANDLE_FLAG_NONE, i, OTF2_UNDEFINED_IO_HANDLE));
  }

  Otf2Output& output_;
  const TraceDefinitions& definitions_;
  OTF2_GlobalDefWriter* writer_;
  std::uint32_t next_group_;
  std::unordered_map<std::string, std::uint32_t> strings_;
  std::unordered_map<std::string, std::uint32_t> nodes_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_of_ranks_;
};

// It is written last, and OTF2 does not report a full disk.
void check_anchor(const std::filesystem::path& path) {
  OTF2_Reader* const reader = OTF2_Reader_Open(path.c_str());
  if (reader == nullptr)
    throw Error(fmt::format("can't write {}: the disk is full", path.string()));
  OTF2_Reader_Close(reader);
}

}  // namespace

// OTF2 wants to make an archive's folder itself, and the events' files are there.
void write_trace_definitions(const std::filesystem::path& folder,
                             const TraceDefinitions& definitions, const TraceClock& clock,
                             const std::vector<TracePower>& power) {
  check_trace_definitions(definitions);
  const std::filesystem::path own = folder / "definitions";
  Otf2Output output(own, largest_definition(definitions));
  PowerWriter power_writer(output, definitions, power);
  power_writer.write_events();
  if (!definitions.program.empty()) output.set_property("HUDDLE::PROGRAM", definitions.program);
  if (!definitions.build_id.empty()) output.set_property("HUDDLE::BUILD_ID", definitions.build_id);
  for (std::size_t i = 0; i < definitions.remarks.size(); ++i)
    output.set_property(fmt::format("HUDDLE::REMARK_{}", i), definitions.remarks[i]);
  DefinitionWriter(output, definitions).write(clock, power_writer);
  output.close();
  check_anchor(own / "traces.otf2");
  power_writer.move_files(own, folder);
  std::error_code error;
  for (const char* name : {"traces.def", "traces.otf2"}) {
    std::filesystem::rename(own / name, folder / name, error);
    if (error) throw SystemError("rename into place", (folder / name).string(), error.value());
  }
  std::filesystem::remove_all(own, error);
}

}  // namespace huddle::traces
