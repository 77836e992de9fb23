#include "profiles/store/retention.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>

#include "profiles/formats/profile/profile.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kDay{24};

// A folder of files that were written some days ago.
struct OldFolder {
  OldFolder() { folder = store.make_folder(key); }
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
    return remove_older_than(days * kDay, store, key, now);
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
  for (const char* name : {"plan-1.json", "outcome-1.json", ".plan-1.json.tmp", ".making-1"})
    old.put(name, 11);
  for (const char* name : {"plan-2.json", "outcome-2.json", ".plan-2.json.tmp"}) old.put(name, 9);
  CHECK(old.remove(10) == 5);
  CHECK(old.names() == Names{"profile-3.json", "profile-2.json", "plan-2.json", "outcome-2.json",
                             ".plan-2.json.tmp"});
  CHECK(old.remove(10) == 0);
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

TEST_CASE("a folder that is not there, or is another user's, is nothing to clean") {
  const OldFolder old;
  CHECK(remove_older_than(kDay, old.store, {"bob", "app", 4}) == 0);
  old.put("plan-1.json", 300);
  if (::geteuid() == 0) {
    REQUIRE(::chown(old.folder.c_str(), 12345, 12345) == 0);
    CHECK(old.remove(10) == 0);
  }
}

}  // namespace
}  // namespace huddle
