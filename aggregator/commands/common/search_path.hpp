#pragma once

namespace huddle {

/// As root, leaves in PATH only folders that nobody but root could put a program into: what is
/// looked up there runs with root's rights. Says on standard error which others there were. Does
/// nothing for other users. For one thread.
void trust_search_path();

}  // namespace huddle
