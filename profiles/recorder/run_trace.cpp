#include "profiles/recorder/run_trace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiles/recorder/lifecycle.hpp"
#include "profiles/recorder/process/process_facts.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

// A call of the kind that looks whether something has come: programs do it in empty loops.
constexpr std::uint64_t kLongestPauseNs = 2000;

std::vector<std::string> names_of_operations() {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < kOperations; ++i) names.push_back(mpi_name_of_operation(i));
  names.insert(names.end(), {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"});
  return names;
}

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
      portion_(request.buffer_bytes),
      shared_(request.limit_bytes, identity_.executable),
      clocks_(all),
      begin_(Moment::now()) {
  make_folder();
  clock_begin_ = clock_end_ = clocks_.measure();
  const double per_second = ticks_per_second(begin_, Moment::now());
  shared_.longest_pause_of_polls = static_cast<std::uint64_t>(per_second * 1e-9 * kLongestPauseNs);
}

void RunTrace::make_folder() noexcept {
  try {
    std::error_code failure;
    std::filesystem::create_directories(raw_folder_, failure);
    if (failure) throw SystemError("make", raw_folder_.native(), failure.value());
  } catch (const std::exception& failure) {
    shared_.writer.end(failure.what());
  }
}

ThreadTrace* RunTrace::new_thread() noexcept {
  if (shared_.writer.ended()) return nullptr;
  try {
    const std::lock_guard lock(mutex_);
    const std::filesystem::path file =
        raw_folder_ / fmt::format("{}.{}.events", identity_.rank, threads_.size());
    threads_.push_back(std::make_unique<ThreadTrace>(shared_, file, portion_));
    return threads_.back().get();
  } catch (const std::exception& failure) {
    shared_.writer.end(failure.what());
    return nullptr;
  }
}

void RunTrace::end() {
  clock_end_ = clocks_.measure();
}

RecordedTrace RunTrace::save(bool with_names) {
  RecordedTrace trace = told(with_names);
  try {
    write_definitions(trace);
  } catch (const Error&) {
    if (!with_names) throw;  // else the trace is made right now, of what is returned here
  }
  return trace;
}

void RunTrace::save_for_now() {
  RecordedTrace trace = told(false);
  const std::size_t named = trace.threads.size() + trace.call_paths.size() +
                            trace.communicators.size() + trace.windows.size() +
                            trace.groups.size() + trace.remarks.size();
  if (named == told_for_now_) return show_life();
  for (RecordedThread& thread : trace.threads) thread.bytes = RecordedThread::kUnknown;
  trace.remarks.emplace_back("the run was killed");
  write_definitions(trace);
  told_for_now_ = named;
}

// For file systems where nobody sees that the files are locked.
void RunTrace::show_life() const {
  if (identity_.rank != 0) return;
  const std::array<timespec, 2> now{{{0, UTIME_OMIT}, {0, UTIME_NOW}}};
  static_cast<void>(::utimensat(AT_FDCWD, definitions_file().c_str(), now.data(), 0));
}

std::filesystem::path RunTrace::definitions_file() const {
  return raw_folder_ / fmt::format("{}.definitions", identity_.rank);
}

RecordedTrace RunTrace::told(bool with_names) {
  RecordedTrace trace;
  trace.rank = identity_.rank;
  trace.ranks = identity_.ranks;
  trace.node = node_name();
  trace.ticks_per_second = ticks_per_second(begin_, Moment::now());
  trace.clock_begin = clock_begin_;
  trace.clock_end = clock_end_;
  trace.operations = names_of_operations();
  trace.raw_folder = raw_folder_;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& thread : threads_) {
      EventBuffer& events = thread->events();
      events.save();
      trace.threads.push_back({events.path(), events.written()});
    }
    trace.remarks = remarks();
  }
  // Behind the events, so that all of what they name is in them.
  shared_.paths.tell(trace);
  shared_.tables.tell(trace, with_names);
  return trace;
}

// On a disk that is full the trace has ended, and says so elsewhere.
void RunTrace::write_definitions(const RecordedTrace& trace) const {
  if (!std::filesystem::exists(raw_folder_)) return;
  AtomicFile file(definitions_file());
  file.write(trace.packed());
  file.commit_soon();
}

std::vector<std::string> RunTrace::remarks() const {
  std::vector<std::string> list;
  if (const std::string why = why_ended(); !why.empty())
    list.push_back(fmt::format("the trace ends before the run did: {}", why));
  if (shared_.gave_up.load())
    list.push_back("some events are missing: there was no memory for what they name");
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
