#include "profiles/traces/read/detail/record_window.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/traces/read/detail/otf2_format.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::otf2 {
namespace {

struct File {
  explicit File(const std::string& bytes) { store::put_file(path, bytes); }
  store::TemporaryDirectory folder;
  std::filesystem::path path = folder.path() / "events";
};

// A chunk's header: mark, byte order, numbers of the first and the last record.
std::string header(char order = kLittleEndian) {
  std::string bytes = {static_cast<char>(kChunkHeader), order};
  std::string first(8, '\0');
  first[order == kLittleEndian ? 0 : 7] = 1;
  return bytes + first + std::string(8, '\0');
}

TEST_CASE("a window moves over a file that is larger than it") {
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  const File file(bytes);
  RecordWindow window(file.path);
  CHECK(window.size() == bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    REQUIRE(window.ensure(1));
    REQUIRE(window.position() == at);
    REQUIRE(*window.data() == at % 251);
    window.skip(7);
  }
  CHECK(window.left() == 0);
  CHECK_FALSE(window.ensure(1));
}

TEST_CASE("a window grows to what is needed, and has zeros behind the file's end") {
  const File file(std::string(200'000, 'x'));
  RecordWindow window(file.path);
  REQUIRE(window.ensure(200'000));
  CHECK(window.available() == 200'000);
  CHECK_FALSE(window.ensure(200'001));
  CHECK(window.data()[200'000] == 0);
  CHECK(window.data()[200'000 + RecordWindow::kPadding - 1] == 0);
}

TEST_CASE("files beyond the budget of descriptors are read all the same") {
  const File file("abc");
  const auto budget = std::make_shared<DescriptorBudget>();
  budget->left = 1;
  RecordWindow first(file.path, budget);
  CHECK(budget->left == 0);
  RecordWindow second(file.path, budget);
  for (RecordWindow* window : {&first, &second}) {
    REQUIRE(window->ensure(3));
    CHECK(*window->data() == 'a');
  }
}

TEST_CASE("what is no regular file is refused") {
  const store::TemporaryDirectory folder;
  CHECK_THROWS_AS(RecordWindow(folder.path()), FormatError);
  CHECK_THROWS_AS(RecordWindow(folder.path() / "none"), SystemError);
}

TEST_CASE("records are found over the borders of chunks") {
  constexpr std::size_t kChunk = 64;
  std::string bytes = header() + "\x0c\x0c";
  bytes += static_cast<char>(kEndOfChunk);
  bytes.resize(kChunk, '\0');
  bytes += header() + "\x0d" + static_cast<char>(kEndOfFile);
  const File file(bytes);
  RecordWindow window(file.path);
  ChunkWalk chunks(window, kChunk);
  CHECK_FALSE(chunks.big_endian());
  std::string types;
  while (chunks.at_record()) {
    types += static_cast<char>(*window.data());
    window.advance(1);
  }
  CHECK(types == "\x0c\x0c\x0d");
}

TEST_CASE(
    "each chunk's header has the order of bytes; without one, or without an end, it is an error") {
  const File big(header(kBigEndian) + static_cast<char>(kEndOfFile));
  RecordWindow window(big.path);
  ChunkWalk chunks(window, 64);
  CHECK(chunks.big_endian());
  CHECK_FALSE(chunks.at_record());
  const File other("something else");
  RecordWindow no_header(other.path);
  CHECK_THROWS_AS(ChunkWalk(no_header, 64), FormatError);
  const File cut(header() + "\x0c");
  RecordWindow without_end(cut.path);
  ChunkWalk cut_chunks(without_end, 64);
  CHECK(cut_chunks.at_record());
  without_end.advance(1);
  CHECK_THROWS_AS(cut_chunks.at_record(), FormatError);
}

}  // namespace
}  // namespace huddle::otf2
