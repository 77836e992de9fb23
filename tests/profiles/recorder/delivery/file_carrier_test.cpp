#include "profiles/recorder/delivery/file_carrier.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;
using namespace huddle::recorder;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// A folder, and a carrier that notes its pauses and takes none.
struct Carriage {
  FileCarrier carrier(std::uint64_t bytes = 64 * kMiB) {
    return FileCarrier(
        {.bytes = bytes,
         .bytes_per_second = 10 * kMiB,
         .sleep = [this](std::chrono::nanoseconds time) { pauses.push_back(time); }});
  }
  [[nodiscard]] fs::path at(const char* name) const { return directory.path() / name; }

  store::TemporaryDirectory directory;
  std::vector<std::chrono::nanoseconds> pauses;
};

std::string patterned(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i / 1000 % 26);
  return text;
}

}  // namespace

TEST_CASE("a file is copied piece by piece, with a pause after each for its size") {
  Carriage place;
  const std::string text = patterned(2 * kMiB + 5);
  store::put_file(place.at("from"), text);
  place.carrier().carry(place.at("from"), place.at("to"));
  CHECK(store::get_file(place.at("to")) == text);
  using namespace std::chrono_literals;
  REQUIRE(place.pauses.size() == 3);
  CHECK(place.pauses[0] == 100ms);
  CHECK(place.pauses[1] == 100ms);
  CHECK(place.pauses[2] < 1us);
}

TEST_CASE("a copy has the holes of its file") {
  Carriage place;
  for (const bool in_place : {false, true}) {
    CAPTURE(in_place);
    store::put_file(place.at("from"), "begin");
    fs::resize_file(place.at("from"), 40 * kMiB);
    store::put_file(place.at("to"), patterned(1000));
    FileCarrier carrier = place.carrier();
    if (in_place)
      carrier.overwrite(place.at("from"), place.at("to"));
    else
      carrier.carry(place.at("from"), place.at("to"));
    struct stat status {};
    REQUIRE(::stat(place.at("to").c_str(), &status) == 0);
    CHECK(status.st_size == static_cast<off_t>(40 * kMiB));
    CHECK(status.st_blocks * 512 <= static_cast<blkcnt_t>(4 * kMiB));
    std::string expected(40 * kMiB, '\0');
    expected.replace(0, 5, "begin");
    CHECK(store::get_file(place.at("to")) == expected);
  }
}

TEST_CASE("a file over the limit leaves what was there as it was") {
  Carriage place;
  store::put_file(place.at("from"), patterned(5000));
  store::put_file(place.at("to"), "before");
  FileCarrier carrier = place.carrier(4999);
  CHECK_THROWS_AS(carrier.carry(place.at("from"), place.at("to")), TooLarge);
  CHECK_THROWS_AS(carrier.overwrite(place.at("from"), place.at("to")), TooLarge);
  CHECK(store::get_file(place.at("to")) == "before");
  CHECK(place.directory.entries() == 2);
  CHECK(place.pauses.empty());
}

TEST_CASE("only regular files are copied") {
  Carriage place;
  ::mkfifo(place.at("from").c_str(), 0600);
  FileCarrier carrier = place.carrier();
  CHECK_THROWS_AS(carrier.carry(place.at("from"), place.at("to")), Error);
  fs::remove(place.at("from"));
  fs::create_directory(place.at("from"));
  CHECK_THROWS_AS(carrier.carry(place.at("from"), place.at("to")), Error);
  CHECK_FALSE(fs::exists(place.at("to")));
}
