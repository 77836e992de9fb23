// Where a run begins and where it ends, in order or not.
#include <fmt/format.h>

#include "profiles/recorder/recorder.hpp"

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

namespace {

// The names' own library may call one by the other.
class Outermost {
 public:
  Outermost() : is_(!here.silent) { here.silent = true; }
  ~Outermost() {
    if (is_) here.silent = false;
  }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  explicit operator bool() const { return is_; }

 private:
  bool is_;
};

void note_abort(MPI_Comm comm, int code) noexcept {
  try {
    const char* name = comm == world_communicator() ? "MPI_COMM_WORLD" : "a communicator";
    cut_recording_short(fmt::format("MPI_Abort({}, {}) called by", name, code), "");
  } catch (...) {
    give_up_recording();
  }
}

std::atomic<bool> used_sessions{false};

// Behind the program's own exit handlers, which may still finalize MPI.
__attribute__((destructor)) void note_exit() {
  if (recording.load()) cut_recording_short("", " exited without MPI_Finalize");
  withdraw_request();
  if (used_sessions.load()) report_sessions();
}

void begin_run(int status_of_init, const CallOfRun& init) noexcept {
  if (status_of_init == MPI_SUCCESS)
    start_recording(init);
  else
    withdraw_request();
}

}  // namespace

// In a wrapper: the call that it wraps.
#define HUDDLE_CALL_OF_RUN(call) \
  (CallOfRun{LifecycleCall::call, __builtin_return_address(0), __builtin_frame_address(0)})

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const Outermost outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_REAL(Init)(argc, argv);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInit));
  return status;
}
decltype(PMPI_Init) PMPI_Init __attribute__((alias("MPI_Init")));

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Outermost outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_REAL(Init_thread)(argc, argv, required, provided);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInitThread));
  return status;
}
decltype(PMPI_Init_thread) PMPI_Init_thread __attribute__((alias("MPI_Init_thread")));

int MPI_Finalize() {
  const Outermost outermost;
  if (outermost) finish_recording(HUDDLE_CALL_OF_RUN(kFinalize));
  return HUDDLE_REAL(Finalize)();
}
decltype(PMPI_Finalize) PMPI_Finalize __attribute__((alias("MPI_Finalize")));

int MPI_Abort(MPI_Comm comm, int code) {
  if (recording.load()) note_abort(comm, code);
  return HUDDLE_REAL(Abort)(comm, code);
}
decltype(PMPI_Abort) PMPI_Abort __attribute__((alias("MPI_Abort")));

#ifdef HUDDLE_MPI_4
int MPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session* session) {
  used_sessions.store(true);
  return HUDDLE_REAL(Session_init)(info, errors, session);
}
decltype(PMPI_Session_init) PMPI_Session_init __attribute__((alias("MPI_Session_init")));
#endif

}  // extern "C"
#pragma GCC visibility pop
