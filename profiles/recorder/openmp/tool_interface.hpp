#pragma once

// What the recorder uses of OpenMP's interface for tools (OMPT): OpenMP 5.1, chapter 4. Names are
// ours, the layout and the numbers are the standard's; no header of a runtime is needed.

#include <cstdint>

namespace huddle::recorder::ompt {

/// ompt_data_t: a word that the runtime keeps for the tool, zero at first.
union Data {
  std::uint64_t value;
  void* pointer;
};

/// ompt_callbacks_t
enum class Event : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kImplicitTask = 7,
  kSyncRegion = 23
};

/// ompt_scope_endpoint_t
enum class Endpoint : int { kBegin = 1, kEnd = 2, kBeginAndEnd = 3 };

/// ompt_sync_region_t. Runtimes before OpenMP 5.1 report all implicit barriers as the first.
enum class Sync : int {
  kImplicitBarrier = 2,
  kExplicitBarrier = 3,
  kBarrierOfConstruct = 8,
  kBarrierOfRegion = 9,
};

/// ompt_frame_t: the frames of a task's that lie at the runtime's calls.
struct Frame {
  Data exit;
  Data enter;  ///< of the function of the runtime that the task called
  int exit_flags;
  int enter_flags;
};

/// ompt_set_always of ompt_set_result_t: the event is reported whenever it happens.
inline constexpr int kAlways = 5;
/// ompt_parallel_league of ompt_parallel_flag_t: a teams construct.
inline constexpr int kLeague = 0x40000000;
/// ompt_task_initial of ompt_task_flag_t: of a thread that no team has, or of a team of a league.
inline constexpr int kInitialTask = 1;

using Callback = void (*)();
using Lookup = Callback (*)(const char* name);
using SetCallback = int (*)(int event, Callback callback);

/// ompt_start_tool_result_t
struct StartResult {
  int (*initialize)(Lookup lookup, int initial_device, Data* tool);  ///< 0: the tool steps back
  void (*finalize)(Data* tool);
  Data tool;
};
using StartTool = StartResult* (*)(unsigned version, const char* runtime);

}  // namespace huddle::recorder::ompt
