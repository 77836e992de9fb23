#pragma once

// Memory that the ranks of one node share.

#include <cstddef>
#include <string>

namespace huddle::recorder {

/// Memory of that size, all zero, which only this process has, and what it forks. It begins on a
/// page. Throws SystemError.
void* memory_alone(std::size_t size);

/// The same in shared memory, under an unused name, which `name` gets. The file system has all of
/// it: no later write can fail. Throws SystemError.
void* make_node_memory(std::size_t size, std::string& name);

/// The memory of that name, which must have that size. Throws SystemError.
void* open_node_memory(const std::string& name, std::size_t size);

/// Removes the name, if it is not empty; processes that have the memory keep it.
void forget_node_memory(const std::string& name) noexcept;

/// Memory lives as long as the process, unless this ends it.
void close_node_memory(void* memory, std::size_t size) noexcept;

}  // namespace huddle::recorder
