#include "profiles/recorder/balance/trade_page.hpp"

#include <algorithm>
#include <new>

namespace huddle::recorder {

// Processes share it: there must be no lock of one process in it.
static_assert(std::atomic<double>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

TradePage* TradePage::begin(void* memory, std::uint32_t ranks) {
  auto* page = new (memory) TradePage;
  page->ranks = ranks;
  std::uint32_t number = 0;
  for (Slot& slot : page->slots()) {
    new (&slot) Slot;
    slot.target.store(number, std::memory_order_relaxed);
    slot.on.store(number, std::memory_order_relaxed);
    slot.place_before = number++;
  }
  return page;
}

TradePage* TradePage::in(void* memory) {
  return std::launder(static_cast<TradePage*>(memory));
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
