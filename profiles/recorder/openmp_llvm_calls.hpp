#pragma once

namespace huddle::recorder {

/// Whether all that is wanted of the regions of LLVM's or Intel's runtime of OpenMP is seen where
/// the program calls it, so that it need not report them. Not where the environment asks to act on
/// teams. Not of a runtime that is not visible to all libraries, or that is
/// linked into the program. Safe from any thread.
bool llvm_entries_suffice() noexcept;

/// From now on they are seen there, or not: then calls into the runtime are left as they are, and
/// return to where they did without the recorder.
void look_at_llvm_entries(bool yes) noexcept;

}  // namespace huddle::recorder
