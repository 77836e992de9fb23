// The exported wrappers: functions that every MPI library has.
#include "profiles/recorder/call_wrappers.hpp"

using namespace huddle::recorder;  // NOLINT: the macros stand for this file's code
using huddle::traces::Collective;
using huddle::traces::EventKind;

#pragma GCC visibility push(default)
extern "C" {

#include "profiles/recorder/calls.def"

#include "profiles/recorder/call_kinds_end.def"

}  // extern "C"
#pragma GCC visibility pop
