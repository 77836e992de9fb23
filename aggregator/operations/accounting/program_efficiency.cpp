#include "aggregator/operations/accounting/program_efficiency.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/processes/drop_rights.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

using Json = nlohmann::json;
constexpr std::chrono::minutes kPatience{1};
constexpr double kSecondsOfHour = 3600;

std::optional<UsedTime> used_in(const std::string& profile_file) {
  try {
    const Profile profile = load_profile(profile_file);
    const auto run = efficiency::efficiency_of(profile);
    if (!run) return std::nullopt;
    return UsedTime{std::filesystem::path(profile.executable).filename().string(), run->whole};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// What a process of a user's rights hands back: an entry for each file, null where nothing is
// known.
Json packed(const std::optional<UsedTime>& used) {
  if (!used) return nullptr;
  const auto& [mpi, openmp] = used->efficiency;
  Json json = {{"program", utf8(used->program)}, {"mpi", {mpi.load_balance, mpi.communication}}};
  if (openmp) json["openmp"] = {openmp->load_balance, openmp->scheduling, openmp->serialisation};
  return json;
}

// Throws what the library throws if the text is not what packed() makes.
std::optional<UsedTime> unpacked(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto share = [](const Json& number) { return std::clamp(number.get<double>(), 0.0, 1.0); };
  UsedTime used;
  used.program = json.at("program").get<std::string>();
  const Json& mpi = json.at("mpi");
  used.efficiency.mpi = {share(mpi.at(0)), share(mpi.at(1))};
  if (json.contains("openmp")) {
    const Json& openmp = json.at("openmp");
    used.efficiency.openmp = {share(openmp.at(0)), share(openmp.at(1)), share(openmp.at(2))};
  }
  return used;
}

// The owner of the user's part, if that is another user's and this process is root.
std::optional<struct stat> other_owner(const store::Store& store, const std::string& user) {
  struct stat part {};
  if (::geteuid() != 0 || ::lstat(store.part_of(user).c_str(), &part) != 0 || part.st_uid == 0)
    return std::nullopt;
  return part;
}

// The same for all of a user's runs, in a process that has its owner's rights alone.
void read_as_owner(const std::vector<ReportedRun*>& runs, const struct stat& part) {
  // Looked up here: in the process that has dropped its rights nothing of the system is asked.
  const passwd* const owner = ::getpwuid(part.st_uid);  // NOLINT(concurrency-mt-unsafe)
  const gid_t group = owner != nullptr ? owner->pw_gid : part.st_gid;
  if (group == 0) throw Error("its owner's group is root's");
  const auto answer = processes::in_separate_process(
      [&] {
        processes::drop_rights(part.st_uid, group);
        Json list = Json::array();
        for (const ReportedRun* run : runs)
          list.push_back(packed(used_in(run->outcome.profile_file)));
        return list.dump();
      },
      kPatience);
  if (!answer)
    throw Error(fmt::format("no answer in {} s", std::chrono::seconds(kPatience).count()));
  try {
    const Json list = Json::parse(*answer);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i]->used = unpacked(list.at(i));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("not understood: {}", error.what()));
  }
}

double measured_node_hours(const ReportedRun& run) {
  if (!run.outcome.end) return 0;
  return run.outcome.end->elapsed.value * run.outcome.run->nodes / kSecondsOfHour;
}

}  // namespace

std::vector<std::string> add_used_time(
    std::vector<ReportedRun>& runs, const store::Store& store,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  std::map<std::string, std::vector<ReportedRun*>> by_user;
  for (ReportedRun& run : runs)
    if (run.wanted && !run.outcome.profile_file.empty()) by_user[run.outcome.user].push_back(&run);
  std::vector<std::string> notes;
  std::size_t done = 0;
  for (const auto& [user, of_user] : by_user) {
    try {
      if (const auto part = other_owner(store, user))
        read_as_owner(of_user, *part);
      else
        for (ReportedRun* run : of_user) run->used = used_in(run->outcome.profile_file);
    } catch (const Error& error) {
      notes.push_back(
          fmt::format("no efficiencies of runs of {}: {}", shortened(user), error.what()));
    }
    progress(++done, by_user.size());
  }
  return notes;
}

std::vector<ProgramEfficiency> program_efficiencies(const std::vector<ReportedRun>& runs) {
  struct Sums {
    ProgramEfficiency program;
    std::set<std::string> users;
    double openmp = 0;
    double openmp_hours = 0;
  };
  std::map<std::string, Sums> by_name;
  for (const ReportedRun& run : runs) {
    const double hours = measured_node_hours(run);
    if (!run.wanted || !run.used || !(hours > 0)) continue;
    Sums& sums = by_name[run.used->program];
    ProgramEfficiency& program = sums.program;
    const efficiency::Efficiency& used = run.used->efficiency;
    sums.users.insert(run.outcome.user);
    program.least_ranks =
        program.runs == 0 ? run.outcome.ranks : std::min(program.least_ranks, run.outcome.ranks);
    program.most_ranks = std::max(program.most_ranks, run.outcome.ranks);
    ++program.runs;
    program.node_hours += hours;
    program.lost_node_hours += hours * (1 - used.parallel());
    program.load_balance += hours * used.mpi.load_balance;
    program.communication += hours * used.mpi.communication;
    if (!used.openmp) continue;
    sums.openmp += hours * used.openmp->parallel();
    sums.openmp_hours += hours;
  }
  std::vector<ProgramEfficiency> programs;
  for (auto& [name, sums] : by_name) {
    ProgramEfficiency& program = sums.program;
    program.program = name;
    program.users = sums.users.size();
    program.load_balance /= program.node_hours;
    program.communication /= program.node_hours;
    if (sums.openmp_hours > 0) program.openmp = sums.openmp / sums.openmp_hours;
    programs.push_back(std::move(program));
  }
  std::ranges::stable_sort(programs, [](const ProgramEfficiency& a, const ProgramEfficiency& b) {
    return a.lost_node_hours > b.lost_node_hours;
  });
  return programs;
}

}  // namespace huddle::operations
