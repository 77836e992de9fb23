#include "profiles/recorder/tracing/run_trace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

constexpr int kRounds = 20;
// On busy nodes there may be no quick message among them: then more are tried.
constexpr int kMostRounds = 100;
constexpr std::uint64_t kGoodEnoughNs = 50'000;

// Rank 0 asks for another reading, or ends them.
constexpr char kEnough = 0;
constexpr char kAgain = 1;

// The most exact of some readings: of ticks_now() between two readings of rank 0's own clock.
template <class TicksNow>
ClockPoint best_of_rounds(TicksNow ticks_now) {
  ClockPoint best{0, 0, ~std::uint64_t{0}};
  for (int round = 0;
       round < kRounds || (round < kMostRounds && best.uncertainty_ns > kGoodEnoughNs); ++round) {
    const std::uint64_t before = TickClock::nanoseconds();
    const std::uint64_t ticks = ticks_now();
    const std::uint64_t took = TickClock::nanoseconds() - before;
    const std::uint64_t half = (took + 1) / 2;
    if (half < best.uncertainty_ns)
      best = {ticks, static_cast<std::int64_t>(before + took / 2), half};
  }
  return best;
}

void ask(const Channel& leaders, int rank) {
  const ClockPoint point = best_of_rounds([&] {
    const char word = kAgain;
    std::uint64_t ticks = 0;
    leaders.send(rank, &word, sizeof word);
    leaders.receive(rank, &ticks, sizeof ticks);
    return ticks;
  });
  const char word = kEnough;
  leaders.send(rank, &word, sizeof word);
  leaders.send(rank, &point, sizeof point);
}

ClockPoint answer(const Channel& leaders) {
  for (char word = kAgain;;) {
    leaders.receive(0, &word, sizeof word);
    const std::uint64_t ticks = TickClock::now();
    if (word == kEnough) break;
    leaders.send(0, &ticks, sizeof ticks);
  }
  ClockPoint point;
  leaders.receive(0, &point, sizeof point);
  return point;
}

}  // namespace

NodeClocks::NodeClocks(const Channel& all)
    : node_(all.node()), leaders_(all.subset(node_.rank() == 0)) {}

ClockPoint NodeClocks::measure() const {
  ClockPoint point;
  if (leaders_) {
    if (leaders_->rank() == 0) {
      for (int rank = 1; rank < leaders_->ranks(); ++rank) ask(*leaders_, rank);
      point = best_of_rounds([] { return TickClock::now(); });
    } else {
      point = answer(*leaders_);
    }
  }
  node_.broadcast(&point, sizeof point);
  return point;
}

namespace {

constexpr std::size_t kSamplesWorthWriting = 600;

// Threads of teams are many, and record only regions: their buffers are smaller.
constexpr std::size_t kPartOfPortion = 8;

// A call of the kind that looks whether something has come: programs do it in empty loops.
constexpr std::uint64_t kLongestPauseNs = 2000;

double ticks_per_second(Moment begin, Moment end) {
  if (end.nanoseconds <= begin.nanoseconds || end.ticks <= begin.ticks) return 1e9;
  return static_cast<double>(end.ticks - begin.ticks) * 1e9 /
         static_cast<double>(end.nanoseconds - begin.nanoseconds);
}

}  // namespace

RunTrace::RunTrace(const Channel& all, const TraceRequest& request, Identity identity)
    : identity_(std::move(identity)),
      folder_(request.folder),
      raw_folder_(RawTraceFolder::path_of(folder_, identity_.run)),
      definitions_(RawTraceFolder::definitions_file(raw_folder_, identity_.rank)),
      shared_(request.limit_bytes, identity_.executable),
      clocks_(all),
      begin_(Moment::now()) {
  shared_.operations = static_cast<std::uint32_t>(identity_.operations.size());
  std::error_code failure;
  std::filesystem::create_directories(raw_folder_, failure);
  if (failure)
    shared_.writer.end(SystemError("make", raw_folder_.native(), failure.value()).what());
  // Before the ranks meet, so that none is late in the program for it.
  if (clocks_.is_first_of_node()) {
    PowerSampler::Options sampling;
    sampling.job = identity_.job;
    power_ = PowerSampler::begin(sampling);
  }
  clock_begin_ = clock_end_ = clocks_.measure();
  const double per_second = ticks_per_second(begin_, Moment::now());
  shared_.longest_pause_of_polls = static_cast<std::uint64_t>(per_second * 1e-9 * kLongestPauseNs);
}

ThreadTrace* RunTrace::new_thread(std::size_t portion) noexcept {
  if (shared_.writer.ended()) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    const std::filesystem::path file =
        RawTraceFolder::events_file(raw_folder_, identity_.rank, threads_.size());
    threads_.push_back(std::make_unique<ThreadTrace>(shared_, file, portion,
                                                     static_cast<std::uint32_t>(threads_.size())));
    return threads_.back().get();
  } catch (const std::exception& failure) {
    shared_.writer.end(failure.what());
    return nullptr;
  }
}

