#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

struct Pair {
  std::uint64_t number = 0;
  std::uint32_t half = 0;
};

using Spill = SpillFile<Pair>;

Spill filled(const std::filesystem::path& folder, std::size_t in_memory, std::uint64_t records) {
  Spill file(folder, in_memory);
  for (std::uint64_t i = 0; i < records; ++i) file.append({i, static_cast<std::uint32_t>(i / 2)});
  return file;
}

// True if the file holds `records` of them, in the order they were appended in.
bool in_order(const Spill& file, std::uint64_t records) {
  std::uint64_t next = 0;
  bool right = true;
  file.each([&](const Pair& pair) {
    right = right && pair.number == next && pair.half == next / 2;
    ++next;
  });
  return right && next == records && file.size() == records;
}

TEST_CASE("records come back in order, whatever part of them is in memory") {
  const store::TemporaryDirectory folder;
  // 0: one record at a time; 3 records: the last piece is full, or not. More than are read at once.
  for (const std::size_t in_memory : {std::size_t{0}, 3 * sizeof(Pair), std::size_t{1} << 20U})
    for (const std::uint64_t records : {0U, 1U, 2U, 3U, 4U, 6U, 40'000U}) {
      CAPTURE(in_memory);
      CAPTURE(records);
      const Spill file = filled(folder.path(), in_memory, records);
      CHECK(in_order(file, records));
      CHECK(in_order(file, records));  // again
    }
  CHECK(folder.entries() == 0);
}

TEST_CASE("records can be read between appends") {
  const store::TemporaryDirectory folder;
  Spill file(folder.path(), 2 * sizeof(Pair));
  for (std::uint64_t i = 0; i < 7; ++i) {
    CHECK(in_order(file, i));
    file.append({i, static_cast<std::uint32_t>(i / 2)});
  }
}

// The open files of this process that were in `folder`, by their descriptors.
std::vector<int> open_files_of(const std::filesystem::path& folder) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own, once it is over
    const std::filesystem::path file = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && file.parent_path() == folder)
      found.push_back(std::stoi(entry.path().filename().string()));
  }
  return found;
}

TEST_CASE("a temporary file that somebody shortens is an error, not made-up records") {
  const store::TemporaryDirectory folder;
  for (const std::uint64_t records : {std::uint64_t{5}, std::uint64_t{40'000}}) {
    const Spill file = filled(folder.path(), sizeof(Pair), records);
    const std::vector<int> files = open_files_of(folder.path());
    REQUIRE(files.size() == 1);
    // One record is in memory.
    REQUIRE(ftruncate(files[0], static_cast<off_t>((records - 1) * sizeof(Pair) - 1)) == 0);
    const auto nothing = [](const Pair&) {};
    CHECK(error_of([&] { file.each(nothing); }).find("ends too early") != std::string::npos);
  }
  CHECK(open_files_of(folder.path()).empty());
}

TEST_CASE("a folder that does not exist is named when the first record does not fit into memory") {
  Spill file("/nowhere/at/all", sizeof(Pair));
  file.append({});
  CHECK(error_of<SystemError>([&] { file.append({}); }).find("/nowhere/at/all") !=
        std::string::npos);
  CHECK_THROWS_AS(TemporaryFile("/nowhere/at/all"), SystemError);
}

TEST_CASE("a temporary file has no name, and goes with the last object that has it") {
  const store::TemporaryDirectory folder;
  {
    TemporaryFile first(folder.path());
    CHECK(folder.entries() == 0);
    first.write("one");
    TemporaryFile second(std::move(first));
    second.write("two");
    CHECK(open_files_of(folder.path()) == std::vector<int>{second.descriptor()});
    CHECK(store::get_file("/proc/self/fd/" + std::to_string(second.descriptor())) == "onetwo");
    TemporaryFile third(folder.path());
    CHECK(open_files_of(folder.path()).size() == 2);
    third = std::move(second);
    CHECK(open_files_of(folder.path()) == std::vector<int>{third.descriptor()});
  }
  CHECK(open_files_of(folder.path()).empty());
}

TEST_CASE("an array begins with zeros and keeps its values, in memory or on disk") {
  const store::TemporaryDirectory folder;
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20U}) {
    DiskArray<std::uint64_t> numbers(size, folder.path());
    REQUIRE(numbers.size() == size);
    CHECK(std::accumulate(numbers.data(), numbers.data() + size, std::uint64_t{0}) == 0);
    for (std::uint64_t i = 0; i < size; ++i) numbers[i] = i;
    DiskArray<std::uint64_t> moved = std::move(numbers);
    CHECK(std::as_const(moved)[size - 1] == size - 1);
    CHECK(std::accumulate(moved.data(), moved.data() + size, std::uint64_t{0}) ==
          size * (size - 1) / 2);
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("an empty array has no memory, and a large one needs its folder") {
  const DiskArray<std::uint64_t> none(0, "/nowhere/at/all");
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
  CHECK_THROWS_AS(DiskArray<std::uint64_t>(std::uint64_t{1} << 20U, "/nowhere/at/all"),
                  SystemError);
}

// MiB of files in memory of this process.
double files_in_memory() {
  std::ifstream status("/proc/self/status");
  double sum = 0;
  for (std::string line; std::getline(status, line);)
    for (const std::string name : {"RssFile:", "RssShmem:"})
      if (line.starts_with(name)) sum += std::stod(line.substr(name.size())) / 1024;
  return sum;
}

TEST_CASE("an array on disk takes little memory when it is used from first to last") {
  const store::TemporaryDirectory folder;
  constexpr std::uint64_t kSize = 16U << 20U;  // 128 MiB
  const double before = files_in_memory();
  double most = 0;
  DiskArray<std::uint64_t> array(kSize, folder.path());
  for (std::uint64_t i = 0; i < kSize; ++i) {
    array[i] = i * i;
    keep_mapped_files_small();
    if (i % 65'536 == 0) most = std::max(most, files_in_memory());
  }
  bool right = true;
  for (std::uint64_t i = kSize; i-- > 0;) {
    right = right && array[i] == i * i;
    keep_mapped_files_small();
    if (i % 65'536 == 0) most = std::max(most, files_in_memory());
  }
  CHECK(right);
  CHECK(most < before + 32);
}

}  // namespace
}  // namespace huddle::waitstates
