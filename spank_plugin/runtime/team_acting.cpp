#include "spank_plugin/runtime/team_acting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/recorder/openmp/region_hook.hpp"
#include "profiles/recorder/openmp/region_places.hpp"
#include "profiles/recorder/openmp/runtime_entries.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/runtime/packing/chooser_link.hpp"
#include "spank_plugin/runtime/packing/packing_driver.hpp"
#include "spank_plugin/runtime/packing/packing_refusal.hpp"
#include "spank_plugin/runtime/team_sizing.hpp"

namespace huddle::runtime {
namespace {

// Never destroyed: regions of other threads may be under way.
constinit PackingDriver* driver = nullptr;
constinit bool acts = false;
// Why regions of libgomp are left alone where those of another runtime are not; and whether there
// were any.
constinit const char* libgomp_left_alone = nullptr;
constinit std::atomic<bool> has_left_any_alone{false};
constinit ChooserLink* chooser = nullptr;  // null where none is to be asked
constinit std::uint64_t run_began = 0;     // in ticks
constinit double ticks_of_second = 1e9;
constinit const store::SizesForProgram* sizes = nullptr;  // null: no size may change

std::uint64_t since_begin(std::uint64_t now) {
  return now - run_began;
}

// Only where nothing but the team's usual size is asked for, in the program's own code, and of
// libgomp. By the thread that began the run mostly: another one's regions are not steered.
bool is_resizable(const recorder::RegionBegin& region) {
  if (sizes == nullptr || region.runtime->is_llvm || region.asked_threads != 0 ||
      !driver->packing().is_leader())
    return false;
  if (region.runtime->dynamic == nullptr || region.runtime->dynamic() != 0) return false;
  static std::unordered_map<std::uintptr_t, bool> known;  // the leader's
  try {
    const auto found = known.find(region.place);
    if (found != known.end()) return found->second;
    return known.emplace(region.place, is_of_program(region.place)).first->second;
  } catch (const std::exception&) {
    return false;
  }
}

// The number of threads is known only inside; a runtime that gives fewer leaves places
// empty.
std::uint64_t region_begins(recorder::RegionBegin& region) {
  if (driver->leaves_alone(region.place)) return TeamPacking::kHome;
  if (libgomp_left_alone != nullptr && !region.runtime->is_llvm) {
    has_left_any_alone.store(true, std::memory_order_relaxed);
    return TeamPacking::kHome;
  }
  std::uint32_t team = region.asked_threads;
  if (team == 0 && region.runtime->most_threads != nullptr)
    team = static_cast<std::uint32_t>(std::max(region.runtime->most_threads(), 0));
  if (team == 0) team = 1;
  region.now = recorder::TickClock::now();
  return driver->region_begins(region.place, team, 0, since_begin(region.now),
                               is_resizable(region));
}

unsigned threads_of(std::uint64_t token) {
  return PackingDriver::threads_of(token);
}

void thread_begins(std::uint64_t token, std::uint32_t thread) {
  driver->thread_begins(token, thread);
}

// A team that has ended stays where it is until its next region.
void region_ended(std::uint64_t token, std::uint32_t team, std::uint64_t ticks, std::uint64_t now) {
  driver->region_ended(token, team, ticks, since_begin(now));
}

constinit const recorder::RegionHook hook{region_begins, thread_begins, region_ended, threads_of};

// The length of a tick was never measured before a run's end; so long a look is enough here.
double ticks_in_a_second(const recorder::Moment& begin) {
  constexpr std::uint64_t kLook = 1'000'000;
  recorder::Moment now = recorder::Moment::now();
  while (now.nanoseconds < begin.nanoseconds + kLook) now = recorder::Moment::now();
  return static_cast<double>(now.ticks - begin.ticks) * 1e9 /
         static_cast<double>(now.nanoseconds - begin.nanoseconds);
}

// Where the step has a keeper of clocks. Without one, or where it refuses, clocks stay as they are.
std::unique_ptr<TeamClocks> clocks_by_keeper(const Environment& environment, const PuSet& home,
                                             double second) {
  constexpr double kPatience_s = 0.01;
  const std::string_view socket = text_of(environment, kKeeperVariable);
  if (socket.empty()) return nullptr;
  try {
    const auto client = std::make_shared<keeper::KeeperClient>(
        keeper::KeeperClient::connect(std::string(socket), home));
    std::vector<PuSet> clocks;
    for (const keeper::OfferedClock& clock : client->clocks()) clocks.push_back(clock.pus);
    return std::make_unique<TeamClocks>(
        clocks, home, static_cast<std::uint64_t>(kPatience_s * second),
        [client, second](std::size_t clock, std::optional<std::uint32_t> khz, std::uint64_t lease) {
          const std::chrono::nanoseconds length(
              static_cast<std::int64_t>(static_cast<double>(lease) / second * 1e9));
          client->ask(clock, khz.value_or(client->clocks()[clock].least_khz), length);
        });
  } catch (const std::exception&) {
    return nullptr;
  }
}

void take_answer(const std::string& answer, std::uint64_t now) {
  if (answer.starts_with(chooser::kNothingChosen)) {
    driver->leave_teams(shortened(answer.substr(chooser::kNothingChosen.size())));
    return;
  }
  try {
    driver->choose(throttling::parse_teams(answer, 1), {0}, now);
  } catch (const Error& error) {
    driver->leave_teams(error.what());
  }
}

PackedRegionRecord record_of(const PackingTrials::Row& row, const TeamHome& home, double tick) {
  PackedRegionRecord record;
  record.region = row.function;
  record.team = row.team;
  record.cores = row.cores;
  record.packages = row.packages == 0 ? home.packages(row.cores, 1) : row.packages;
  record.passes = row.packed.count;
  record.shortest.value = static_cast<double>(row.packed.shortest) * tick;
  record.longest.value = static_cast<double>(row.packed.longest) * tick;
  record.mean = std::clamp(Seconds{row.packed.mean * tick}, record.shortest, record.longest);
  record.variance_s2 = row.packed.variance() * tick * tick;
  record.first_passes = row.first.count;
  record.first_mean.value = row.first.mean * tick;
  record.usual_passes = row.usual.count;
  record.usual_mean.value = row.usual.mean * tick;
  record.usual_variance_s2 = row.usual.variance() * tick * tick;
  record.acted_passes = row.acted.count;
  record.acted_mean.value = row.acted.mean * tick;
  return record;
}

std::vector<PackedRegionRecord> records_of(const std::vector<PackingTrials::Row>& rows,
                                           const std::vector<OpenMpRegionRecord>& known,
                                           double tick) {
  std::vector<PackedRegionRecord> records;
  for (const PackingTrials::Row& row : rows)
    if (row.packed.count > 0 &&
        std::ranges::any_of(known, [&](const auto& one) { return one.region == row.function; }))
      records.push_back(record_of(row, driver->home(), tick));
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return std::tie(a.region, a.team, a.cores, a.packages) <
           std::tie(b.region, b.team, b.cores, b.packages);
  });
  return records;
}

