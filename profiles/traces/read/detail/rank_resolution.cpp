#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "profiles/traces/read/detail/id_table.hpp"
#include "profiles/traces/read/detail/resolved_trace.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::uint8_t kAcceleratorGroup = 2;  // OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
constexpr std::uint8_t kCpuThread = 1;         // OTF2_LOCATION_TYPE_CPU_THREAD

class RankResolver {
 public:
  RankResolver(const GlobalDefinitions& raw, std::string_view name)
      : raw_(raw),
        name_(name),
        groups_(index_of(raw.location_groups)),
        locations_(index_of(raw.locations)),
        nodes_(index_of(raw.nodes)),
        rank_of_location_(raw.locations.size(), traces::kNobody),
        rank_of_group_(raw.location_groups.size(), traces::kNobody) {}

  RankTables resolve() {
    if (raw_.locations.empty()) refuse("no locations", "at least one location with events");
    if (const GlobalDefinitions::Group* list = mpi_locations())
      take_ranks_of(*list);
    else
      take_processes_in_order();
    if (out_.ranks.empty()) refuse("no rank", "at least one process with a thread");
    take_other_threads();
    number_locations();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw FormatError(name_, "definitions", found, expected);
  }

  [[nodiscard]] const GlobalDefinitions::Group* mpi_locations() {
    const GlobalDefinitions::Group* found = nullptr;
    for (const GlobalDefinitions::Group& group : raw_.groups) {
      if (group.type != GroupType::kCommLocations || group.paradigm != kMpiParadigm) continue;
      if (found == nullptr) {
        found = &group;
      } else if (group.members != found->members) {
        out_.remarks.emplace_back(
            "MPI's ranks are listed more than once; the first list was taken.");
        return found;
      }
    }
    return found != nullptr && found->members.empty() ? nullptr : found;
  }

  [[nodiscard]] std::uint32_t group_of(std::uint32_t location) const {
    return groups_.at(raw_.locations[location].group);
  }

  // The rank of which `location` is the first thread.
  void add_rank(std::uint32_t location) {
    const auto rank = static_cast<std::uint32_t>(out_.ranks.size());
    const std::uint32_t group = group_of(location);
    rank_of_location_[location] = rank;
    traces::TraceRank& made = out_.ranks.emplace_back();
    made.locations.push_back(location);  // as the trace numbers it, until number_locations()
    if (group == traces::kNobody) return;
    if (rank_of_group_[group] == traces::kNobody) rank_of_group_[group] = rank;
    made.name = cut_name(raw_.text(raw_.location_groups[group].name));
    made.node = node_of(raw_.location_groups[group].node);
  }

  void take_ranks_of(const GlobalDefinitions::Group& list) {
    for (std::size_t rank = 0; rank < list.members.size(); ++rank) {
      const std::uint32_t location = locations_.at(list.members[rank]);
      if (location == traces::kNobody)
        refuse(
            fmt::format("rank {} at location {}, which is not defined", rank, list.members[rank]),
            "a defined location for each rank of MPI");
      if (rank_of_location_[location] != traces::kNobody)
        refuse(fmt::format("location {} as ranks {} and {}", list.members[rank],
                           rank_of_location_[location], rank),
               "another location for each rank of MPI");
      add_rank(location);
    }
  }

  // No MPI: one process, or several in an unknown order.
  void take_processes_in_order() {
    std::vector<bool> seen(raw_.location_groups.size(), false);
    for (std::uint32_t location = 0; location < raw_.locations.size(); ++location) {
      const std::uint32_t group = group_of(location);
      if (!is_thread(location) || (group != traces::kNobody && seen[group])) continue;
      if (group != traces::kNobody) seen[group] = true;
      add_rank(location);
    }
    if (out_.ranks.size() > 1)
      out_.remarks.emplace_back(
          "The trace does not state which process has which rank of MPI: they were counted in the "
          "order of their definitions.");
  }

  [[nodiscard]] bool is_thread(std::uint32_t location) const {
    const std::uint32_t group = group_of(location);
    const std::uint8_t type = raw_.locations[location].type;
    return (type == kCpuThread || type == 0) &&
           (group == traces::kNobody || raw_.location_groups[group].type != kAcceleratorGroup);
  }

