#include "profiles/traces/read/detail/resolved_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profiles/traces/read/detail/id_table.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::otf2 {
namespace {

using Ids = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

// Many communicators of many ranks each take memory that the file does not: a few numbers stand for
// a group of any size.
constexpr std::size_t kMostMembers = std::size_t{1} << 27;

constexpr std::uint8_t kBarrierRole = 15;          // OTF2_REGION_ROLE_BARRIER
constexpr std::uint8_t kImplicitBarrierRole = 16;  // OTF2_REGION_ROLE_IMPLICIT_BARRIER
constexpr std::uint8_t kCriticalRole = 12;         // OTF2_REGION_ROLE_CRITICAL

// omp_set_lock, omp_set_nest_lock; pthread_mutex_lock, pthread_spin_lock, pthread_rwlock_rdlock.
// Not those that only try, which never wait, nor those that make a lock.
bool gets_a_lock(std::string_view function) {
  if (function.ends_with("_")) function.remove_suffix(1);  // Fortran
  const bool of_threads = function.starts_with("omp_") || function.starts_with("pthread_");
  const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
  return of_threads && function.ends_with("lock") && !function.ends_with("unlock") &&
         !has("unset") && !has("_init_") && !has("_destroy_") && !has("_test_") && !has("try");
}

traces::TraceRegion::Kind kind_of(const GlobalDefinitions::Region& region, std::string_view name) {
  if (region.paradigm == kMpiParadigm) return traces::TraceRegion::Kind::kMpi;
  if (gets_a_lock(name)) return traces::TraceRegion::Kind::kThreadLock;
  if (region.paradigm == kOpenmpParadigm && region.role == kCriticalRole)
    return traces::TraceRegion::Kind::kThreadLock;
  if (region.paradigm == kOpenmpParadigm)
    return region.role == kBarrierRole || region.role == kImplicitBarrierRole
               ? traces::TraceRegion::Kind::kOpenmpBarrier
               : traces::TraceRegion::Kind::kOpenmp;
  // EZTrace calls all regions the user's.
  const bool is_mpi = name.starts_with("MPI_") || name.starts_with("PMPI_") ||
                      (name.starts_with("mpi_") && name.ends_with("_"));
  if (is_mpi) return traces::TraceRegion::Kind::kMpi;
  if (name == "OpenMP barrier" || name == "OpenMP implicit barrier")
    return traces::TraceRegion::Kind::kOpenmpBarrier;
  if (name == "OpenMP critical" || name == "OpenMP set lock" || name == "OpenMP nest lock")
    return traces::TraceRegion::Kind::kThreadLock;
  return name.starts_with("OpenMP ") ? traces::TraceRegion::Kind::kOpenmp
                                     : traces::TraceRegion::Kind::kUser;
}

// Names of MPI's functions as MPI writes them: Fortran compilers make mpi_send_ of MPI_Send, TAU
// writes MPI_Send(), and PMPI_Send is the same.
std::string mpi_name(std::string_view name) {
  if (name.ends_with("()")) name.remove_suffix(2);
  if (name.starts_with("PMPI_")) name.remove_prefix(1);
  if (!name.starts_with("mpi_") || name.size() < 6 || !name.ends_with("_"))
    return std::string(name);
  name.remove_suffix(1);
  std::string made = "MPI_" + std::string(name.substr(4));
  made[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(made[4])));
  return made;
}

WindowCall window_call_of(const traces::TraceRegion& region) {
  if (region.kind != traces::TraceRegion::Kind::kMpi) return WindowCall::kNone;
  if (region.name == "MPI_Win_post") return WindowCall::kPost;
  if (region.name == "MPI_Win_start") return WindowCall::kStart;
  if (region.name == "MPI_Win_complete") return WindowCall::kComplete;
  if (region.name == "MPI_Win_wait" || region.name == "MPI_Win_test") return WindowCall::kWait;
  return WindowCall::kNone;
}

