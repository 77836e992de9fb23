#include "profiles/traces/read/detail/record_fields.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "profiles/traces/read/detail/record_window.hpp"

namespace huddle::otf2 {
namespace {

// With the room behind them that fields are read with.
struct Bytes {
  explicit Bytes(std::vector<std::uint8_t> given) : size(given.size()), all(std::move(given)) {
    all.resize(size + RecordWindow::kPadding);
  }
  [[nodiscard]] RecordFields fields(bool big_endian = false) const {
    return {all.data(), all.data() + size, big_endian};
  }
  std::size_t size;
  std::vector<std::uint8_t> all;
};

}  // namespace

TEST_CASE("numbers take as many bytes as they need, in either order") {
  const Bytes bytes({0, 1, 7, 2, 0x01, 0x02, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0xff});
  RecordFields little = bytes.fields();
  CHECK(little.number() == 0);
  CHECK(little.number() == 7);
  CHECK(little.number() == 0x0201);
  CHECK(little.number() == 0x0807060504030201);
  CHECK(little.number() == UINT64_MAX);
  CHECK(little.at_end());
  CHECK(little.sound());
  RecordFields big = bytes.fields(true);
  CHECK(big.number() == 0);
  CHECK(big.number() == 7);
  CHECK(big.number() == 0x0102);
  CHECK(big.number() == 0x0102030405060708);
  CHECK(big.number() == UINT64_MAX);
  CHECK(big.sound());
}

TEST_CASE("numbers of a fixed size and texts") {
  const Bytes bytes({1, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 4, 'a', 'b', 0, 9});
  RecordFields big = bytes.fields(true);
  CHECK(big.plain() == 0x0100000000000002);
  CHECK(big.plain32() == 0x03000004);
  CHECK(big.text() == "ab");
  CHECK(big.byte() == 9);
  CHECK(big.sound());
}

TEST_CASE("what is not there is 0 and not sound") {
  const Bytes cut({3, 1});
  RecordFields first = cut.fields();
  first.number();
  CHECK_FALSE(first.sound());
  const Bytes too_long({9, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  RecordFields number = too_long.fields();
  number.number();
  CHECK_FALSE(number.sound());
  const Bytes wide({5, 1, 2, 3, 4, 5});
  RecordFields narrow = wide.fields();
  narrow.number32();
  CHECK_FALSE(narrow.sound());
  const Bytes text({'a', 'b'});
  RecordFields endless = text.fields();
  CHECK(endless.text().empty());
  CHECK_FALSE(endless.sound());
  const Bytes none({});
  RecordFields empty = none.fields();
  CHECK(empty.byte() == 0);
  CHECK(empty.plain() == 0);
  CHECK_FALSE(empty.sound());
}

}  // namespace huddle::otf2
