#pragma once

namespace huddle::traces {

/// Makes OTF2's functions callable; before the first call of one. Where there is an archive of OTF2
/// they are linked, and there is nothing to do. Else the shared library is loaded here, and only
/// for who reads or writes a trace: the recorder brings no library into programs. Throws Error if
/// it is not installed. Any thread may call it any number of times.
void load_otf2();

}  // namespace huddle::traces