// Where regions begin in the source. Of several definitions of one region all that say anything
// must say the same: two static functions of one name are one region here.
class RegionPlaces {
 public:
  void note(std::uint32_t region, const std::string& file, std::uint32_t line) {
    if (file.empty() || line == 0) return;
    const auto [known, is_new] = places_.try_emplace(region, file, line);
    if (!is_new && known->second != Place(file, line)) known->second = Place();
  }
  void apply(std::vector<traces::TraceRegion>& regions) const {
    for (const auto& [region, place] : places_)
      std::tie(regions[region].file, regions[region].line) = place;
  }

 private:
  using Place = std::pair<std::string, std::uint32_t>;
  std::map<std::uint32_t, Place> places_;
};

class Resolver {
 public:
  Resolver(const GlobalDefinitions& raw, std::string_view name)
      : raw_(raw), name_(name), tables_(resolve_ranks(raw, name)) {}

  ResolvedTrace resolve() {
    take_clock();
    take_regions();
    find_groups();
    take_groups();
    take_comms();
    take_windows();
    take_files();
    take_contexts();
    out_.power = resolve_power(raw_);
    traces::TraceDefinitions& definitions = out_.definitions;
    definitions.ranks = std::move(tables_.ranks);
    definitions.locations = std::move(tables_.locations);
    out_.location_ids = std::move(tables_.location_ids);
    definitions.remarks.insert(definitions.remarks.begin(), tables_.remarks.begin(),
                               tables_.remarks.end());
    return std::move(out_);
  }

 private:
  void remark(std::string text) { out_.definitions.remarks.push_back(std::move(text)); }

  void take_clock() {
    if (raw_.ticks_per_second == 0) {
      remark("The trace does not state its clock's rate: taken as one tick a nanosecond.");
      return;
    }
    out_.definitions.ticks_per_second = raw_.ticks_per_second;
    out_.definitions.duration = raw_.duration;
    out_.begin = raw_.begin;
  }

  // Regions of one name and kind are one: EZTrace defines all of them for each process anew.
  void take_regions() {
    using Kind = traces::TraceRegion::Kind;
    std::map<std::pair<std::uint32_t, Kind>, std::uint32_t> by_string;
    constexpr auto kLastKind = static_cast<std::size_t>(Kind::kThreadLock);
    std::array<std::unordered_map<std::string, std::uint32_t>, kLastKind + 1> by_name;
    Ids ids;
    for (const GlobalDefinitions::Region& region : raw_.regions) {
      const bool named = !raw_.text(region.name).empty();
      const std::uint32_t string = named ? region.name : region.canonical_name;
      const std::string& name = raw_.text(string);
      const Kind kind = kind_of(region, name);
      const auto [known, is_new] = by_string.try_emplace({string, kind}, 0);
      if (is_new) {
        const auto next = static_cast<std::uint32_t>(out_.definitions.regions.size());
        const std::string shown = name.empty()         ? "(unnamed)"
                                  : kind == Kind::kMpi ? mpi_name(name)
                                                       : name;
        const auto [same, is_new_name] =
            by_name[static_cast<std::size_t>(kind)].try_emplace(shown, next);
        if (is_new_name) out_.definitions.regions.push_back({shown, kind});
        known->second = same->second;
      }
      places_.note(known->second, raw_.text(region.file), region.line);
      ids.emplace_back(region.id, known->second);
    }
    places_.apply(out_.definitions.regions);
    out_.regions = IdTable(std::move(ids));
    if (tables_.ranks.size() > 1 &&
        by_name[static_cast<std::size_t>(Kind::kUser)].contains("EZTrace finalize"))
      remark(
          "EZTrace begins the clock of each process at 0: ranks' times can be compared only as far "
          "as messages order them.");
    for (const traces::TraceRegion& region : out_.definitions.regions)
      out_.window_calls.push_back(window_call_of(region));
  }

