#include "profiles/store/retention.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>

#include "profiles/formats/profile/profile.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kDay{24};

// A folder of files that were written some days ago.
struct OldFolder {
  OldFolder() { folder = store.make_folder(key); }
  OldFolder(const OldFolder& other, const StoreKey& other_key)
      : store(other.store), key(other_key), folder(store.make_folder(key)), now(other.now) {}
  void age(const std::string& name, int days) const {
    const auto written = std::chrono::system_clock::to_time_t(now - days * kDay);
    const std::array<timespec, 2> times{{{written, 0}, {written, 0}}};
    REQUIRE(::utimensat(AT_FDCWD, (folder / name).c_str(), times.data(), AT_SYMLINK_NOFOLLOW) == 0);
  }
  void put(const std::string& name, int days) const {
    put_file(folder / name, "{}");
    age(name, days);
  }
  void put_profile(const std::string& name, int days, bool complete = true) const {
    Profile profile = sample_profile();
    profile.complete = complete;
    if (!complete) profile.cut_short_reason = "killed";
    save_profile(profile, folder / name);
    age(name, days);
  }
  [[nodiscard]] std::size_t remove(int days) const {
    const auto result = sweep_now(store, key.user, {.age = days * kDay}, now);
    return result ? result->removed : 0;
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder))
      found.insert(entry.path().filename().string());
    return found;
  }

  TemporaryDirectory directory;
  Store store{directory.path()};
  StoreKey key{"ann", "app", 4};
  fs::path folder;
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
};

using Names = std::set<std::string>;

TEST_CASE("what is older than asked for is removed, and nothing else") {
  const OldFolder old;
  old.put_profile("profile-3.json", 1);
  old.put_profile("profile-2.json", 9);
  old.put_profile("profile-1.cbor", 11);
  for (const char* name :
       {"plan-1.json", "outcome-1.json", "energy-1.0-n0-1", ".plan-1.json.tmp", ".making-1"})
    old.put(name, 11);
  for (const char* name : {"plan-2.json", "outcome-2.json"}) old.put(name, 9);
  old.put(".plan-2.json.tmp", 6);
  CHECK(old.remove(10) == 6);
  CHECK(old.names() == Names{"profile-3.json", "profile-2.json", "plan-2.json", "outcome-2.json",
                             ".plan-2.json.tmp"});
  CHECK(old.remove(10) == 0);
}

TEST_CASE("what killed processes did not finish goes after a week, whatever else is kept") {
  const OldFolder old;
  const fs::path part = old.folder.parent_path().parent_path();
  fs::create_directory(part / Store::kTeamSizesFolder);
  const std::string to_part = "../../";
  const std::string to_sizes = to_part + std::string(Store::kTeamSizesFolder) + "/";
  const std::vector<std::string> left = {".plan-1.json.n0.7.8.0.tmp",
                                         ".making-1",
                                         ".job-17.rankfile.n0.7.8.0.tmp",
                                         to_part + "..sweep.n0.7.8.1.tmp",
                                         to_sizes + ".abc.consent.n0.7.8.2.tmp",
                                         to_sizes + "abc.by-n0-7-8"};
  const std::vector<std::string> others = {"profile-1.json", "plan-1.json", "job-17.rankfile",
                                           to_sizes + "abc.consent", ".plan-2.json.n0.7.8.0.tmp"};
  for (const std::string& name : left) old.put(name, 8);
  for (const std::string& name : others) old.put(name, 300);
  old.age(others.back(), 6);
  const std::string parts = ".profile-1.json.parts-12ab";
  fs::create_directory(old.folder / parts);
  old.put(parts + "/0a", 8);
  old.age(parts, 9);
  CHECK(old.remove(0) == left.size() + 1);
  for (const std::string& name : left) CHECK_FALSE(fs::exists(old.folder / name));
  for (const std::string& name : others) CHECK(fs::exists(old.folder / name));
  CHECK_FALSE(fs::exists(old.folder / parts));
}

TEST_CASE("packed runs' profiles go by their age, and never stand in for one that plans rest on") {
  const OldFolder old;
  old.put_profile("profile-1.json", 300);
  old.put_profile("packed-3.json", 1);
  old.put_profile("packed-2.cbor", 11);
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{"profile-1.json", "packed-3.json"});
}

TEST_CASE("traces go when profiles of their age do") {
  const OldFolder old;
  old.put_profile("profile-2.json", 1);
  for (const auto& [name, days] : {std::pair{"profile-1.trace", 11}, {"profile-2.trace", 1}}) {
    fs::create_directories(old.folder / name / "traces");
    old.put(std::string(name) + "/traces.otf2", days);
    old.age(std::string(name) + "/traces", days);
    old.age(name, days);
  }
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{"profile-2.json", "profile-2.trace"});
  CHECK(old.store.profiles(old.key).size() == 1);
}

