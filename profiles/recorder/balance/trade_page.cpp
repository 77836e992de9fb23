#include "profiles/recorder/balance/trade_page.hpp"

#include <algorithm>
#include <new>

#include "profiles/recorder/process/node_memory.hpp"

namespace huddle::recorder {

// Processes share it: there must be no lock of one process in it.
static_assert(std::atomic<double>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

namespace {

TradePage* page_begun(void* memory, std::uint32_t ranks) {
  auto* page = new (memory) TradePage;
  page->ranks = ranks;
  std::uint32_t number = 0;
  for (TradePage::Slot& slot : page->slots()) {
    new (&slot) TradePage::Slot;
    slot.target.store(number, std::memory_order_relaxed);
    slot.on.store(number, std::memory_order_relaxed);
    slot.place_before = number++;
  }
  return page;
}

}  // namespace

TradePage* TradePage::alone(std::uint32_t ranks) {
  return page_begun(memory_alone(size_for(ranks)), ranks);
}

TradePage* TradePage::make(std::uint32_t ranks, std::string& name) {
  return page_begun(make_node_memory(size_for(ranks), name), ranks);
}

TradePage* TradePage::open(const std::string& name, std::uint32_t ranks) {
  return std::launder(static_cast<TradePage*>(open_node_memory(name, size_for(ranks))));
}

void TradePage::forget(const std::string& name) noexcept {
  forget_node_memory(name);
}

void TradePage::close(TradePage* page) noexcept {
  if (page != nullptr) close_node_memory(page, size_for(page->ranks));
}

PuSet TradePage::pus_of(std::uint32_t place) {
  PuSet pus;
  if (place >= ranks) return pus;
  const Slot& slot = slots()[place];
  const std::size_t count = std::min<std::size_t>(slot.place.pus, kMostPus);
  for (std::size_t i = 0; i < count; ++i) pus.add(slot.pus[i]);
  return pus;
}

}  // namespace huddle::recorder