  // EZTrace gives its list of locations and its first communicator's group one number, and since
  // 2.1 that group and the first team of threads: a communicator and its group have one name then.
  void find_groups() {
    Ids first;
    for (const bool lists : {false, true})
      for (std::uint32_t i = 0; i < raw_.groups.size(); ++i)
        if ((raw_.groups[i].type == GroupType::kCommLocations) == lists)
          first.emplace_back(raw_.groups[i].id, i);
    raw_groups_ = IdTable(std::move(first));
    for (const GlobalDefinitions::Group& group : raw_.groups)
      named_groups_.try_emplace({group.id, group.name}, &group);
    for (const GlobalDefinitions::Group& group : raw_.groups)
      if (openmp_locations_ == nullptr && group.type == GroupType::kCommLocations &&
          group.paradigm == kOpenmpParadigm)
        openmp_locations_ = &group;
  }

  [[nodiscard]] const GlobalDefinitions::Group* group(std::uint32_t id) const {
    const std::uint32_t index = raw_groups_.at(id);
    return index == traces::kNobody ? nullptr : &raw_.groups[index];
  }

  [[nodiscard]] const GlobalDefinitions::Group* group_of(
      const GlobalDefinitions::Comm& comm) const {
    const GlobalDefinitions::Group* usual = group(comm.group);
    if (usual == nullptr || usual->name == comm.name) return usual;
    const auto named = named_groups_.find({comm.group, comm.name});
    return named == named_groups_.end() ? usual : named->second;
  }

  static bool is_of_ranks(const GlobalDefinitions::Group& group) {
    return (group.type == GroupType::kCommGroup || group.type == GroupType::kCommLocations) &&
           (group.paradigm == kMpiParadigm || group.paradigm == 0);
  }

  [[nodiscard]] std::uint32_t rank_of(const GlobalDefinitions::Group& group,
                                      std::uint64_t member) const {
    if (!group.of_locations) {
      return member < tables_.ranks.size() ? static_cast<std::uint32_t>(member) : traces::kNobody;
    }
    const std::uint32_t location = tables_.locations_by_id.at(member);
    return location == traces::kNobody ? traces::kNobody : tables_.locations[location].rank;
  }

  // False if a member is no rank, or there twice.
  bool ranks_of(const GlobalDefinitions::Group& group, std::vector<std::uint32_t>& into) {
    members_ += group.members.size();
    if (members_ > kMostMembers)
      throw FormatError(name_, "definitions", "communicators of too many ranks altogether",
                        fmt::format("at most {} members of all of them", kMostMembers));
    if (seen_.empty()) seen_.resize(tables_.ranks.size(), 0);
    ++look_;
    into.reserve(group.members.size());
    for (const std::uint64_t member : group.members) {
      const std::uint32_t rank = rank_of(group, member);
      if (rank == traces::kNobody || seen_[rank] == look_) return false;
      seen_[rank] = look_;
      into.push_back(rank);
    }
    return true;
  }

  void take_groups() {
    Ids ids;
    for (const GlobalDefinitions::Group& group : raw_.groups) {
      std::vector<std::uint32_t> ranks;
      if (!is_of_ranks(group) || group.type == GroupType::kCommLocations) continue;
      if (!ranks_of(group, ranks)) continue;
      ids.emplace_back(group.id, static_cast<std::uint32_t>(out_.definitions.groups.size()));
      out_.definitions.groups.push_back(std::move(ranks));
    }
    out_.groups = IdTable(std::move(ids));
  }

  void take_comms() {
    Ids communicators;
    Ids teams;
    std::uint64_t left_out = 0;
    for (const GlobalDefinitions::Comm& comm : raw_.comms) {
      const GlobalDefinitions::Group* members = group_of(comm);
      if (members != nullptr && members->paradigm == kOpenmpParadigm) {
        teams.emplace_back(comm.id, static_cast<std::uint32_t>(out_.definitions.teams.size()));
        out_.definitions.teams.push_back(team_of(*members));
      } else if (members != nullptr && members->paradigm != kMpiParadigm &&
                 members->paradigm != 0) {
        continue;  // of accelerators, of SHMEM and the like
      } else if (traces::TraceCommunicator made;
                 members != nullptr && take_members(comm, *members, made)) {
        made.name = cut_name(raw_.text(comm.name));
        communicators.emplace_back(
            comm.id, static_cast<std::uint32_t>(out_.definitions.communicators.size()));
        out_.definitions.communicators.push_back(std::move(made));
      } else {
        ++left_out;
      }
    }
    out_.communicators = IdTable(std::move(communicators));
    out_.teams = IdTable(std::move(teams));
    if (left_out > 0)
      remark(
          fmt::format("{} of {} communicators name groups or ranks that are not there: left "
                      "out with their events.",
                      left_out, raw_.comms.size()));
  }

