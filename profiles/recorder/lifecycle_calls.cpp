// Where a run begins and where it ends, in order or not.
#include <fmt/format.h>

#include "profiles/recorder/outermost_call.hpp"

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

namespace {

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
  cut_recording_short("", " exited without MPI_Finalize");
  withdraw_request();
  report_unseen_start(used_sessions.load());
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_NEXT(Init)(argc, argv);
  if (HUDDLE_TOOL(Init) == nullptr) note_init(status);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInit));
  return status;
}

int PMPI_Init(int* argc, char*** argv) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_REAL(Init)(argc, argv);
  note_init(status);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInit));
  return status;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_NEXT(Init_thread)(argc, argv, required, provided);
  if (HUDDLE_TOOL(Init_thread) == nullptr) note_init(status);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInitThread));
  return status;
}

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  const int status = HUDDLE_REAL(Init_thread)(argc, argv, required, provided);
  note_init(status);
  if (outermost) begin_run(status, HUDDLE_CALL_OF_RUN(kInitThread));
  return status;
}

int MPI_Finalize() {
  const OutermostCall outermost;
  if (outermost) end_counting(HUDDLE_CALL_OF_RUN(kFinalize));
  if (HUDDLE_TOOL(Finalize) != nullptr)
    finish_recording_in_finalize();
  else
    finish_recording();
  return HUDDLE_NEXT(Finalize)();
}

int PMPI_Finalize() {
  const OutermostCall outermost;
  if (outermost) end_counting(HUDDLE_CALL_OF_RUN(kFinalize));
  finish_recording();
  return HUDDLE_REAL(Finalize)();
}

int MPI_Abort(MPI_Comm comm, int code) {
  if (recording.load()) note_abort(comm, code);
  return HUDDLE_NEXT(Abort)(comm, code);
}

int PMPI_Abort(MPI_Comm comm, int code) {
  if (recording.load()) note_abort(comm, code);
  return HUDDLE_REAL(Abort)(comm, code);
}

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
int MPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session* session) {
  used_sessions.store(true);
  return HUDDLE_NEXT(Session_init)(info, errors, session);
}

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session* session) {
  used_sessions.store(true);
  return HUDDLE_REAL(Session_init)(info, errors, session);
}
#endif

}  // extern "C"
#pragma GCC visibility pop