  void take_other_threads() {
    std::uint64_t others = 0;
    std::uint64_t without_rank = 0;
    std::set<std::uint64_t> of_power;
    for (const PowerMetric& metric : resolve_power(raw_)) of_power.insert(metric.location);
    for (std::uint32_t location = 0; location < raw_.locations.size(); ++location) {
      if (rank_of_location_[location] != traces::kNobody) continue;
      if (locations_.at(raw_.locations[location].id) != location) continue;  // defined twice
      const std::uint32_t group = group_of(location);
      const std::uint32_t rank = group == traces::kNobody ? traces::kNobody : rank_of_group_[group];
      if (!is_thread(location)) {
        if (!of_power.contains(raw_.locations[location].id)) ++others;
      } else if (rank == traces::kNobody) {
        ++without_rank;
      } else {
        rank_of_location_[location] = rank;
        out_.ranks[rank].locations.push_back(location);
      }
    }
    if (others > 0)
      out_.remarks.push_back(fmt::format(
          "{} of {} locations are no threads of processors (accelerators, metrics): left out.",
          others, raw_.locations.size()));
    if (without_rank > 0)
      out_.remarks.push_back(fmt::format("{} of {} locations belong to no rank of MPI: left out.",
                                         without_rank, raw_.locations.size()));
  }

  // In the order of their definitions.
  void number_locations() {
    std::vector<std::uint32_t> index(raw_.locations.size(), traces::kNobody);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
    for (std::uint32_t location = 0; location < raw_.locations.size(); ++location) {
      if (rank_of_location_[location] == traces::kNobody) continue;
      const GlobalDefinitions::Location& raw = raw_.locations[location];
      index[location] = static_cast<std::uint32_t>(out_.locations.size());
      ids.emplace_back(raw.id, index[location]);
      out_.location_ids.push_back(raw.id);
      out_.locations.push_back(
          {cut_name(raw_.text(raw.name)), rank_of_location_[location], 0, raw.events});
    }
    for (traces::TraceRank& rank : out_.ranks) {
      std::uint32_t thread = 0;
      for (std::uint32_t& location : rank.locations) {
        location = index[location];
        out_.locations[location].thread = thread++;
      }
    }
    out_.locations_by_id = IdTable(std::move(ids));
  }

  // The computer that a node of the system tree belongs to: itself or one above it. Where none is
  // marked as one, the node that a process is directly below.
  [[nodiscard]] std::string node_of(std::uint32_t id) {
    constexpr int kMostLevels = 64;
    std::uint32_t at = nodes_.at(id);
    const std::uint32_t nearest = at;
    for (int level = 0; level < kMostLevels && at != traces::kNobody; ++level) {
      const GlobalDefinitions::SystemTreeNode& node = raw_.nodes[at];
      if (is_computer(node)) return cut_name(raw_.text(node.name));
      at = nodes_.at(node.parent);
    }
    if (nearest == traces::kNobody || raw_.nodes[nearest].parent == kUndefined) return {};
    return cut_name(raw_.text(raw_.nodes[nearest].name));
  }

  [[nodiscard]] bool is_computer(const GlobalDefinitions::SystemTreeNode& node) const {
    return raw_.text(node.class_name) == "node" || shared_memory_.at(node.id) != traces::kNobody;
  }

  static IdTable shared_memory_of(const GlobalDefinitions& raw) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
    for (const std::uint32_t node : raw.shared_memory_nodes) ids.emplace_back(node, 0);
    return IdTable(std::move(ids));
  }

  const GlobalDefinitions& raw_;
  std::string_view name_;
  IdTable groups_;
  IdTable locations_;
  IdTable nodes_;
  IdTable shared_memory_ = shared_memory_of(raw_);
  std::vector<std::uint32_t> rank_of_location_;  // as the trace numbers them
  std::vector<std::uint32_t> rank_of_group_;     // the first rank in it
  RankTables out_;
};

}  // namespace

RankTables resolve_ranks(const GlobalDefinitions& raw, std::string_view name) {
  return RankResolver(raw, name).resolve();
}

}  // namespace huddle::otf2