  bool take_members(const GlobalDefinitions::Comm& comm, const GlobalDefinitions::Group& members,
                    traces::TraceCommunicator& made) {
    if (members.type == GroupType::kCommSelf) return comm.remote_group == kUndefined;
    if (!is_of_ranks(members) || !ranks_of(members, made.ranks) || made.ranks.empty()) return false;
    if (comm.remote_group == kUndefined) return true;
    const GlobalDefinitions::Group* remote = group(comm.remote_group);
    return remote != nullptr && is_of_ranks(*remote) && ranks_of(*remote, made.remote) &&
           !made.remote.empty();
  }

  [[nodiscard]] std::vector<std::uint32_t> team_of(const GlobalDefinitions::Group& group) {
    members_ += group.members.size();
    if (members_ > kMostMembers)
      throw FormatError(name_, "definitions", "teams of too many threads altogether",
                        fmt::format("at most {} members of all of them", kMostMembers));
    std::vector<std::uint32_t> threads;
    for (std::uint64_t member : group.members) {
      if (!group.of_locations) {
        if (openmp_locations_ == nullptr || member >= openmp_locations_->members.size()) continue;
        member = openmp_locations_->members[static_cast<std::size_t>(member)];
      }
      const std::uint32_t location = tables_.locations_by_id.at(member);
      if (location != traces::kNobody) threads.push_back(location);
    }
    return threads;
  }

  void take_windows() {
    Ids ids;
    for (const GlobalDefinitions::Window& window : raw_.windows) {
      const std::uint32_t communicator = out_.communicators.at(window.comm);
      if (communicator == traces::kNobody) continue;
      ids.emplace_back(window.id, static_cast<std::uint32_t>(out_.definitions.windows.size()));
      out_.definitions.windows.push_back({cut_name(raw_.text(window.name)), communicator});
    }
    if (ids.size() < raw_.windows.size())
      remark(
          fmt::format("{} of {} windows name communicators that are not there: left out with "
                      "their events.",
                      raw_.windows.size() - ids.size(), raw_.windows.size()));
    out_.windows = IdTable(std::move(ids));
  }

  // A file of one process has no communicator, and nobody waits for others in accesses to it.
  void take_files() {
    Ids ids;
    for (const GlobalDefinitions::IoHandle& file : raw_.io_handles) {
      const std::uint32_t communicator = out_.communicators.at(file.comm);
      if (communicator != traces::kNobody) ids.emplace_back(file.id, communicator);
    }
    out_.files = IdTable(std::move(ids));
  }

  void take_contexts() {
    out_.context_ids = index_of(raw_.calling_contexts);
    for (const GlobalDefinitions::CallingContext& context : raw_.calling_contexts)
      out_.contexts.push_back(
          {out_.regions.at(context.region), out_.context_ids.at(context.parent)});
  }

  const GlobalDefinitions& raw_;
  std::string_view name_;
  RankTables tables_;
  RegionPlaces places_;
  IdTable raw_groups_;
  /// The first one of each number and name.
  std::map<std::pair<std::uint32_t, std::uint32_t>, const GlobalDefinitions::Group*> named_groups_;
  const GlobalDefinitions::Group* openmp_locations_ = nullptr;
  std::size_t members_ = 0;          // of all groups looked at so far
  std::vector<std::uint32_t> seen_;  // by rank: the last look that met it
  std::uint32_t look_ = 0;
  ResolvedTrace out_;
};

}  // namespace

ResolvedTrace resolve(const GlobalDefinitions& raw, std::string_view name) {
  return Resolver(raw, name).resolve();
}

}  // namespace huddle::otf2