TEST_CASE("what runs left of their traces that were cut short goes as traces do") {
  const OldFolder old;
  old.put_profile("profile-2.json", 1);
  for (const char* name : {"profile-1.trace.raw-7.0-pid1", ".profile-1.trace.host-1-2.tmp",
                           "profile-2.trace.raw-8.0-pid1"}) {
    fs::create_directories(old.folder / name);
    for (const char* file : {"/0.definitions", "/0.0.events"})
      old.put(name + std::string(file), 11);
    old.age(name, 11);
  }
  old.age("profile-2.trace.raw-8.0-pid1/0.definitions", 1);  // a run that goes on
  CHECK(old.remove(10) == 2);
  CHECK(old.names() == Names{"profile-2.json", "profile-2.trace.raw-8.0-pid1"});
}

TEST_CASE("the newest complete profile stays however old it is") {
  const OldFolder old;
  old.put_profile("profile-1.json", 300);
  CHECK(old.remove(10) == 0);
  old.put_profile("profile-2.json", 200);
  old.put_profile("profile-3.json", 100, false);
  old.put("profile-4.json", 50);
  CHECK(old.remove(10) == 3);
  CHECK(old.names() == Names{"profile-2.json"});
}

TEST_CASE("with a young complete profile all old ones go") {
  const OldFolder old;
  old.put_profile("profile-1.json", 300);
  old.put_profile("profile-2.json", 3);
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{"profile-2.json"});
}

TEST_CASE("that a second measured run was tried is known as long as the first one's profile") {
  const OldFolder old;
  old.put("sample-0.json", 400);
  old.put_profile("profile-1.json", 300);
  old.put("sample-1.json", 299);
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{"profile-1.json", "sample-1.json"});
}

TEST_CASE("a plan that jobs still take is not old") {
  const OldFolder old;
  old.put("plan-1.json", 300);
  keep_in_use(old.folder / "plan-1.json");
  CHECK(old.remove(10) == 0);
  keep_in_use(old.folder / "none.json");
  CHECK(old.names() == Names{"plan-1.json"});
}

TEST_CASE("parts of a run that still goes on stay, those of one that was killed go") {
  const OldFolder old;
  for (const char* name : {".profile-1.json.parts-0a", ".profile-2.json.parts-0b"}) {
    fs::create_directory(old.folder / name);
    put_file(old.folder / name / "0a", "");
    old.age(std::string(name) + "/0a", name[9] == '1' ? 20 : 1);
    old.age(name, 20);
  }
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{".profile-2.json.parts-0b"});
}

TEST_CASE("what has no name of ours is left alone, and links are not followed") {
  const OldFolder old;
  old.put("notes.txt", 300);
  old.put("kept", 300);
  fs::create_symlink(old.folder / "kept", old.folder / "plan-1.json");
  old.age("plan-1.json", 300);
  CHECK(old.remove(10) == 1);
  CHECK(old.names() == Names{"kept", "notes.txt"});
}

TEST_CASE("labels that are not submitted again are cleaned as well") {
  const OldFolder old;
  const OldFolder other(old, {"ann", "forgotten", 8});
  const OldFolder third(old, {"ann", "forgotten", 2});
  old.put("outcome-1.json", 1);
  other.put("outcome-1.json", 300);
  third.put("outcome-1.json", 300);
  CHECK(old.remove(10) == 2);
  CHECK(other.names().empty());
  CHECK(old.names() == Names{"outcome-1.json"});
}

TEST_CASE("a user's part is swept once an hour") {
  const OldFolder old;
  const Retention retention{.age = 10 * kDay};
  CHECK(sweep_is_due(old.store, "ann", old.now));
  const auto first = sweep_slice(old.store, "ann", retention, {}, old.now);
  REQUIRE(first);
  CHECK(first->finished);
  old.put("outcome-1.json", 300);
  const auto later = old.now + std::chrono::minutes(59);
  CHECK_FALSE(sweep_is_due(old.store, "ann", later));
  CHECK_FALSE(sweep_slice(old.store, "ann", retention, {}, later));
  const auto due = old.now + std::chrono::minutes(60);
  CHECK(sweep_is_due(old.store, "ann", due));
  CHECK(sweep_slice(old.store, "ann", retention, {}, due)->removed == 1);
}

TEST_CASE("one process sweeps at a time") {
  const OldFolder old;
  REQUIRE(sweep_now(old.store, "ann", {.age = kDay}, old.now));
  const fs::path file = old.store.part_of("ann") / ".sweep";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(descriptor, LOCK_EX | LOCK_NB) == 0);
  CHECK_FALSE(sweep_now(old.store, "ann", {.age = kDay}, old.now));
  ::close(descriptor);
  CHECK(sweep_now(old.store, "ann", {.age = kDay}, old.now));
}

