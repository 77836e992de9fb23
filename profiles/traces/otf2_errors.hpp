#pragma once

#include <string>

namespace huddle {

/// OTF2 writes its errors to stderr by itself; from now on they are kept for last_otf2_error(), of
/// each thread apart, and what was kept is forgotten. Any thread may call it any number of times.
void keep_otf2_errors();

/// Why OTF2 failed last in this thread, for people: what the system said if it said something.
std::string last_otf2_error();

}  // namespace huddle
