#include "profiles/recorder/process/node_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr const char* kWhat = "memory of a node's ranks";

void* map(int file, std::size_t size) {
  const int flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
  void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
  if (address == MAP_FAILED) throw SystemError("map", kWhat, errno);
  return address;
}

}  // namespace

void* memory_alone(std::size_t size) {
  return map(-1, size);
}

void* make_node_memory(std::size_t size, std::string& name) {
  std::uint64_t chance = 0;
  if (::getrandom(&chance, sizeof chance, 0) != sizeof chance)
    throw SystemError("name", kWhat, errno);
  name = fmt::format("/huddle-moves-{:016x}", chance);
  const OwnedDescriptor file(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  if (file.number() < 0) throw SystemError("make", kWhat, errno);
  try {
    // Not ftruncate(): a full file system would end the program at the first write.
    if (const int failure = ::posix_fallocate(file.number(), 0, static_cast<off_t>(size)))
      throw SystemError("make", kWhat, failure);
    return map(file.number(), size);
  } catch (...) {
    forget_node_memory(name);
    throw;
  }
}

void* open_node_memory(const std::string& name, std::size_t size) {
  const OwnedDescriptor file(::shm_open(name.c_str(), O_RDWR, 0));
  if (file.number() < 0) throw SystemError("open", kWhat, errno);
  return map(file.number(), size);
}

void forget_node_memory(const std::string& name) noexcept {
  if (!name.empty()) ::shm_unlink(name.c_str());
}

void close_node_memory(void* memory, std::size_t size) noexcept {
  ::munmap(memory, size);
}

}  // namespace huddle::recorder
