#pragma once

#include <sys/types.h>

namespace huddle::processes {

/// Gives up all rights of this process for good: it becomes `user` and `group`, without further
/// groups and capabilities; no program that it starts gets more; nobody but root may look into it.
/// Descriptors that are open stay so. Throws SystemError; then the process must end, as some of it
/// may have happened. To be called while there is one thread. Precondition: this process is root,
/// and neither number is 0.
void drop_rights(uid_t user, gid_t group);

}  // namespace huddle::processes
