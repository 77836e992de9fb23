#include "profiles/recorder/moves/node_page.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;
using namespace huddle::recorder;

namespace {

// As every page begins, with a slot for each rank.
bool is_fresh(NodePage& page, std::uint32_t ranks) {
  bool fresh = page.ranks == ranks && page.slots().size() == ranks && page.order == 0 &&
               page.away == 0 && page.stopped == 0 && !page.ended && !page.deciding;
  for (const NodePage::Slot& slot : page.slots())
    fresh = fresh && slot.core == 0 && slot.hold == 0 && slot.target == 0 && slot.spent == 0 &&
            slot.passes == 0;
  return fresh;
}

}  // namespace

TEST_CASE("a page has a slot for each rank, and each slot cache lines of its own") {
  for (const std::uint32_t ranks : {1U, 2U, 256U}) {
    NodePage* page = NodePage::alone(ranks);
    CHECK(is_fresh(*page, ranks));
    CHECK(NodePage::size_for(ranks) == sizeof(NodePage) + ranks * sizeof(NodePage::Slot));
    for (NodePage::Slot& slot : page->slots())
      CHECK(reinterpret_cast<std::uintptr_t>(&slot) % 64 == 0);
    NodePage::close(page);
  }
}

TEST_CASE("what one rank writes into a shared page the others see, also after its name is gone") {
  std::string name;
  NodePage* made = NodePage::make(3, name);
  CHECK(is_fresh(*made, 3));
  NodePage* opened = NodePage::open(name, 3);
  NodePage::forget(name);
  made->slots()[2].core = 17;
  opened->order = 5;
  CHECK(opened->slots()[2].core == 17);
  CHECK(opened->ranks == 3);
  CHECK(made->order == 5);
  CHECK_THROWS_AS(NodePage::open(name, 3), SystemError);
  NodePage::close(made);
  CHECK(opened->slots()[2].core == 17);
  NodePage::close(opened);
}

TEST_CASE("two pages have two names") {
  std::string one;
  std::string other;
  NodePage* first = NodePage::make(1, one);
  NodePage* second = NodePage::make(1, other);
  CHECK(one != other);
  CHECK(one.starts_with("/huddle-moves-"));
  first->bursts = 1;
  CHECK(second->bursts == 0);
  for (const std::string& name : {one, other}) NodePage::forget(name);
  NodePage::close(first);
  NodePage::close(second);
}

TEST_CASE("a process that is forked shares a page that has no name") {
  NodePage* page = NodePage::alone(2);
  const pid_t child = ::fork();
  if (child == 0) {
    page->slots()[1].passes.fetch_add(7);
    ::_exit(0);
  }
  REQUIRE(child > 0);
  ::waitpid(child, nullptr, 0);
  CHECK(page->slots()[1].passes == 7);
  NodePage::close(page);
}

TEST_CASE("names that nobody made, and no page at all, do no harm") {
  CHECK_THROWS_AS(NodePage::open("/huddle-moves-nobody-made-this", 1), SystemError);
  NodePage::forget("/huddle-moves-nobody-made-this");
  NodePage::forget("");
  NodePage::close(nullptr);
}
