#include "profiles/recorder/moves/node_page.hpp"

#include <new>

#include "profiles/recorder/process/node_memory.hpp"

namespace huddle::recorder {
namespace {

// Processes share it: there must be no lock of one process in it.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

NodePage* begun(void* address, std::uint32_t ranks) {
  auto* page = new (address) NodePage;
  page->ranks = ranks;
  for (NodePage::Slot& slot : page->slots()) new (&slot) NodePage::Slot;
  return page;
}

}  // namespace

NodePage* NodePage::alone(std::uint32_t ranks) {
  return begun(memory_alone(size_for(ranks)), ranks);
}

NodePage* NodePage::make(std::uint32_t ranks, std::string& name) {
  return begun(make_node_memory(size_for(ranks), name), ranks);
}

NodePage* NodePage::open(const std::string& name, std::uint32_t ranks) {
  return std::launder(static_cast<NodePage*>(open_node_memory(name, size_for(ranks))));
}

void NodePage::forget(const std::string& name) noexcept {
  forget_node_memory(name);
}

void NodePage::close(NodePage* page) noexcept {
  if (page != nullptr) close_node_memory(page, size_for(page->ranks));
}

}  // namespace huddle::recorder
