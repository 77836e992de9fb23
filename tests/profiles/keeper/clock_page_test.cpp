#include "profiles/keeper/protocol/clock_page.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

TEST_CASE("what a rank asks in its page arrives at the keeper, and the answer at the rank") {
  files::OwnedDescriptor file;
  const ClockPage keeper = ClockPage::make(3, file);
  const ClockPage rank = ClockPage::open(file, 3);
  static_cast<void>(rank.view().ask(1, {1'800'000, 77}));
  CHECK(keeper.view().ask_for(1) == ClockAsk{1'800'000, 77});
  CHECK(keeper.view().ask_for(0) == ClockAsk{});
  CHECK(keeper.view().ask_for(2) == ClockAsk{});
  const ClockAnswer answer{1'800'000, 1'795'000, 123, ClockVerdict::kAsAsked};
  keeper.view().answer(1, answer);
  CHECK(rank.view().answer_for(1) == answer);
  CHECK(rank.view().answer_for(0) == ClockAnswer{});
}

TEST_CASE("of the asks between two looks the first one alone wakes the keeper") {
  files::OwnedDescriptor file;
  const ClockPage keeper = ClockPage::make(1, file);
  const ClockPage rank = ClockPage::open(file, 1);
  CHECK(rank.view().ask(0, {1, 0}));
  CHECK_FALSE(rank.view().ask(0, {2, 0}));
  CHECK_FALSE(rank.view().ask(0, {3, 0}));
  CHECK(keeper.view().begin_to_look() == 3);
  CHECK(keeper.view().ask_for(0).khz == 3);
  CHECK(rank.view().ask(0, {4, 0}));
}

TEST_CASE("a rank can't take the page's memory away, nor add to it, nor change its seals") {
  files::OwnedDescriptor file;
  const ClockPage keeper = ClockPage::make(5, file);
  const auto size = static_cast<off_t>(ClockPageView::size_for(5));
  CHECK(::ftruncate(file.number(), 0) != 0);
  CHECK(errno == EPERM);
  CHECK(::ftruncate(file.number(), size - 1) != 0);
  CHECK(::ftruncate(file.number(), size + 4096) != 0);
  CHECK(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_WRITE) != 0);
  CHECK(errno == EPERM);
  struct stat status {};
  REQUIRE(::fstat(file.number(), &status) == 0);
  CHECK(status.st_size == size);
  // A hole is zero again when it is looked at: no wish.
  static_cast<void>(keeper.view().ask(4, {9, 9}));
  REQUIRE(::fallocate(file.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) == 0);
  CHECK(keeper.view().ask_for(4) == ClockAsk{});
}

TEST_CASE("no started program gets the page's file") {
  files::OwnedDescriptor file;
  const ClockPage keeper = ClockPage::make(1, file);
  CHECK((::fcntl(file.number(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a file that is no page is refused before it is looked into") {
  files::OwnedDescriptor file;
  ClockPage page = ClockPage::make(2, file);
  CHECK_THROWS_AS(ClockPage::open(file, 3), Error);
  CHECK_THROWS_AS(ClockPage::open(file, 0), Error);
  CHECK_THROWS_AS(ClockPage::open(file, std::numeric_limits<std::uint32_t>::max()), Error);
  CHECK_THROWS_AS(ClockPage::open(files::OwnedDescriptor(), 2), SystemError);
  page.view().head().version = 2;
  CHECK_THROWS_AS(ClockPage::open(file, 2), Error);

  const files::OwnedDescriptor unsealed(::memfd_create("no-page", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(unsealed.number(), static_cast<off_t>(ClockPageView::size_for(2))) == 0);
  CHECK_THROWS_AS(ClockPage::open(unsealed, 2), Error);
}

TEST_CASE("a page that was moved from ends nothing") {
  files::OwnedDescriptor file;
  ClockPage first = ClockPage::make(1, file);
  ClockPage second = std::move(first);
  static_cast<void>(second.view().ask(0, {5, 0}));
  first = std::move(second);
  CHECK(first.view().ask_for(0).khz == 5);
}

}  // namespace
}  // namespace huddle::keeper
