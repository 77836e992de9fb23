#pragma once

#include <cstdint>
#include <string>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

/// A page that the ranks of a node share, made by the node's first rank (Page::make), on which
/// begin(page) is called before the others see it, and opened by them (Page::open). Null where that
/// failed. On the first rank `name` gets the page's name, for Page::forget() once all have it.
/// Collective over `node`. Throws Error where MPI fails.
template <class Page, class Begin>
Page* shared_page(const Channel& node, std::string& name, Begin begin) {
  const auto ranks = static_cast<std::uint32_t>(node.ranks());
  Page* page = nullptr;
  try {
    if (node.rank() == 0) {
      page = Page::make(ranks, name);
      begin(*page);
    }
  } catch (const Error&) {
    name.clear();  // which says that it could not
  }
  const std::string shared = node.broadcast(name);
  try {
    if (node.rank() != 0 && !shared.empty()) page = Page::open(shared, ranks);
  } catch (const Error&) {
  }
  return page;
}

}  // namespace huddle::recorder