TeamTrace* RunTrace::teams_of(ThreadTrace& beginner) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (teams_.size() <= beginner.number()) teams_.resize(beginner.number() + 1);
    std::unique_ptr<TeamTrace>& teams = teams_[beginner.number()];
    if (!teams)
      teams = std::make_unique<TeamTrace>(beginner,
                                          [this] { return new_thread(kPortion / kPartOfPortion); });
    return teams.get();
  } catch (const std::exception&) {
    shared_.gave_up.store(true);
    return nullptr;
  }
}

void RunTrace::end() {
  if (power_) power_->end();
  clock_end_ = clocks_.measure();
}

RecordedTrace RunTrace::save(bool with_names) {
  RecordedTrace trace = recorded(with_names);
  try {
    write_definitions(trace);
  } catch (const Error&) {
    if (!with_names) throw;  // else the trace is made right now, of what is returned here
  }
  return trace;
}

void RunTrace::save_for_now() {
  RecordedTrace trace = recorded(false);
  std::size_t named = trace.threads.size() + trace.call_paths.size() + trace.communicators.size() +
                      trace.windows.size() + trace.groups.size() + trace.remarks.size() +
                      trace.regions.size() + trace.teams.size();
  // A minute of it counts as something new.
  if (!trace.power.empty()) named += trace.power[0].ticks.size() / kSamplesWorthWriting;
  if (named == saved_for_now_) return show_that_run_goes_on();
  for (RecordedThread& thread : trace.threads) thread.bytes = RecordedThread::kUnknown;
  trace.remarks.emplace_back("the run was killed");
  write_definitions(trace);
  saved_for_now_ = named;
}

// For file systems on which nobody sees that the files are locked.
void RunTrace::show_that_run_goes_on() const {
  if (identity_.rank != 0) return;
  const std::array<timespec, 2> now{{{0, UTIME_OMIT}, {0, UTIME_NOW}}};
  static_cast<void>(::utimensat(AT_FDCWD, definitions_.c_str(), now.data(), 0));
}

RecordedTrace RunTrace::recorded(bool with_names) {
  RecordedTrace trace;
  trace.rank = identity_.rank;
  trace.ranks = identity_.ranks;
  trace.node = node_name();
  trace.ticks_per_second = ticks_per_second(begin_, Moment::now());
  trace.clock_begin = clock_begin_;
  trace.clock_end = clock_end_;
  trace.operations = identity_.operations;
  trace.program = identity_.executable;
  trace.build_id = identity_.build_id;
  trace.raw_folder = raw_folder_;
  if (power_) trace.power = power_->recorded();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& thread : threads_) {
      EventBuffer& events = thread->events();
      events.save();
      trace.threads.push_back({events.path(), events.written()});
    }
    trace.remarks = remarks();
  }
  // After the events, so that everything they refer to is described.
  shared_.paths.describe(trace);
  shared_.tables.describe(trace, with_names);
  shared_.openmp.describe(trace);
  const std::lock_guard lock(mutex_);
  for (const auto& teams : teams_)
    if (teams) teams->describe(trace.teams);
  // Some may have come while events were saved.
  for (std::vector<std::uint32_t>& team : trace.teams)
    std::erase_if(team, [&](std::uint32_t thread) { return thread >= trace.threads.size(); });
  return trace;
}

// Where the folder could not be made, the trace has ended, and a remark says so.
void RunTrace::write_definitions(const RecordedTrace& trace) const {
  if (!std::filesystem::exists(raw_folder_)) return;
  files::AtomicFile file(definitions_);
  file.write(trace.packed());
  file.commit_soon();
}

std::vector<std::string> RunTrace::remarks() const {
  std::vector<std::string> list;
  if (const std::string why = why_ended(); !why.empty())
    list.push_back(fmt::format("the trace ends before the run did: {}", why));
  if (shared_.gave_up.load())
    list.push_back("some events are missing: there was no memory for what they name");
  if (shared_.large_teams.load())
    list.push_back(fmt::format("teams of more than {} threads have no events of their threads",
                               TeamTrace::kMostThreads));
  EventBuffer::Waits waits;
  for (const auto& thread : threads_) {
    waits.count += thread->events().waits().count;
    waits.ticks += thread->events().waits().ticks;
  }
  if (waits.count > 0)
    list.push_back(fmt::format(
        "the program waited {} times for its events to be written, {:.6f} s "
        "in all",
        waits.count, static_cast<double>(waits.ticks) / ticks_per_second(begin_, Moment::now())));
  return list;
}

}  // namespace huddle::recorder
