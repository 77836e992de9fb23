#include "spank_plugin/keeper/clock_envelope.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>

#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

TEST_CASE("an upper limit is written, and the clock is read") {
  const NodeOfFiles node;
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  CHECK(envelope.write_most(0, 1'800'000) == 0);
  CHECK(node.most(0) == 1'800'000);
  CHECK(node.most(1) == 3'000'000);
  CHECK(envelope.current_khz(0) == 1'000'000);
  CHECK(envelope.current_khz(1) == 1'000'001);
}

TEST_CASE("a shorter number replaces a longer one") {
  NodeOfFiles node;
  node.envelope[0].limits = {800'000, 2'400'000};
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  CHECK(envelope.write_most(0, 2'400'000) == 0);
  CHECK(envelope.write_most(0, 800'000) == 0);
  CHECK(node.most(0) == 800'000);
}

TEST_CASE("nothing outside of the envelope is written") {
  const NodeOfFiles node;
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  for (const std::uint32_t khz : {0U, 1U, kLeastKhz - 1, kTopKhz + 1, 4'294'967'295U}) {
    CHECK(envelope.write_most(0, khz) == EINVAL);
    CHECK(node.most(0) == 3'000'000);
  }
}

TEST_CASE("files that are put in the place of opened ones are not written to") {
  const NodeOfFiles node;
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  store::put_file(node.scratch.path() / "victim", "precious");
  std::filesystem::remove(node.file(0, "scaling_max_freq"));
  std::filesystem::create_symlink(node.scratch.path() / "victim", node.file(0, "scaling_max_freq"));
  CHECK(envelope.write_most(0, 1'800'000) == 0);
  CHECK(store::get_file(node.scratch.path() / "victim") == "precious");
}

TEST_CASE("links, and what is no file, are not opened") {
  const NodeOfFiles node;
  const auto control = node.file(1, "scaling_max_freq");
  std::filesystem::remove(control);
  SUBCASE("a link in the place of a control") {
    std::filesystem::create_symlink(node.file(0, "scaling_max_freq"), control);
  }
  SUBCASE("a FIFO") {
    REQUIRE(::mkfifo(control.c_str(), 0600) == 0);
  }
  SUBCASE("a folder") {
    std::filesystem::create_directory(control);
  }
  SUBCASE("a link in the place of a policy") {
    std::filesystem::remove_all(control.parent_path());
    std::filesystem::create_symlink("policy0", control.parent_path());
  }
  SUBCASE("nothing") {}
  CHECK_THROWS_AS(ClockEnvelope(node.envelope, node.scratch.path()), SystemError);
}

TEST_CASE("a clock that can't be read is not known") {
  const NodeOfFiles node;
  store::put_file(node.file(0, "scaling_cur_freq"), "<unknown>\n");
  std::filesystem::remove(node.file(1, "scaling_cur_freq"));
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  CHECK(envelope.current_khz(0) == 0);
  CHECK(envelope.current_khz(1) == 0);
}

TEST_CASE("an envelope that is none is refused") {
  NodeOfFiles node;
  EnvelopeClock& second = node.envelope[1];
  SUBCASE("no clock") {
    node.envelope.clear();
  }
  SUBCASE("limits of 0") {
    second.limits = {0, 1};
  }
  SUBCASE("limits backwards") {
    second.limits = {2, 1};
  }
  SUBCASE("faster than any clock") {
    second.limits = {1, frequency::ClockLimits::kMostKhz + 1};
  }
  SUBCASE("a policy twice") {
    second.policy = 0;
  }
  SUBCASE("a PU twice") {
    second.pus = PuSet::parse("0");
  }
  SUBCASE("no PUs") {
    second.pus = PuSet();
  }
  SUBCASE("steps that do not ascend") {
    second.steps_khz = {2, 2};
  }
  CHECK_THROWS_AS(ClockEnvelope(node.envelope, node.scratch.path()), Error);
}

}  // namespace
}  // namespace huddle::keeper
