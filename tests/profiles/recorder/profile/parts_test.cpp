#include "profiles/recorder/profile/parts.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;
using namespace huddle::recorder;
namespace fs = std::filesystem;

namespace {

// Before all files of these tests.
const auto kStarted = std::chrono::system_clock::now() - std::chrono::hours(1);

Profile description(std::uint32_t ranks) {
  Profile profile;
  profile.label = "parts";
  profile.ranks = ranks;
  profile.complete = false;
  profile.cut_short_reason = "it had not ended";
  profile.counters_absent_reason = "none here";
  return profile;
}

Piece piece(std::uint32_t rank, double run_time, Encoding encoding = Encoding::kJson) {
  RankRecord record;
  record.rank.value = rank;
  record.run_time.value = run_time;
  SharedTables tables;
  tables.communicators.push_back({rank + 1, RankSet({rank, rank + 1}), {}});
  return {encode_rank_record(record, encoding), encode_shared_tables(tables)};
}

std::vector<fs::path> content(const fs::path& folder) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

fs::path folder_of_parts(const fs::path& folder) {
  for (const fs::path& name : content(folder))
    if (name.string().find(".parts-") != std::string::npos) return folder / name;
  FAIL("no folder of parts in ", folder.string());
  return {};
}

}  // namespace

TEST_CASE("a profile is made of what all ranks wrote last, by rank, with their tables") {
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const store::TemporaryDirectory directory;
    const fs::path target = directory.path() / "p.json";
    Parts zero(target, 7, 0, kStarted);
    Parts ten(target, 7, 10, kStarted);
    ten.write(piece(10, 1, encoding));
    for (double time = 1; time <= 5; ++time) zero.write(piece(0, time, encoding));
    ten.write(piece(10, 2, encoding));
    zero.make_profile(description(16), encoding, RunState::kGoesOn);
    const Profile profile = load_profile(target);
    CHECK_FALSE(profile.complete);
    CHECK(profile.cut_short_reason == "it had not ended");
    REQUIRE(profile.rank_records.size() == 2);
    CHECK(profile.rank_records[0].run_time.value == 5);
    CHECK(profile.rank_records[1].rank.value == 10);
    CHECK(profile.rank_records[1].run_time.value == 2);
    CHECK(profile.shared.communicators.size() == 2);
  }
}

TEST_CASE("a part that was being written when its rank died gives way to the one before") {
  const store::TemporaryDirectory directory;
  const fs::path target = directory.path() / "p.json";
  Parts parts(target, 7, 3, kStarted);
  parts.write(piece(3, 1));
  parts.write(piece(3, 2));
  const fs::path folder = folder_of_parts(directory.path());
  for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{5}, std::uintmax_t{100}}) {
    fs::resize_file(folder / "3b", size);
    parts.make_profile(description(8), Encoding::kJson, RunState::kGoesOn);
    CHECK(load_profile(target).rank_records.at(0).run_time.value == 1);
  }
  std::fstream(folder / "3a", std::ios::in | std::ios::out).seekp(60).put('?');
  parts.make_profile(description(8), Encoding::kJson, RunState::kGoesOn);
  CHECK(load_profile(target).rank_records.empty());
}

TEST_CASE("a run is ended once: the first reason stands, and no parts are left or come again") {
  const store::TemporaryDirectory directory;
  const fs::path target = directory.path() / "p.json";
  Parts one(target, 7, 1, kStarted);
  Parts two(target, 7, 2, kStarted);
  Parts three(target, 7, 3, kStarted);
  one.write(piece(1, 1));
  two.write(piece(2, 1));
  Profile aborted = description(8);
  aborted.cut_short_reason = "rank 2 called MPI_Abort";
  two.make_profile(aborted, Encoding::kJson, RunState::kEnded);
  one.make_profile(description(8), Encoding::kJson, RunState::kEnded);
  CHECK_FALSE(one.write(piece(1, 2)));
  CHECK_FALSE(three.write(piece(3, 2)));
  one.make_profile(description(8), Encoding::kJson, RunState::kGoesOn);
  CHECK(load_profile(target).cut_short_reason == "rank 2 called MPI_Abort");
  CHECK(load_profile(target).rank_records.size() == 2);
  CHECK(content(directory.path()).size() == 1);
}

TEST_CASE("a profile of an earlier run at the same place is no end of this one") {
  const store::TemporaryDirectory directory;
  const fs::path target = directory.path() / "p.json";
  store::put_file(target, "old");
  fs::last_write_time(target, fs::file_time_type::clock::now() - std::chrono::hours(3));
  Parts one(target, 7, 1, kStarted);
  CHECK(one.write(piece(1, 1)));
  one.make_profile(description(8), Encoding::kJson, RunState::kEnded);
  CHECK(load_profile(target).rank_records.size() == 1);
}

TEST_CASE("ranks remove their own parts, and the last one the folder") {
  const store::TemporaryDirectory directory;
  const fs::path target = directory.path() / "p.json";
  Parts one(target, 7, 1, kStarted);
  Parts two(target, 7, 2, kStarted);
  Parts three(target, 7, 3, kStarted);
  one.write(piece(1, 1));
  two.write(piece(2, 1));
  two.write(piece(2, 1));
  three.remove();
  one.remove();
  CHECK(content(folder_of_parts(directory.path())).size() == 2);
  two.remove();
  CHECK(content(directory.path()).empty());
}

TEST_CASE("parts of dead runs are removed, those of others and what is not ours is left alone") {
  const store::TemporaryDirectory directory;
  Parts(directory.path() / "dead.json", 1, 0, kStarted).write(piece(0, 1));
  const fs::path dead = folder_of_parts(directory.path());
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(3);
  fs::last_write_time(dead / "0a", old);
  fs::last_write_time(dead, old);
  Parts(directory.path() / "alive.json", 2, 0, kStarted).write(piece(0, 1));
  fs::create_directory(directory.path() / ".notes.parts-list");
  fs::last_write_time(directory.path() / ".notes.parts-list", old);
  Parts::remove_stale(directory.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK_FALSE(fs::exists(dead));
  CHECK(content(directory.path()).size() == 2);
}

TEST_CASE("files that no rank gives such a name are no parts, and stay") {
  const store::TemporaryDirectory directory;
  Parts parts(directory.path() / "p.json", 7, 0, kStarted);
  parts.write(piece(0, 1));
  const fs::path folder = folder_of_parts(directory.path());
  for (const char* name : {"00a", "007b", "a", "-1a", "1c", "1ab", "4294967296a"})
    store::put_file(folder / name, "x");
  parts.make_profile(description(8), Encoding::kJson, RunState::kEnded);
  CHECK(load_profile(directory.path() / "p.json").rank_records.size() == 1);
  CHECK(content(folder).size() == 7);
}

TEST_CASE("a text that is no piece is refused by its length or its content") {
  const std::string text = piece(0, 1).packed();
  CHECK(Piece::unpacked(text, "test").record == piece(0, 1).record);
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_THROWS_AS(Piece::unpacked(text.substr(0, size), "test"), FormatError);
  CHECK_THROWS_AS(Piece::unpacked(text + "x", "test"), FormatError);
  std::string changed = text;
  changed[changed.size() / 2] ^= 1;
  CHECK_THROWS_AS(Piece::unpacked(changed, "test"), FormatError);
}
