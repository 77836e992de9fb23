#include "profiles/recorder/run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/recorder/newer_calls.hpp"
#include "profiles/recorder/openmp/region_places.hpp"
#include "profiles/recorder/other_tools.hpp"
#include "profiles/recorder/process/loaded_modules.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/recorder/run_actor.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

using std::chrono::system_clock;
using namespace std::chrono_literals;

// The message from rank 0 to the others when the run begins.
struct Agreement {
  std::uint64_t job = 0;
  std::uint32_t step = 0;
  std::int32_t process = 0;
  std::int64_t started_ms = 0;
  std::uint32_t number = 1;
};

std::uint64_t started_ms(const RunIdentity& identity) {
  const auto time = std::chrono::floor<std::chrono::milliseconds>(identity.started);
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

// A rank that dies must not outlive its launcher's patience: the parts of more ranks take long to
// read where a parallel file system has them. Then the last profile of snapshots stays.
constexpr std::uint32_t kMostReadAtDeath = 128;

// The lock, or none if it is not to be had in that time. A timed mutex would ask for a newer glibc
// than programs may have.
std::unique_lock<std::mutex> locked_within(std::mutex& mutex, std::chrono::milliseconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
    lock = std::unique_lock(mutex, std::try_to_lock);
  }
  return lock;
}

}  // namespace

Run::Run(Program program, Destination destination, Job job, Measures::Options measures,
         TraceRequest trace)
    : program_(std::move(program)),
      destination_(std::move(destination)),
      process_(::getpid()),
      rank_(static_cast<std::uint32_t>(channel_.rank())),
      ranks_(static_cast<std::uint32_t>(channel_.ranks())),
      library_(library_version()),
      threads_(kOperations),
      first_thread_(threads_.claim()),
      measures_(std::move(measures)),
      tools_follow_(recorder::tools_follow()) {
  agree_on_run(job);
  cpu_begin_ = process_cpu_time();
  begin_ = Moment::now();
  first_thread_.clock = CallClock(begin_.ticks);
  phases_ = std::make_unique<PhaseTracker>(begin_.ticks, measures_.phase_counters());
  first_thread_.phases = phases_.get();
  if (run_actor != nullptr &&
      run_actor->agree(channel_, begin_, first_thread_.counters.ticks_inside())) {
    first_thread_.actor = run_actor;
    destination_.keep_as_balanced();
  }
  begin_trace(std::move(trace));
  begin_thread(first_thread_);
}

void Run::begin_window() noexcept {
  cpu_begin_ = process_cpu_time();
  begin_ = Moment::now();
  phases_->begin_phase(begin_.ticks, first_thread_.counters.ticks_inside());
}

void Run::end_window() noexcept {
  end_ = Moment::now();
  cpu_end_ = process_cpu_time();
  window_has_ended_.store(true, std::memory_order_release);
}

void Run::note_other_tools() {
  keeps_ranks_ = channel_.any_of_all(has_program_ ? 0 : 1) != 0;
  if (tools_follow_)
    remarks_.push_back(
        "the program's calls of MPI went to another tool first, whose time is in theirs: " +
        names_of_tools());
  if (keeps_ranks_)
    remarks_.emplace_back(
        "another tool in MPI's profiling interface kept ranks for itself: the program has fewer "
        "than this profile");
}

void Run::agree_on_run(Job job) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  Agreement agreement{job.id, job.step, process_, now.time_since_epoch().count()};
  if (rank_ == 0) agreement.number = destination_.claim_number(ranks_, program_.executable);
  channel_.broadcast(&agreement, sizeof agreement);
  identity_.job = {agreement.job, agreement.step};
  identity_.process = agreement.process;
  identity_.number = agreement.number;
  identity_.started = system_clock::time_point(std::chrono::milliseconds(agreement.started_ms));
}

