#pragma once

#include <string>

namespace huddle {

/// OTF2 writes its errors to stderr by itself; from now on it keeps the last one of each thread for
/// last_otf2_error(). May be called any number of times, from any thread.
void keep_otf2_quiet();

/// What OTF2 last complained of in this thread, for people; never empty.
std::string last_otf2_error();

}  // namespace huddle
