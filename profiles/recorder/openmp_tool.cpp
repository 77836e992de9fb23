// Where LLVM's and Intel's runtimes of OpenMP report parallel regions: they ask each process for
// one tool, by the name ompt_start_tool (OpenMP 5.1, chapter 4.2). To report a region to a tool
// takes the runtime as long as to watch it takes the recorder, so there is one only where the
// runtime's entries don't show all that is wanted.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <string_view>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/recorder/openmp/tool_interface.hpp"
#include "profiles/recorder/openmp/tool_state.hpp"
#include "profiles/recorder/openmp_llvm_calls.hpp"
#include "profiles/recorder/region_watch.hpp"

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

namespace {

using ompt::Data;
using ompt::Endpoint;

void region_begins(Data* /*task*/, const ompt::Frame* frame, Data* region, unsigned asked,
                   int flags, const void* place) {
  const RuntimeCall call{place, frame == nullptr ? nullptr : frame->enter.pointer};
  region->pointer = ReportedRegion::begins(call, (flags & ompt::kLeague) == 0 ? asked : 0);
}

void region_ends(Data* region, Data* /*task*/, int /*flags*/, const void* /*place*/) {
  ReportedRegion::ends(region->pointer);
}

// At its end the region may be gone: `task` remembers what was begun.
void thread_takes_part(Endpoint endpoint, Data* region, Data* task, unsigned team, unsigned thread,
                       int flags) {
  if (endpoint != Endpoint::kBegin) {
    if (task == nullptr || task->value == 0) return;
    task->value = 0;
    ReportedRegion::member_ends();
    return;
  }
  if (region == nullptr || region->pointer == nullptr) return;
  if (thread != 0) {
    if (task == nullptr) return;
    task->value = 1;
    ReportedRegion::member_begins();
    if ((flags & ompt::kInitialTask) == 0)
      ReportedRegion::member_joins(region->pointer, thread, team);
    else
      ReportedRegion::member_goes_home(thread);
  } else if ((flags & ompt::kInitialTask) == 0) {
    ReportedRegion::has_team(region->pointer, team);
  }
}

void thread_synchronises(ompt::Sync kind, Endpoint endpoint, Data* region, Data* /*task*/,
                         const void* place) {
  const bool is_explicit = kind == ompt::Sync::kExplicitBarrier;
  if (!is_explicit && kind != ompt::Sync::kImplicitBarrier &&
      kind != ompt::Sync::kBarrierOfConstruct && kind != ompt::Sync::kBarrierOfRegion)
    return;
  // The end of a region's own barrier has no region: its threads may report it while the one that
  // began the region, which writes that end for all of them, is at it.
  if (endpoint == Endpoint::kEnd && region != nullptr)
    ReportedRegion::barrier_ends();
  else if (endpoint == Endpoint::kBegin && region != nullptr && region->pointer != nullptr)
    ReportedRegion::barrier_begins(region->pointer, is_explicit ? place : nullptr);
}

int initialize(ompt::Lookup lookup, int /*initial_device*/, Data* /*tool*/) {
  const auto set =
      reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));  // NOLINT: so it is
  const auto reports = [set](ompt::Event event, auto* callback) {
    return set(static_cast<int>(event), reinterpret_cast<ompt::Callback>(callback)) ==  // NOLINT
           ompt::kAlways;
  };
  const bool all = set != nullptr && reports(ompt::Event::kParallelBegin, region_begins) &&
                   reports(ompt::Event::kParallelEnd, region_ends) &&
                   reports(ompt::Event::kImplicitTask, thread_takes_part);
  // Without it nothing is known of barriers, and of how long threads worked.
  if (all) reports(ompt::Event::kSyncRegion, thread_synchronises);
  tool_state.store(all ? ToolState::kWatches : ToolState::kRefused);
  return all ? 1 : 0;
}

void finalize(Data* /*tool*/) {}

// A runtime looks for the tool of OMP_TOOL_LIBRARIES, or for the one that tells ThreadSanitizer of
// its barriers, only if the process has none.
bool user_has_a_tool() noexcept {
  const char* const named = std::getenv("OMP_TOOL_LIBRARIES");  // NOLINT: the runtime does so, too
  return (named != nullptr && *named != '\0') || ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

const link_map* object_of(const void* address) noexcept {
  Dl_info info{};
  void* object = nullptr;
  const bool is_known = ::dladdr1(address, &info, &object, RTLD_DL_LINKMAP) != 0;
  return is_known ? static_cast<const link_map*>(object) : nullptr;
}

// Whether the runtime that asks is not the one that is visible to all libraries. Another recorder
// that hands the question on is none.
bool is_hidden(const void* asker) noexcept {
  const link_map* const object = object_of(asker);
  if (object == nullptr || object == object_of(llvm_runtime())) return false;
  return std::string_view(object->l_name).find("libhuddle_recorder") == std::string_view::npos;
}

ompt::StartResult result{initialize, finalize, {0}};

}  // namespace

#pragma GCC visibility push(default)
extern "C" ompt::StartResult* ompt_start_tool(unsigned version, const char* runtime) {
  // The next one is of a tool of the user's, of the other MPI's recorder, or of the runtime itself,
  // which then looks further.
  const auto next =
      reinterpret_cast<ompt::StartTool>(::dlsym(RTLD_NEXT, "ompt_start_tool"));  // NOLINT: dlsym
  if (next != nullptr)
    if (ompt::StartResult* const other = next(version, runtime); other != nullptr) {
      look_at_llvm_entries(false);
      tool_state.store(ToolState::kOtherTool);
      return other;
    }
  // One that is hidden in a library: calls into it don't come by the entries. What is seen in both
  // ways counts once, as a region inside of another.
  if (!user_has_a_tool() && llvm_entries_suffice() && is_hidden(__builtin_return_address(0)))
    return is_the_programs_library() ? &result : nullptr;
  const ToolState state = user_has_a_tool()           ? ToolState::kOtherTool
                          : llvm_entries_suffice()    ? ToolState::kAtEntries
                          : is_the_programs_library() ? ToolState::kWatches
                                                      : ToolState::kNoMpiYet;
  look_at_llvm_entries(state == ToolState::kAtEntries);
  tool_state.store(state);
  return state == ToolState::kWatches ? &result : nullptr;
}
#pragma GCC visibility pop