RankRecord Run::record() const {
  const bool has_ended = window_has_ended_.load(std::memory_order_acquire);
  const Interval interval(begin_, has_ended ? end_ : Moment::now());
  const auto threads = threads_.counters();
  RankRecord record;
  record.rank.value = rank_;
  record.node = node_name();
  record.pus = PuSet::of_this_thread();
  record.run_time = interval.length();
  record.mpi_time =
      std::min(interval.lasted(first_thread_.counters.ticks_inside()), record.run_time);
  record.cpu_time = (has_ended ? cpu_end_ : process_cpu_time()) - cpu_begin_;
  record.peak_resident = peak_resident();
  record.sent = merged_messages(threads, Traffic::kSent);
  record.sent_to_neighbours = merged_messages(threads, Traffic::kSentToNeighbours);
  record.put = merged_messages(threads, Traffic::kPut);
  record.fetched = merged_messages(threads, Traffic::kFetched);
  record.collectives = merged_collectives(threads, interval, name_of_operation);
  record.calls = merged_calls(threads, interval, name_of_operation);
  record.phases = phases_->records(
      interval, [&](const counters::Tally& tally) { return measures_.counts(tally); });
  record.periods = phases_->periods();
  DescribedRegions regions = describe(
      regions_, interval, [&](const counters::Tally& tally) { return measures_.counts(tally); });
  record.openmp_regions = std::move(regions.records);
  record.region_periods = std::move(regions.periods);
  if (run_actor != nullptr) run_actor->add_to(record, interval);
  // Groups are known a little later than what their regions took.
  for (RegionPositionRecord& one : record.region_positions.as_started)
    if (std::ranges::none_of(record.phases,
                             [&](const PhaseRecord& phase) { return phase.group == one.group; }))
      one.group = 0;
  measures_.complete(record);
  return record;
}

// One rank lists each communicator, so that a large run does not list it many times.
SharedTables Run::tables() const {
  SharedTables tables;
  for (Communicator& communicator : accounts_.communicators.all())
    if (!communicator.members.empty() && communicator.members.runs().front().first == rank_)
      tables.communicators.push_back(std::move(communicator));
  tables.phase_groups = phases_->groups();
  tables.openmp_regions = describe(regions_, Interval(begin_, Moment::now())).regions;
  tables.modules = modules_named_in(tables.phase_groups, tables.openmp_regions);
  tables.absent_events = measures_.absent();
  return tables;
}

Piece Run::piece() const {
  return {encode_rank_record(record(), encoding()), encode_shared_tables(tables())};
}

std::string Run::profile_of_rank() const {
  RankRecord own = record();
  RankRecord alone;
  alone.node = own.node;
  alone.pus = own.pus;
  alone.run_time = own.run_time;
  alone.mpi_time = own.mpi_time;
  alone.phases = std::move(own.phases);
  alone.openmp_regions = std::move(own.openmp_regions);
  alone.packed_regions = std::move(own.packed_regions);
  alone.smaller_teams = std::move(own.smaller_teams);
  alone.region_positions = std::move(own.region_positions);
  SharedTables tables;
  tables.phase_groups = phases_->groups();
  tables.openmp_regions = describe(regions_, Interval(begin_, Moment::now())).regions;
  Profile head;
  head.label = destination_.label();
  head.ranks = 1;
  head.executable = program_.executable;
  return encode_profile_head(head, Encoding::kCbor) + encode_rank_record(alone, Encoding::kCbor) +
         encode_profile_tail(tables, Encoding::kCbor);
}

Profile Run::description() const {
  Profile profile;
  profile.label = destination_.label();
  profile.user = store::current_user();
  profile.ranks = ranks_;
  profile.executable = program_.executable;
  profile.build_id = program_.build_id;
  profile.arguments = program_.arguments;
  profile.launched = destination_.launched();
  profile.script = destination_.script();
  profile.problem_size = destination_.problem_size();
  if (!destination_.why_no_size().empty()) profile.notes.push_back(destination_.why_no_size());
  if (run_actor != nullptr)
    std::ranges::move(run_actor->notes(), std::back_inserter(profile.notes));
  profile.notes.insert(profile.notes.end(), remarks_.begin(), remarks_.end());
  if (std::string missing = why_regions_are_missing(); !missing.empty())
    profile.notes.push_back(std::move(missing));
  if (newer_calls_go_past())
    profile.notes.emplace_back(
        "a library that was loaded after MPI_Init calls functions of MPI 4 (large counts, "
        "persistent collectives or others) that are not counted there");
  profile.mpi_library = library_;
  profile.slurm_job_id = identity_.job.id;
  profile.slurm_step_id = identity_.job.step;
  profile.started_at =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(system_clock::to_time_t(identity_.started)));
  profile.counters_absent_reason = measures_.hardware_absent_reason();
  return profile;
}

