#include "profiles/recorder/recorder.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <stdlib.h>

#include <memory>
#include <string_view>

#include "profiles/recorder/file_limit_guard.hpp"
#include "profiles/recorder/messages.hpp"
#include "profiles/recorder/run.hpp"

namespace huddle::recorder {

constinit std::atomic<bool> recording{false};
constinit thread_local Here here;

namespace {

// Never destroyed: threads and exit handlers may look at it until the process is gone.
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
    here.state = nullptr;
    run->threads().release(*state);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ThreadState* state = nullptr;
};
thread_local Lease lease;

// Before MPI can be asked which rank this is.
bool likely_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* rank = environment(name)) return std::string_view(rank) == "0";
  return true;
}

void start() {
  Program program = this_program();
  auto destination = Destination::from(environment, program.executable);
  if (!destination) return;
  if (!is_the_programs_library()) {
    if (likely_rank_0())
      say("the program uses another MPI library than this recorder was built for: no profile");
    return;
  }
  TickClock::choose();
  run = std::make_unique<Run>(std::move(program), *std::move(destination), Job::from(environment))
            .release();
  here.state = &run->first_thread();
  // A child that goes on in the same program is no rank.
  pthread_atfork(nullptr, nullptr, [] { recording.store(false); });
  recording.store(true);
}

// One line for the whole run: rank 0 speaks.
void say_as_rank_0(std::string_view text) noexcept {
  if (run == nullptr ? likely_rank_0() : run->rank() == 0) say(text);
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

}  // namespace

void start_recording() noexcept {
  guarded(start);
}

void finish_recording() noexcept {
  if (run == nullptr || !run->is_this_process() || !run->end()) return;
  recording.store(false);
  guarded([] { run->write_complete(!gave_up.load()); });
}

void cut_recording_short(const std::string& reason, const std::string& more) noexcept {
  if (run == nullptr || !run->is_this_process() || gave_up.load() || !run->end()) return;
  recording.store(false);
  guarded([&] {
    run->write_cut_short(
        fmt::format("{}{}rank {}{}", reason, reason.empty() ? "" : " ", run->rank(), more));
  });
}

ThreadState& claim_thread_state() {
  ThreadState& state = run->threads().claim();
  lease.state = &state;
  here.state = &state;
  return state;
}

PersistentSends& persistent_sends() noexcept {
  return run->persistent();
}

void give_up_recording() noexcept {
  gave_up.store(true);
}

}  // namespace huddle::recorder
