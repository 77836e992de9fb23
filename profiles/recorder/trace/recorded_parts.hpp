#pragma once

#include "profiles/recorder/trace/byte_packing.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// How communicators and windows are packed, alone and within what a rank tells (see
/// byte_packing.hpp).
template <class Struct, class Each>
requires kMaybeConst<Struct, RecordedCommunicator>
void for_all_parts(Struct& one, Each each) {
  each(one.key), each(one.name), each(one.group), each(one.remote), each(one.self);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, RecordedWindow>
void for_all_parts(Struct& window, Each each) {
  each(window.key), each(window.communicator);
}

}  // namespace huddle::recorder