void Run::write_complete(bool kept) {
  snapshots_.reset();
  Piece own;
  try {
    if (kept) own = piece();
  } catch (...) {  // an empty record says so
  }
  if (parts_) parts_->remove();
  if (rank_ == 0)
    write_all(own);
  else
    channel_.deliver(own.packed());
}

// A failure here must not keep the other ranks waiting: they are still asked, and refused.
void Run::write_all(const Piece& own) const {
  std::optional<files::AtomicFile> file;
  std::exception_ptr failure;
  CollectedTables tables;
  const auto attempt = [&](const auto& action) {
    try {
      if (!failure) action();
    } catch (...) {
      failure = std::current_exception();
    }
    return failure == nullptr;
  };
  const auto add = [&](const Piece& piece) {
    if (piece.record.empty())
      throw Error("no profile is written: a rank could not keep its counts");
    file->write(piece.record);
    tables.add(piece.shared);
  };
  attempt([&] {
    file.emplace(path());
    file->write(encode_profile_head(description(), encoding()));
    add(own);
  });
  channel_.collect([&](const std::string& text) {
    return attempt([&] {
      file->write(rank_record_separator(encoding()));
      add(Piece::unpacked(text, "a rank's message"));
    });
  });
  attempt([&] {
    file->write(encode_profile_tail(tables.take(), encoding()));
    file->commit_soon();  // the other ranks wait for this one
    if (parts_) parts_->remove_all();
  });
  if (failure) std::rethrow_exception(failure);
}

std::filesystem::path Run::path() const {
  return destination_.path(store::current_user(), ranks_, identity_, identity_.started);
}

Parts& Run::parts() {
  if (!parts_)
    parts_.emplace(path(), hash_of(identity_.name()) ^ started_ms(identity_), rank_,
                   identity_.started, is_spooled() ? Parts::Place::kSpool : Parts::Place::kStore);
  return *parts_;
}

void Run::write_cut_short(const std::string& reason) {
  Profile profile = description();
  profile.complete = false;
  profile.cut_short_reason = reason;
  if (trace_ != nullptr) trace_->save(false);
  const Piece own = piece();
  // A snapshot that waits for the store is nearly as good.
  const std::unique_lock lock = locked_within(parts_mutex_, 50ms);
  if (!lock.owns_lock() || !parts().write(own)) return;
  if (is_spooled() || ranks_ <= kMostReadAtDeath)
    parts().make_profile(profile, encoding(), RunState::kEnded);
}

void Run::keep_snapshots() {
  static constexpr std::chrono::milliseconds kFirst = 2s;
  static constexpr std::chrono::milliseconds kPeriod = 4s;
  // After the others' first parts.
  const std::chrono::milliseconds first = kFirst + (rank_ == 0 ? 500ms : 0ms);
  snapshots_ = std::make_unique<Snapshots>([this] { take_snapshot(); }, first, kPeriod);
}

// Failures in here are reported at the end of the run by the rank that writes the profile.
void Run::take_snapshot() noexcept {
  try {
    measures_.poll();
    if (run_actor != nullptr && !ended_.load())
      run_actor->look([this] { return profile_of_rank(); });
    // At most the last two periods of a killed run are lost. Rank 0 reads all parts each time: in
    // large runs that is done less often.
    static constexpr std::uint32_t kRanksEachPeriod = 4096;
    if (snapshots_due_++ % (1 + ranks_ / kRanksEachPeriod) != 0) return;
    const FileLimitGuard guard;
    if (trace_ != nullptr) trace_->save_for_now();
    const Piece own = piece();
    const std::lock_guard lock(parts_mutex_);
    if (ended_.load()) return;
    const bool first = !parts_;
    if (!parts().write(own) || rank_ != 0) return;
    if (first)
      Parts::remove_stale(path().parent_path(), std::filesystem::file_time_type::clock::now() - 1h);
    Profile profile = description();
    profile.complete = false;
    profile.cut_short_reason =
        fmt::format("at {:%Y-%m-%dT%H:%M:%SZ} the run had not ended: it went on, or was killed",
                    fmt::gmtime(system_clock::to_time_t(system_clock::now())));
    parts().make_profile(profile, encoding(), RunState::kGoesOn);
  } catch (...) {
  }
}

bool Run::is_this_process() const {
  return ::getpid() == process_;
}

}  // namespace huddle::recorder
