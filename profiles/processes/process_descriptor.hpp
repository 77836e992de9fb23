#pragma once

// Descriptors of processes (pidfd_open(2), Linux 5.3), which no later process of the same number
// can be mistaken for. By system calls: glibc has them since 2.36 only, and the header of its 2.43
// can't be included twice.

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::processes {

/// Readable once the process has ended. Not valid, with errno set, if there is none.
inline files::OwnedDescriptor descriptor_of(std::int64_t pid) {
  return files::OwnedDescriptor(
      static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
}

/// False, with errno set, if the process has ended or is another user's.
inline bool send_signal(const files::OwnedDescriptor& process, int signal) {
  return ::syscall(SYS_pidfd_send_signal, process.number(), signal, nullptr, 0) == 0;
}

}  // namespace huddle::processes
