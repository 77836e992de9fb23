#include "profiles/recorder/moves/node_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

// Processes share it: there must be no lock of one process in it.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

constexpr const char* kWhat = "memory of a node's ranks";

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

void* map(int file, std::size_t size) {
  const int flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
  void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
  if (address == MAP_FAILED) throw SystemError("map", kWhat, errno);
  return address;
}

NodePage* begun(void* address, std::uint32_t ranks) {
  auto* page = new (address) NodePage;
  page->ranks = ranks;
  for (NodePage::Slot& slot : page->slots()) new (&slot) NodePage::Slot;
  return page;
}

}  // namespace

NodePage* NodePage::alone(std::uint32_t ranks) {
  return begun(map(-1, size_for(ranks)), ranks);
}

NodePage* NodePage::make(std::uint32_t ranks, std::string& name) {
  std::uint64_t chance = 0;
  if (::getrandom(&chance, sizeof chance, 0) != sizeof chance)
    throw SystemError("name", kWhat, errno);
  name = fmt::format("/huddle-moves-{:016x}", chance);
  const Descriptor file(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  if (file.number() < 0) throw SystemError("make", kWhat, errno);
  try {
    // Not ftruncate(): a full file system would end the program at the first write.
    if (const int failure =
            ::posix_fallocate(file.number(), 0, static_cast<off_t>(size_for(ranks))))
      throw SystemError("make", kWhat, failure);
    return begun(map(file.number(), size_for(ranks)), ranks);
  } catch (...) {
    forget(name);
    throw;
  }
}

NodePage* NodePage::open(const std::string& name, std::uint32_t ranks) {
  const Descriptor file(::shm_open(name.c_str(), O_RDWR, 0));
  if (file.number() < 0) throw SystemError("open", kWhat, errno);
  return std::launder(static_cast<NodePage*>(map(file.number(), size_for(ranks))));
}

void NodePage::forget(const std::string& name) noexcept {
  if (!name.empty()) ::shm_unlink(name.c_str());
}

void NodePage::close(NodePage* page) noexcept {
  if (page != nullptr) ::munmap(page, size_for(page->ranks));
}

}  // namespace huddle::recorder
