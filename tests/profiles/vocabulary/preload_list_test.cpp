#include "profiles/vocabulary/preload_list.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("a library is put in front of what is preloaded already") {
  CHECK(preload_with("", "/l/r.so") == "/l/r.so");
  CHECK(preload_with("/a.so", "/l/r.so") == "/l/r.so:/a.so");
  CHECK(preload_with("/a.so /b.so", "/l/r.so") == "/l/r.so:/a.so /b.so");
}

TEST_CASE("a library that is in the list is not put there again") {
  for (const char* list :
       {"/l/r.so", "/a.so:/l/r.so", "/a.so /l/r.so", "/l/r.so:/a.so", ":/l/r.so"})
    CHECK(preload_with(list, "/l/r.so") == list);
}

TEST_CASE("a library is the same only by its whole name") {
  CHECK(preload_with("/l/r.so.1", "/l/r.so") == "/l/r.so:/l/r.so.1");
  CHECK(preload_without("/x/l/r.so", "/l/r.so") == "/x/l/r.so");
}

TEST_CASE("a library is taken out wherever it stands, and the others stay in order") {
  CHECK(preload_without("", "/l/r.so") == "");
  CHECK(preload_without("/l/r.so", "/l/r.so") == "");
  CHECK(preload_without("/l/r.so:/a.so", "/l/r.so") == "/a.so");
  CHECK(preload_without("/a.so /l/r.so /b.so", "/l/r.so") == "/a.so:/b.so");
  CHECK(preload_without("/l/r.so:/l/r.so::/a.so:", "/l/r.so") == "/a.so");
}

TEST_CASE("what is put in can be taken out again") {
  for (const char* list : {"", "/a.so", "/a.so:/b.so"})
    CHECK(preload_without(preload_with(list, "/l/r.so"), "/l/r.so") == list);
}

}  // namespace
}  // namespace huddle
