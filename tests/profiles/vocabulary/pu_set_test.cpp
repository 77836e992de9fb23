#include "profiles/vocabulary/pu_set.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::string rewritten_pus(std::string_view list) {
  return PuSet::parse(list).list();
}

TEST_CASE("a list of PUs is written with its ranges joined, whatever order it came in") {
  CHECK(rewritten_pus("") == "");
  CHECK(rewritten_pus("7") == "7");
  CHECK(rewritten_pus("0-3,8") == "0-3,8");
  CHECK(rewritten_pus("8,0-3") == "0-3,8");
  CHECK(rewritten_pus("0,1,2,4") == "0-2,4");
  CHECK(rewritten_pus("0-3,2-5,4") == "0-5");
  CHECK(rewritten_pus("3-3") == "3");
  CHECK(rewritten_pus("65535") == "65535");
  CHECK(rewritten_pus("007") == "7");
}

TEST_CASE("a set of PUs survives being written and read") {
  PuSet set;
  for (const std::uint32_t pu : {5U, 0U, 4U, 9U, 5U, 65535U}) set.add(pu);
  CHECK(set.members() == std::vector<std::uint32_t>{0, 4, 5, 9, 65535});
  CHECK(set.list() == "0,4-5,9,65535");
  CHECK(PuSet::parse(set.list()) == set);
}

TEST_CASE("membership and size are those of the list") {
  const PuSet set = PuSet::parse("1-3,10");
  CHECK(set.size() == 4);
  CHECK(set.contains(1));
  CHECK(set.contains(10));
  CHECK_FALSE(set.contains(0));
  CHECK_FALSE(set.contains(4));
  CHECK_FALSE(set.empty());
  CHECK(PuSet{}.empty());
}

TEST_CASE("what is not a list of PUs is refused by name") {
  for (const std::string text : {" ",   ",",     "1,",      ",1",         "1,,2",
                                 "-",   "1-",    "-1",      "3-1",        "1-2-3",
                                 "a",   "1a",    "0x1",     "+1",         "1 ,2",
                                 "1;2", "65536", "0-65536", "4294967296", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(error_of([&] { PuSet::parse(text); }) ==
          "\"" + text + "\" is not a list of PUs such as 0-3,8 (numbers below 65536)");
  }
  CHECK_THROWS_AS(PuSet::parse(std::string_view("1\0", 2)), Error);
}

TEST_CASE("a long wrong list is not repeated in full") {
  const std::string error = error_of([] { PuSet::parse(std::string(5000, 'z')); });
  CHECK(error.size() < 200);
  CHECK(error.find("zzz...") != std::string::npos);
}

TEST_CASE("no PU beyond the limit can be added") {
  PuSet set;
  set.add(PuSet::kLimit - 1);
  CHECK(error_of([&] { set.add(PuSet::kLimit); }) == "PU 65536 is beyond the limit of 65536");
  CHECK(set.size() == 1);
}

TEST_CASE("a list that repeats itself costs no more memory than the set it means") {
  std::string list;
  for (int i = 0; i < 200'000; ++i) list += "0-65535,";
  list += "0";
  CHECK(PuSet::parse(list).size() == PuSet::kLimit);  // 52 GB if each repetition were kept
}

TEST_CASE("a thread that binds itself is found there, and no other thread moves") {
  const PuSet before = PuSet::of_this_thread();
  REQUIRE_FALSE(before.empty());
  PuSet one;
  one.add(before.members().front());
  PuSet inside;
  std::thread([&] {
    one.bind_this_thread();
    inside = PuSet::of_this_thread();
  }).join();
  CHECK(inside == one);
  CHECK(PuSet::of_this_thread() == before);
}

TEST_CASE("binding to PUs that the node lacks is the system's error") {
  int number = 0;
  try {
    PuSet::parse("65535").bind_this_thread();
  } catch (const SystemError& error) {
    number = error.error_number();
  }
  CHECK(number == EINVAL);
}

}  // namespace
}  // namespace huddle
