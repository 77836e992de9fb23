#include "profiles/recorder/recorder.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiles/recorder/mpi/mpi_abi.hpp"
#include "profiles/recorder/newer_calls.hpp"
#include "profiles/recorder/process/run_request.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/recorder/process/this_process.hpp"
#include "profiles/recorder/region_watch.hpp"
#include "profiles/recorder/run.hpp"
#include "profiles/recorder/run_actor.hpp"
#include "profiles/recorder/startup/recording_agreement.hpp"

namespace huddle::recorder {

constinit std::atomic<bool> recording{false};
constinit thread_local ThreadContext thread_context;
constinit RunActor* run_actor = nullptr;

namespace {

// The environment's request, from the begin of MPI_Init on.
struct Request {
  Request(Program the_program, Destination where, Launch launch)
      : program(std::move(the_program)),
        destination(std::move(where)),
        agreement(destination, std::move(launch)) {}
  Program program;
  Destination destination;
  RecordingAgreement agreement;
  std::uint64_t init_began = 0;  // in ticks
  bool started = false;
};

// Never destroyed: threads and exit handlers may look at them until the process is gone.
constinit Request* request = nullptr;
constinit Run* run = nullptr;
constinit std::atomic<bool> gave_up{false};

const char* environment(const char* name) {
  return ::getenv(name);
}

// Hands a thread's state back when the thread ends.
struct Lease {
  Lease() = default;
  ~Lease() {
    if (state == nullptr) return;
    thread_context = {nullptr, nullptr, true};
    if (!run->is_this_process()) return;  // after fork() the locks are not to be taken
    if (state->trace != nullptr) state->trace->finish();
    run->threads().release(*state);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ThreadState* state = nullptr;
};
thread_local Lease lease;

void prepare() {
  Program program = this_program();
  auto destination = Destination::from(environment, program.executable);
  if (!destination) return;
  Launch launch = Launch::from(environment);
  if (!is_the_programs_library()) {
    if (launch.rank.value_or(0) == 0 && !another_recorder_follows())
      say(fmt::format("not measured: no recorder is here for the program's MPI library, {}",
                      describe_loaded_mpi()));
    return;
  }
  request =
      std::make_unique<Request>(std::move(program), *std::move(destination), std::move(launch))
          .release();
  TickClock::choose();
  request->init_began = TickClock::now();
}

// Some more calls of other threads that are inside MPI may still be counted.
void stop_recording() noexcept {
  recording.store(false);
  watched_regions.store(nullptr, std::memory_order_release);
  traced_regions.store(nullptr, std::memory_order_release);
  thread_context = {nullptr, thread_context.state, true};
}

// A child that goes on in the same program is no rank.
void leave_child_alone() noexcept {
  if (run_actor != nullptr) run_actor->leave_in_child();
  stop_recording();
}

void start() {
  if (request == nullptr || std::exchange(request->started, true)) return;
  if (!request->agreement.complete()) return;
  run = std::make_unique<Run>(std::move(request->program), std::move(request->destination),
                              Job::from(environment), Measures::options_from(environment),
                              TraceRequest::from(environment))
            .release();
  pthread_atfork(nullptr, nullptr, leave_child_alone);
}

void begin(const CallOfRun& init) {
  if (run == nullptr) return;
  run->begin_program();
  reach_newer_calls();
  thread_context.state = thread_context.ready = &run->first_thread();
  run->begin_window();
  attribute_regions(RegionRecords::kNoGroup, TickClock::now());
  watched_regions.store(&run->regions(), std::memory_order_release);
  recording.store(true);
  if (run_actor != nullptr && run_actor->begin()) run->first_thread().actor = run_actor;
  run->keep_snapshots();
  if (ThreadTrace* const trace = run->first_thread().trace; trace != nullptr) {
    trace->enter(operation_of(init.call), init.return_address, init.frame, request->init_began);
    trace->leave(TickClock::now());
    traced_regions.store(run->trace(), std::memory_order_release);
  }
}

// MPI_Finalize is a delimiter, too; it may be called by another thread than MPI_Init.
void end_last_phase() noexcept {
  ThreadState& state = run->first_thread();
  try {
    PhaseTracker& phases = *state.phases;
    if (thread_context.state == &state) {
      phases.stop_counting();
      static const auto& site = *new CallSite(PhaseTracker::named_site("finalize"));
      const std::uint64_t now = TickClock::now();
      phases.end_phase(site, now, state.counters.ticks_inside());
      attribute_regions(phases.ended_group(), now);
      end_region_sequence();
    }
  } catch (...) {
    give_up_recording();
  }
}

// The trace ends where MPI_Finalize begins: the last rank to reach it ends the run.
void end_trace(const CallOfRun& finalize) noexcept {
  ThreadTrace* const trace =
      thread_context.state == nullptr ? nullptr : thread_context.state->trace;
  if (trace == nullptr) return;
  const std::uint64_t now = TickClock::now();
  trace->enter(operation_of(finalize.call), finalize.return_address, finalize.frame, now);
  trace->leave(now);
}

// One line for the whole run, by rank 0.
void say_as_rank_0(std::string_view text) noexcept {
  if (request != nullptr && request->agreement.reports()) say(text);
}

template <class Action>
void guarded(Action action) noexcept {
  try {
    const FileLimitGuard guard;
    action();
  } catch (const std::exception& failure) {
    say_as_rank_0(failure.what());
  } catch (...) {
    say_as_rank_0("no profile is written: an unknown error");
  }
}

// Leaves the lines that this rank must not print, unless others have as much to say.
void leave_unsaid() noexcept {
  try {
    const std::vector<std::string> lines = take_unsaid();
    const Launch launch = Launch::from(environment);
    if (lines.empty() || launch.rank.value_or(0) != 0) return;
    const auto destination = Destination::from(environment, this_program().executable);
    if (!destination) return;
    RunIdentity identity;
    identity.job = Job::from(environment);
    identity.process = ::getpid();
    destination->leave_for_record(store::current_user(), launch.ranks, identity, lines);
  } catch (...) {  // nobody is harmed
  }
}

}  // namespace

void prepare_recording() noexcept {
  guarded(prepare);
  if (request == nullptr) leave_unsaid();
}

void start_recording() noexcept {
  guarded(start);
  withdraw_request();  // nothing of it is left, whatever went wrong
  leave_unsaid();
}

void begin_counting(const CallOfRun& init) noexcept {
  guarded([&] { begin(init); });
}

void withdraw_request() noexcept {
  if (request != nullptr) request->agreement.withdraw();
}

// Sessions know no MPI_COMM_WORLD, by which ranks are named, and nothing that all of them do.
void report_unseen_start(bool used_sessions) noexcept {
  guarded([&] {
    if (request != nullptr || !Destination::from(environment, this_program().executable)) return;
    if (Launch::from(environment).rank.value_or(0) != 0) return;
    if (used_sessions)
      say("not measured: the program calls MPI_Session_init, and never MPI_Init");
    else if (is_used_past_recorder())
      say("not measured: the program takes MPI's functions from the library itself (dlsym), past "
          "the recorder");
  });
  leave_unsaid();
}

void end_counting(const CallOfRun& finalize) noexcept {
  if (request != nullptr) request->agreement.end();
  if (run == nullptr || !run->is_this_process() || !recording.load()) return;
  stop_recording();
  end_trace(finalize);
  end_last_phase();
  run->end_window();
}

void finish_recording() noexcept {
  if (run == nullptr || !run->is_this_process() || !run->end()) return;
  if (run_actor != nullptr) guarded([] { run_actor->end(); });
  guarded([] { run->end_trace(); });
  guarded([] { run->note_other_tools(); });
  guarded([] {
    run->write_complete(!gave_up.load());
    if (run->rank() == 0 && run_actor != nullptr) run_actor->all_have_ended();
  });
  guarded([] { run->write_trace(); });
  leave_unsaid();
}

// MPI_Finalize begins with what is to be done for the attributes of MPI_COMM_SELF, while all of MPI
// can still be used (MPI 4.0, chapter 11.2.4).
void finish_recording_in_finalize() noexcept {
  if (run == nullptr || !run->is_this_process()) return;
  const auto copy = [](MPI_Comm, int, void*, void*, void*, int* is_copied) -> int {
    *is_copied = 0;
    return MPI_SUCCESS;
  };
  const auto finish = [](MPI_Comm, int, void*, void*) -> int {
    finish_recording();
    return MPI_SUCCESS;
  };
  int key = 0;
  if (HUDDLE_REAL(Comm_create_keyval)(copy, finish, &key, nullptr) == MPI_SUCCESS)
    HUDDLE_REAL(Comm_set_attr)(self_communicator(), key, nullptr);
}

void cut_recording_short(const std::string& reason, const std::string& more) noexcept {
  if (run == nullptr || !run->is_this_process() || gave_up.load() || !run->end()) return;
  stop_recording();
  if (run_actor != nullptr) run_actor->leave();
  guarded([&] {
    run->write_cut_short(
        fmt::format("{}{}rank {}{}", reason, reason.empty() ? "" : " ", run->rank(), more));
  });
}

ThreadState* enter_first_call() noexcept {
  if (thread_context.state != nullptr || thread_context.silent ||
      !recording.load(std::memory_order_relaxed))
    return nullptr;
  try {
    ThreadState& state = run->threads().claim();
    run->begin_thread(state);
    lease.state = &state;
    thread_context.state = &state;
    return &state;
  } catch (...) {
    give_up_recording();
    return nullptr;
  }
}

RegionRecords& run_regions() noexcept {
  return run->regions();
}

const counters::CounterSet* run_counters() noexcept {
  return run->counter_set();
}

SharedAccounts& shared_accounts() noexcept {
  return run->accounts();
}

void forget_request(const MPI_Request* handle) noexcept {
  if (handle == nullptr) return;
  run->accounts().persistent.forget(*handle);
  if (run->trace() != nullptr) run->trace()->shared().requests.forget(*handle);
}

void forget_communicator(const MPI_Comm* communicator) noexcept {
  forget_handles();
  if (communicator != nullptr && run->trace() != nullptr)
    run->trace()->shared().tables.forget(*communicator);
}

void forget_window(const MPI_Win* window) noexcept {
  forget_handles();
  if (window != nullptr && run->trace() != nullptr)
    run->trace()->shared().tables.forget_window(*window);
}

void DelimitingCall::end_phase(Operation operation, const void* return_address,
                               const void* frame) noexcept {
  try {
    PhaseTracker& phases = *state().phases;
    phases.stop_counting();
    const auto number = static_cast<std::uint32_t>(operation);
    const CallSite& site =
        phases.sites().find(number, name_of_operation(number), return_address, frame);
    phases.end_phase(site, begin(), state().counters.ticks_inside());
    attribute_regions(phases.ended_group(), begin());
    if (state().actor != nullptr) [[unlikely]]
      state().actor->delimiter_begins(phases.ended_group(), begin());
  } catch (...) {
    give_up_recording();
  }
}

// It counts as the phase that begins: it is no part of the call.
void DelimitingCall::act() const noexcept {
  state().actor->delimiter_ended(state().phases->place(), state().counters.ticks_inside());
}

void give_up_recording() noexcept {
  gave_up.store(true);
}

}  // namespace huddle::recorder