RegionPositions positions_of(const std::vector<OpenMpRegionRecord>& known, double tick) {
  RegionPositions positions;
  const PackingTrials::Positions seen = driver->positions();
  for (const PositionTimes::Row& row : seen.all.rows) {
    if (std::ranges::none_of(known, [&](const auto& one) { return one.region == row.region; }))
      continue;
    positions.as_started.push_back({row.region,
                                    row.context,
                                    row.position,
                                    row.group,
                                    seen.teams.at(row.region),
                                    row.usual.count,
                                    {row.usual.mean * tick},
                                    row.usual.variance() * tick * tick});
    for (const TriedTimes& tried : row.tried)
      if (tried.packed.count > 0)
        positions.packed.push_back({row.region,
                                    row.context,
                                    tried.cores,
                                    driver->home().packages(tried.cores, 1),
                                    tried.packed.count,
                                    {tried.packed.mean * tick},
                                    tried.packed.variance() * tick * tick,
                                    tried.first.count,
                                    {tried.first.mean * tick}});
  }
  if (positions.as_started.empty()) return {};
  positions.anchor = seen.all.anchor;
  positions.length = seen.all.length;
  const auto key = [](const auto& one) { return std::tuple(one.region, one.context); };
  std::ranges::sort(positions.as_started, {}, key);
  std::ranges::sort(positions.packed, {}, [&](const PackedPositionRecord& one) {
    return std::tuple_cat(key(one), std::tuple(one.cores, one.packages));
  });
  return positions;
}

}  // namespace

bool wants_to_act_on_teams(const Environment& environment) {
  return PackingDriver::is_asked_for(environment);
}

