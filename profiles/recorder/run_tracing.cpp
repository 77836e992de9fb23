// The part of a run that deals with its trace.

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>

#include "profiles/recorder/other_tools.hpp"
#include "profiles/recorder/run.hpp"
#include "profiles/recorder/tracing/trace_output.hpp"
#include "profiles/store/recorded_runs.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

// Why there can't be a trace in that folder, for people; empty if nothing speaks against it.
std::string obstacle_to(const TraceRequest& wanted) {
  if (wanted.folder.empty()) return {};
  std::error_code failure;
  const bool there = std::filesystem::exists(wanted.folder, failure);
  if (!there || std::filesystem::is_empty(wanted.folder, failure)) return {};
  return fmt::format("not traced: {} is there already; remove it, or name another folder",
                     wanted.folder.native());
}

}  // namespace

// Rank 0 decides; others may not see the same environment, or not the same folder.
void Run::begin_trace(TraceRequest wanted) {
  if (wanted.beside_profile)
    wanted.folder = path().replace_extension(".trace");
  else if (!wanted.folder.empty())
    wanted.folder = store::file_of_run(wanted.folder, identity_.number);
  const std::string why_not = rank_ == 0 ? obstacle_to(wanted) : std::string();
  if (!why_not.empty()) {
    say(why_not);
    wanted.folder.clear();
  }
  wanted.folder = channel_.broadcast(wanted.folder.native());
  if (wanted.folder.empty()) return;
  trace_ = std::make_unique<RunTrace>(
      channel_, wanted,
      RunTrace::Identity{rank_, ranks_, identity_.name(), program_.executable, program_.build_id,
                         names_of_traced_calls(), identity_.job});
}

void Run::begin_thread(ThreadState& state) noexcept {
  if (tools_follow_) state.clock.pass_over_none();
  if (trace_ == nullptr) return;
  if (state.trace == nullptr) state.trace = trace_->new_thread();
  if (state.trace == nullptr) return;
  state.trace->begin_thread();
  state.clock.pass_over_none();
}

void Run::end_trace() {
  if (trace_ != nullptr) trace_->end();
}

// One line for all ranks whose trace ends early; which they are is in the trace.
void Run::write_trace() {
  if (trace_ == nullptr) return;
  if (keeps_ranks_) {
    remove_trace([this] { return trace_->save(false); });
    throw Error(
        "no trace is written: another tool in MPI's profiling interface keeps ranks for itself, "
        "and gives the program's calls other communicators than they name");
  }
  std::optional<RecordedTrace> saved;
  std::exception_ptr failure;
  try {
    saved = trace_->save(true);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::uint32_t cut = channel_.any_of_all(trace_->why_ended().empty() ? 0 : 1);
  const auto save = [&] {
    if (failure) std::rethrow_exception(failure);
    return *std::move(saved);
  };
  recorder::write_trace(save, channel_, trace_->folder());
  if (rank_ == 0 && cut != 0)
    say("the trace of some ranks ends before the run did; huddle waitstates says of which, and "
        "why");
}

}  // namespace huddle::recorder
