#include "profiles/recorder/profile/call_sites.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <thread>

using huddle::recorder::CallSite;
using huddle::recorder::CallSites;

namespace {

// Stands for a wrapper.
__attribute__((noinline)) const CallSite& wrapper(CallSites& sites) {
  const CallSite& site =
      sites.find(0, "barrier", __builtin_return_address(0), __builtin_frame_address(0));
  asm volatile("");  // not a tail call
  return site;
}

__attribute__((noinline)) const CallSite& helper(CallSites& sites) {
  const CallSite& site = wrapper(sites);
  asm volatile("");
  return site;
}

__attribute__((noinline)) const CallSite& from_one_place(CallSites& sites) {
  const CallSite& site = helper(sites);
  asm volatile("");
  return site;
}

__attribute__((noinline)) const CallSite& from_another_place(CallSites& sites) {
  const CallSite& site = helper(sites);
  asm volatile("" ::: "memory");
  return site;
}

__attribute__((noinline)) const CallSite& deeper(CallSites& sites, int depth) {
  const CallSite& site = depth == 0 ? helper(sites) : deeper(sites, depth - 1);
  asm volatile("");
  return site;
}

}  // namespace

TEST_CASE("a place is known again each time it is called from") {
  CallSites sites;
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 100; ++i) ids.insert(from_one_place(sites).id);
  CHECK(ids.size() == 1);
}

TEST_CASE("call paths that differ only further up are different places") {
  CallSites sites;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t one = from_one_place(sites).id;
    const std::uint64_t other = from_another_place(sites).id;
    CHECK(one != other);
  }
  CHECK(deeper(sites, 3).id != deeper(sites, 4).id);
}

TEST_CASE("the same path at another depth of the stack is the same place") {
  CallSites sites;
  std::set<std::uint64_t> ids;
  for (const std::size_t size : {std::size_t{16}, std::size_t{4096}, std::size_t{65536}}) {
    auto* room = static_cast<volatile char*>(__builtin_alloca(size));
    room[0] = 1;
    ids.insert(from_one_place(sites).id);
  }
  CHECK(ids.size() == 1);
}

TEST_CASE("a place is described by operation, object and offset, innermost call first") {
  CallSites sites;
  const std::string text = from_one_place(sites).description;
  CAPTURE(text);
  CHECK(text.starts_with("barrier at recorder_unit_test_tests+0x"));
  CHECK(text.find(" < recorder_unit_test_tests+0x") != std::string::npos);
  CHECK(text.find("libc.so") == std::string::npos);
}

TEST_CASE("operations called from one place are distinguished") {
  CallSites sites;
  const void* address = __builtin_return_address(0);
  const void* frame = __builtin_frame_address(0);
  const std::uint64_t barrier = sites.find(0, "barrier", address, frame).id;
  CHECK(sites.find(1, "allreduce", address, frame).id != barrier);
  CHECK(sites.find(0, "barrier", address, frame).id == barrier);
}

TEST_CASE("on a stack that is not the thread's own, nothing but the return address is looked at") {
  CallSites sites;
  std::string text;
  std::thread elsewhere([&] { text = from_one_place(sites).description; });
  elsewhere.join();
  CHECK(text.find(" < ") == std::string::npos);
  CHECK(text.starts_with("barrier at recorder_unit_test_tests+0x"));
}

TEST_CASE("sites are numbered as they are found, and have the addresses behind their names") {
  CallSites sites;
  const CallSite& one = from_one_place(sites);
  const CallSite& other = from_another_place(sites);
  CHECK(one.number == 0);
  CHECK(other.number == 1);
  REQUIRE(one.addresses.size() >= 3);
  CHECK(one.addresses[0] == other.addresses[0]);
  CHECK(one.addresses[1] != other.addresses[1]);
}

TEST_CASE("on a stack that is not the thread's own the return address alone is the site") {
  CallSites sites;
  int elsewhere = 0;
  static char other_stack[64];
  const CallSite& one = sites.find(0, "barrier", &elsewhere, other_stack);
  CHECK(one.addresses.size() == 1);
  CHECK(&sites.find(0, "barrier", &elsewhere, other_stack + 8) == &one);
}
