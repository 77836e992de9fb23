#include "profiles/recorder/process/byte_packing.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {

struct Inner {
  std::uint32_t number = 0;
  bool flag = false;
  friend bool operator==(const Inner&, const Inner&) = default;
};
struct Outer {
  double value = 0;
  std::string text;
  std::filesystem::path path;
  std::vector<Inner> items;
  std::vector<std::vector<std::uint64_t>> lists;
  friend bool operator==(const Outer&, const Outer&) = default;
};

template <class Archive>
void visit_members(Archive& archive, Inner& inner) {
  archive(inner.number, inner.flag);
}
template <class Archive>
void visit_members(Archive& archive, Outer& outer) {
  archive(outer.value, outer.text, outer.path, outer.items, outer.lists);
}

namespace {

constexpr std::string_view kMark = "a mark 1\n";
const Outer kWhole{-1.5, std::string("a\0b", 3), "/a/b", {{7, true}, {8, false}}, {{}, {1, 2}}};

std::string error_of_unpacking(const std::string& bytes) {
  return error_of<FormatError>(
      [&] { static_cast<void>(unpacked_bytes<Outer>(kMark, bytes, "a file")); });
}

}  // namespace

TEST_CASE("what was packed is unpacked the same, whatever its members are") {
  const std::string bytes = packed_bytes(kMark, kWhole);
  CHECK(bytes.starts_with(kMark));
  CHECK(unpacked_bytes<Outer>(kMark, bytes, "a file") == kWhole);
  CHECK(unpacked_bytes<Outer>(kMark, packed_bytes(kMark, Outer{}), "a file") == Outer{});
}

TEST_CASE("bytes that end early, go on, or begin with another mark are refused") {
  const std::string bytes = packed_bytes(kMark, kWhole);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(error_of_unpacking(bytes.substr(0, size)).empty());
  CHECK(error_of_unpacking(bytes + "xy").ends_with("found 2 bytes more, expected a mark 1"));
  CHECK(error_of_unpacking("another 1\n") ==
        "a file: byte 0: found something else, expected a mark 1");
}

TEST_CASE("a length beyond the end is refused before memory is allocated for it") {
  std::string bytes = packed_bytes(kMark, std::string());
  bytes.replace(kMark.size(), 8, 8, '\xff');
  CHECK(error_of<FormatError>([&] {
          static_cast<void>(unpacked_bytes<std::string>(kMark, bytes, "a file"));
        }).find("found a length of 18446744073709551615") != std::string::npos);
}

}  // namespace huddle::recorder