bool act_on_teams(const Environment& environment, TeamTask task) {
  if (!wants_to_act_on_teams(environment)) return false;
  PackingDriver::Options options;
  options.rank = task.rank;
  options.ranks = task.ranks;
  options.home = std::move(task.home);
  // A process may have both kinds of runtimes.
  options.libgomp = recorder::llvm_runtime() == nullptr;
  if (!options.libgomp && spins_for_long(environment))
    libgomp_left_alone =
        "regions of libgomp were left alone: its threads look for work for long before they sleep "
        "(GOMP_SPINCOUNT)";
  const double second = ticks_in_a_second(task.begin);
  options.second = ticks_of_second = second;
  options.id_of = [](std::uintptr_t function) { return recorder::region_at(function).id; };
  const store::SizesForProgram asked = sizes_asked_for(environment);
  options.may_resize = asked.state == store::SizesState::kAct;
  // Teams of another runtime's programs can't be tried: they are packed as ever.
  if (asked.state == store::SizesState::kAudit && options.libgomp)
    options.begin_audit = [] { return begin_audit_of(*sizes); };
  if (asked.state != store::SizesState::kKeep)
    sizes = std::make_unique<store::SizesForProgram>(asked).release();
  driver = PackingDriver::from(environment, std::move(options)).release();
  if (!task.why_never.empty())
    driver->refuse(task.why_never);
  else if (!task.why_not.empty() && driver->may_pack() && !driver->shakes())
    driver->refuse(task.why_not);
  run_began = task.begin.ticks;
  acts = driver->may_pack();
  // Where there is nothing to choose, it ends.
  std::unique_ptr<ChooserLink> link = ChooserLink::from(environment);
  if (acts && driver->tries_cores()) chooser = link.release();
  if (acts && (driver->has_choices() || chooser != nullptr))
    driver->use_clocks(clocks_by_keeper(environment, driver->packing().home(), second));
  if (acts) recorder::region_hook.store(&hook, std::memory_order_release);
  return acts;
}

void go_on_choosing(const std::function<std::string()>& document) {
  constexpr std::chrono::milliseconds kPatience(300);
  using State = ChooserLink::State;
  if (chooser == nullptr) return;
  const auto now = [] { return since_begin(recorder::TickClock::now()); };
  // At two looks: a program may begin with something else than what it then does for long.
  constexpr int kLooks = 2;
  static int looks = 0;
  if (chooser->state() == State::kIdle) {
    looks = driver->may_choose(now()) ? looks + 1 : 0;
    if (looks < kLooks) return;
    try {
      chooser->ask(document());
    } catch (const std::exception& failure) {
      chooser->give_up();
      driver->leave_teams(failure.what());
      return;
    }
  }
  if (chooser->state() == State::kLost) driver->leave_teams("what was to choose can't be asked");
  if (chooser->state() != State::kAsking) return;
  chooser->go_on(kPatience);
  if (chooser->state() == State::kAnswered)
    take_answer(chooser->answer(), now());
  else if (chooser->state() == State::kLost)
    driver->leave_teams("what was to choose did not answer");
}

void team_group_ends(std::uint64_t group, std::uint64_t now) noexcept {
  if (acts) driver->group_ends(group, now);
}

void add_acted_regions(RankRecord& record, const recorder::Interval& run) {
  if (driver == nullptr) return;
  const double tick = run.lasted(1).value;
  record.packed_regions = records_of(driver->rows(), record.openmp_regions, tick);
  record.smaller_teams = records_of(driver->smaller_rows(), record.openmp_regions, tick);
  record.region_positions = positions_of(record.openmp_regions, tick);
}

std::string stop_acting_on_teams() {
  if (driver == nullptr) return {};
  recorder::region_hook.store(nullptr, std::memory_order_release);
  if (chooser != nullptr) chooser->give_up();
  if (acts) driver->finish();
  acts = false;
  std::string note = driver->note(since_begin(recorder::TickClock::now()));
  if (has_left_any_alone.load()) note += fmt::format(" (The {}.)", libgomp_left_alone);
  return note;
}

void note_end_of_audits(const Environment& environment) {
  const bool tried =
      driver != nullptr && sizes != nullptr && sizes->state == store::SizesState::kAudit;
  end_audits_of_run(environment, tried ? driver->smaller_rows() : std::vector<PackingTrials::Row>(),
                    1 / ticks_of_second);
}

void forget_teams() noexcept {
  recorder::region_hook.store(nullptr, std::memory_order_relaxed);
  if (chooser != nullptr) chooser->leave_in_child();
}

}  // namespace huddle::runtime
