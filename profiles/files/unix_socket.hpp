#pragma once

// Sockets of packets (SOCK_SEQPACKET) with a file's name, by which Huddle's processes of a node
// meet.

#include <sys/un.h>

#include <chrono>
#include <filesystem>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::files {

/// The address of that name. Throws SystemError if it is too long for one.
struct sockaddr_un socket_address(const std::filesystem::path& path);

/// A new socket, which does not block and is not passed on. Throws SystemError.
OwnedDescriptor new_packet_socket();

/// Connects to who listens there; while the queue is full, until `deadline`. Raises no signal.
/// Throws SystemError.
OwnedDescriptor connect_to(const std::filesystem::path& path,
                           std::chrono::steady_clock::time_point deadline);

/// True once there is something to read, if only the connection's end; false at `deadline`. Throws
/// SystemError.
bool wait_for_input(int descriptor, std::chrono::steady_clock::time_point deadline);

}  // namespace huddle::files