TEST_CASE("slices look at so many files each, and together at all of them once") {
  const OldFolder old;
  const OldFolder other(old, {"ann", "other", 8});
  for (int i = 0; i < 30; ++i) old.put(fmt::format("outcome-{:02}.json", i), i % 3 == 0 ? 20 : 1);
  for (int i = 0; i < 7; ++i) other.put(fmt::format("outcome-{}.json", i), 20);
  old.put_profile("profile-1.json", 19);
  old.put("sample-1.json", 18);  // stays, since the profile does: other slices know that
  std::size_t looked_at = 0;
  std::size_t removed = 0;
  int slices = 0;
  for (bool finished = false; !finished; ++slices) {
    REQUIRE(slices < 20);
    const auto slice = sweep_slice(old.store, "ann", {.age = 10 * kDay}, {.entries = 5}, old.now);
    REQUIRE(slice);
    CHECK(slice->looked_at <= 5);
    looked_at += slice->looked_at;
    removed += slice->removed;
    finished = slice->finished;
  }
  CHECK(slices >= 8);
  CHECK(removed == 17);
  CHECK(old.names().size() == 22);
  CHECK(other.names().empty());
  CHECK(looked_at <= 39 + 4 + 2 * static_cast<std::size_t>(slices));
}

TEST_CASE("slices of one file each come to an end") {
  const OldFolder old;
  for (int i = 0; i < 4; ++i) old.put(fmt::format("outcome-{}.json", i), 20);
  int slices = 0;
  while (!sweep_slice(old.store, "ann", {.age = 10 * kDay}, {.entries = 1}, old.now)->finished)
    REQUIRE(++slices < 20);
  CHECK(old.names().empty());
}

TEST_CASE("a state that makes no sense is the beginning of a sweep") {
  const OldFolder old;
  for (const char* text : {"", "begun x\nend\n", "begun 1", "age 999 1 1\nend\n", "\n\nend\n"}) {
    CAPTURE(text);
    put_file(old.store.part_of("ann") / ".sweep", text);
    old.put("outcome-1.json", 300);
    CHECK(sweep_is_due(old.store, "ann", old.now));
    const auto slice = sweep_slice(old.store, "ann", {.age = 10 * kDay}, {}, old.now);
    REQUIRE(slice);
    CHECK(slice->removed == 1);
  }
}

TEST_CASE("what is too much goes oldest first, of all labels") {
  const OldFolder old;
  const OldFolder other(old, {"ann", "other", 8});
  for (int i = 1; i <= 9; ++i) old.put(fmt::format("outcome-{}.json", i), 1 << i);
  for (int i = 1; i <= 9; ++i) other.put(fmt::format("outcome-{}.json", i), 1 << i);
  const auto result = sweep_now(old.store, "ann", {.most_files = 10}, old.now);
  CHECK(result->removed == 8);
  CHECK(old.names() == Names{"outcome-1.json", "outcome-2.json", "outcome-3.json", "outcome-4.json",
                             "outcome-5.json"});
  CHECK(other.names() == old.names());
  CHECK(sweep_now(old.store, "ann", {.most_files = 10}, old.now)->removed == 0);
}

TEST_CASE("bytes may be too much as well") {
  const OldFolder old;
  for (int i = 1; i <= 4; ++i) {
    put_file(old.folder / fmt::format("outcome-{}.json", i), std::string(1000, 'x'));
    old.age(fmt::format("outcome-{}.json", i), 1 << i);
  }
  CHECK(sweep_now(old.store, "ann", {.most_bytes = {2500}}, old.now)->removed == 2);
  CHECK(old.names() == Names{"outcome-1.json", "outcome-2.json"});
}

TEST_CASE("what plans rest on, unfinished files and the last hour's stay if it is too much") {
  const OldFolder old;
  old.put_profile("profile-1.json", 300);
  old.put_profile("profile-2.json", 200);
  old.put_profile("profile-3.json", 150, false);
  old.put("sample-1.json", 299);
  old.put("plan-1.json", 250);
  old.put("plan-2.json", 199);
  old.put("plan-2.none.json", 100);
  old.put("outcome-1.json", 10);
  old.put("outcome-2.json", 0);
  old.put(".making-plan-2", 6);
  old.put("notes.txt", 300);
  sweep_now(old.store, "ann", {.most_files = 1}, old.now);
  CHECK(old.names() == Names{".making-plan-2", "notes.txt", "outcome-2.json", "plan-2.json",
                             "plan-2.none.json", "profile-2.json", "sample-1.json"});
}

TEST_CASE("a folder that is not there, or is another user's, is nothing to clean") {
  const OldFolder old;
  CHECK_FALSE(sweep_now(old.store, "bob", {.age = kDay}));
  old.put("plan-1.json", 300);
  if (::geteuid() == 0) {
    REQUIRE(::chown(old.folder.c_str(), 12345, 12345) == 0);
    CHECK(old.remove(10) == 0);
  }
}

}  // namespace
}  // namespace huddle::store
