#include "spank_plugin/runtime/packing/cpu_mask.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <thread>
#include <vector>

namespace huddle::runtime {

TEST_CASE("a thread's mask is read and given back as the kernel has it") {
  const PuSet home = PuSet::of_this_thread();
  CpuMask now;
  CHECK(now.read_of(0));
  CHECK(now == CpuMask(home));
  std::thread([&] {
    CHECK(CpuMask::of(home.members().front()).give_to(0));
    CHECK(PuSet::of_this_thread().members() == std::vector{home.members().front()});
    CpuMask one;
    CHECK(one.read_of(0));
    CHECK(one.only_one() == home.members().front());
  }).join();
}

TEST_CASE("a mask that the kernel refuses is no binding, and errno stays as it was") {
  errno = 7;
  CHECK_FALSE(CpuMask().give_to(0));
  CpuMask mask = CpuMask::of(0);
  CHECK_FALSE(mask.read_of(-1));
  CHECK(mask == CpuMask());
  CHECK(errno == 7);
}

TEST_CASE("one PU is told from none, from several, and from one that no kernel has") {
  CHECK(CpuMask::of(65).only_one() == 65);
  CHECK(CpuMask(PuSet::parse("65")).only_one() == 65);
  CHECK(CpuMask(PuSet::parse("1,65")).only_one() == CpuMask::kPus);
  CHECK(CpuMask(PuSet::parse("3,5")).only_one() == CpuMask::kPus);
  CHECK(CpuMask::of(CpuMask::kPus) == CpuMask());
}

TEST_CASE("a mask is copied as far as there is room, with zeros behind its end") {
  std::array<unsigned char, 2> narrow{0xff, 0xff};
  CpuMask(PuSet::parse("1,9,70")).copy_to(narrow.data(), narrow.size());
  CHECK(narrow[0] == 2);
  CHECK(narrow[1] == 2);
  std::vector<unsigned char> wide(CpuMask::kPus / 8 + 3, 0xff);
  CpuMask(PuSet::parse("8")).copy_to(wide.data(), wide.size());
  CHECK(wide[1] == 1);
  CHECK(wide.back() == 0);
}

}  // namespace huddle::runtime
