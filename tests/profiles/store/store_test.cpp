#include "profiles/store/store.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

std::string label_folder(const std::string& label) {
  return Store("/s").folder({"u", label, 4}).parent_path().filename().string();
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

TEST_CASE("a key's folder is root, user, label and ranks") {
  CHECK(Store("/s").folder({"ann", "halo-2.1_a+b", 16}) == "/s/ann/halo-2.1_a+b/16");
}

TEST_CASE("any label is one folder below its user's, however it is written") {
  CHECK(label_folder("a/b") == "a%2Fb");
  CHECK(label_folder("..") == "%2E.");
  CHECK(label_folder(".") == "%2E");
  CHECK(label_folder(".hidden") == "%2Ehidden");
  CHECK(label_folder("") == "%");
  CHECK(label_folder("%") == "%25");
  CHECK(label_folder("two words\n") == "two%20words%0A");
  CHECK(label_folder("größe") == "gr%C3%B6%C3%9Fe");
  CHECK(label_folder(std::string("a\0b", 3)) == "a%00b");
}

TEST_CASE("a user's name can't lead out of the store either") {
  CHECK(Store("/s").folder({"../x", "l", 1}) == "/s/%2E.%2Fx/l/1");
}

TEST_CASE("a user's labels and their numbers of ranks are listed, and nothing else that is there") {
  const TemporaryDirectory directory;
  const Store store(directory.path());
  CHECK(store.labels(current_user()).empty());
  CHECK(store.numbers_of_ranks(current_user(), "halo").empty());
  for (const std::uint32_t ranks : {128U, 16U}) store.make_folder({current_user(), "halo", ranks});
  const fs::path folder = store.make_folder({current_user(), "a b", 2}).parent_path();
  fs::create_directory(folder / "16x");
  std::ofstream(folder / "4") << "no folder";
  CHECK(store.labels(current_user()) == std::vector<std::string>{"a b", "halo"});
  CHECK(store.numbers_of_ranks(current_user(), "halo") == std::vector<std::uint32_t>{16, 128});
  CHECK(store.numbers_of_ranks(current_user(), "a b") == std::vector<std::uint32_t>{2});
}

TEST_CASE("labels are listed as their users wrote them") {
  const TemporaryDirectory directory;
  const Store store(directory.path());
  const std::string endless(5000, 'x');
  for (const std::string label : {"", "größe 3", "50%", "%41", "a/b", endless.c_str()})
    store.make_folder({current_user(), label, 1});
  const std::vector<std::string> labels = store.labels(current_user());
  REQUIRE(labels.size() == 6);
  for (const std::string label : {"", "größe 3", "50%", "%41", "a/b"})
    CHECK_MESSAGE(std::ranges::find(labels, label) != labels.end(), label);
  CHECK(labels.back().starts_with("xxx"));
}

TEST_CASE("no two labels share a folder, and every folder's name is one that Linux takes") {
  std::vector<std::string> labels = {"",   ".",    "..",  "%",     "%25", "%2E", "a",  "A",
                                     "a ", "a%20", "a/b", "a%2Fb", "ä",   "a¨",  "%%", "\xff"};
  for (const std::size_t length : {199U, 200U, 201U, 300U, 5000U}) {
    labels.push_back(std::string(length, 'x'));
    labels.push_back(std::string(length, 'x') + "y");
    labels.push_back(std::string(length, '/'));
  }
  for (const char* end : {"/1", "/2"}) labels.push_back(std::string(200, 'x').append(end));
  labels.push_back(label_folder(std::string(300, 'x')));
  std::set<std::string> folders;
  for (const std::string& label : labels) {
    const std::string folder = label_folder(label);
    CAPTURE(label);
    CHECK(folders.insert(folder).second);
    CHECK(folder.size() <= 255);
    CHECK(folder.find('/') == std::string::npos);
    CHECK(folder.front() != '.');
  }
}

TEST_CASE("a store without the key's folder has no profiles") {
  const TemporaryDirectory root;
  CHECK(Store(root.path()).profiles({"u", "l", 4}).empty());
  CHECK(Store(root.path() / "missing").profiles({"u", "l", 4}).empty());
}

TEST_CASE("profiles come newest first, and nothing else is listed") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const StoreKey key{"u", "l", 4};
  const fs::path folder = store.make_folder(key);
  for (const char* name :
       {"profile-20240101T000000.000Z-1.json", "profile-20240102T000000.000Z-1.cbor",
        "profile-20231231T235959.999Z-9.json", ".profile-20250101T000000.000Z-1.json.host.1.2.tmp",
        "plan-0123.json", "notes.txt", "packed-20260101T000000.000Z-1.json",
        "profile-20260101T000000.000Z-1.json~", "profile-20260101T000000.000Z-1.json.bak"})
    put_file(folder / name, "x");
  std::vector<std::string> names;
  for (const fs::path& path : store.profiles(key)) {
    CHECK(path.parent_path() == folder);
    names.push_back(path.filename());
  }
  CHECK(names == std::vector<std::string>{"profile-20240102T000000.000Z-1.cbor",
                                          "profile-20240101T000000.000Z-1.json",
                                          "profile-20231231T235959.999Z-9.json"});
  put_file(folder / "packed-20270101T000000.000Z-2.cbor", "x");
  put_file(folder / ".packed-20280101T000000.000Z-2.json.host.1.2.tmp", "x");
  CHECK(store.packed_profiles(key) == std::vector{folder / "packed-20270101T000000.000Z-2.cbor",
                                                  folder / "packed-20260101T000000.000Z-1.json"});
}

TEST_CASE("labels, users and numbers of ranks do not see one another's profiles") {
  const TemporaryDirectory root;
  const Store store(root.path());
  put_file(store.make_folder({"u", "l", 4}) / "profile-1.json", "x");
  CHECK(store.profiles({"u", "l", 4}).size() == 1);
  CHECK(store.profiles({"u", "l", 8}).empty());
  CHECK(store.profiles({"u", "m", 4}).empty());
  CHECK(store.profiles({"v", "l", 4}).empty());
}

TEST_CASE("a file in place of the folder is an error, not an empty store") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const fs::path folder = store.folder({"u", "l", 4});
  fs::create_directories(folder.parent_path());
  put_file(folder, "x");
  CHECK(error_of<SystemError>([&] {
          static_cast<void>(store.profiles({"u", "l", 4}));
        }) == fmt::format("can't read {}: Not a directory", folder.string()));
}

TEST_CASE("a user's part is readable by the user only, which guards what is in it") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const mode_t before = ::umask(0);
  const fs::path folder = store.make_folder({"u", "l", 4});
  ::umask(before);
  CHECK(folder == root.path() / "u" / "l" / "4");
  CHECK(mode_of(root.path() / "u") == 0700);
  CHECK(mode_of(folder) == 0755);
  CHECK(store.make_folder({"u", "l", 4}) == folder);
}

TEST_CASE("a user's part is opened to a group or to all, and never closed again") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const fs::path part = store.make_folder({"u", "l", 4}).parent_path().parent_path();
  store.let_read("u", Readers::kOwner);
  CHECK(mode_of(part) == 0700);
  store.let_read("u", Readers::kGroup);
  CHECK(mode_of(part) == 0750);
  store.let_read("u", Readers::kAll);
  CHECK(mode_of(part) == 0755);
  store.let_read("u", Readers::kOwner);
  CHECK(mode_of(part) == 0755);
}

TEST_CASE("a store in the user's home lets readers pass, but not list it") {
  const TemporaryDirectory home;
  const Store store(home.path() / ".huddle");
  store.make_folder({"u", "l", 4}, true);
  store.let_read("u", Readers::kGroup);
  CHECK(mode_of(store.root()) == 0710);
}

TEST_CASE("nothing is opened where the user has no part, or a link leads away from it") {
  const TemporaryDirectory root;
  const TemporaryDirectory elsewhere;
  const Store store(root.path());
  store.let_read("u", Readers::kAll);
  CHECK_FALSE(fs::exists(root.path() / "u"));
  fs::create_directory_symlink(elsewhere.path(), root.path() / "u");
  const unsigned before = mode_of(elsewhere.path());
  store.let_read("u", Readers::kAll);
  CHECK(mode_of(elsewhere.path()) == before);
}

TEST_CASE("a missing root is the administrator's to make, unless it is the user's own") {
  const TemporaryDirectory parent;
  const fs::path root = parent.path() / "root";
  CHECK(error_of([&] {
          Store(root).make_folder({"u", "l", 4});
        }) == fmt::format("the profile directory {} does not exist: make it (mode 1777), or set "
                          "profiles.directory in huddle.toml",
                          root.string()));
  CHECK_FALSE(fs::exists(root));
  CHECK(fs::is_directory(Store(root).make_folder({"u", "l", 4}, true)));
  CHECK(mode_of(root) == 0700);
}

TEST_CASE("a root that can't be looked at is an error of huddle's") {
  const TemporaryDirectory parent;
  fs::create_symlink("loop", parent.path() / "loop");
  CHECK_FALSE(error_of([&] { Store(parent.path() / "loop").make_folder({"u", "l", 4}); }).empty());
  CHECK_FALSE(error_of([&] {
                Store(parent.path() / std::string(300, 'x')).make_folder({"u", "l", 4});
              }).empty());
}

// Where user u's part is if <root>/u is not u's.
fs::path other_part(const TemporaryDirectory& root) {
  return root.path() / fmt::format("u~{}", ::geteuid());
}

TEST_CASE("where a link is in place of the user's folder, the user's part is elsewhere") {
  const TemporaryDirectory root;
  const TemporaryDirectory elsewhere;
  const Store store(root.path());
  CHECK(store.why_part_is_elsewhere("u").empty());
  fs::create_symlink(elsewhere.path(), root.path() / "u");
  const StoreKey key{"u", "l", 4};
  CHECK(store.make_folder(key) == other_part(root) / "l" / "4");
  CHECK(store.part_of("u") == other_part(root));
  CHECK(mode_of(other_part(root)) == 0700);
  CHECK(elsewhere.entries() == 0);
  CHECK(store.why_part_is_elsewhere("u") ==
        fmt::format("{}/u is not a directory of user u, so {} is used: an administrator should "
                    "remove it",
                    root.path().string(), other_part(root).string()));
}

TEST_CASE("what was stored elsewhere is found after the folder in the way is gone") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const StoreKey key{"u", "l", 4};
  put_file(root.path() / "u", "");
  put_file(store.make_folder(key) / "profile-1.json", "x");
  fs::remove(root.path() / "u");
  CHECK(store.profiles(key).size() == 1);
  CHECK(store.why_part_is_elsewhere("u").empty());
  CHECK(store.make_folder(key) == other_part(root) / "l" / "4");
  CHECK_FALSE(fs::exists(root.path() / "u"));
}

TEST_CASE("where both of a user's folders are somebody else's, there is no store for the user") {
  const TemporaryDirectory root;
  put_file(root.path() / "u", "");
  put_file(other_part(root), "");
  const std::string error = error_of([&] { Store(root.path()).make_folder({"u", "l", 4}); });
  CHECK(error == fmt::format("{} is not a directory of user u: remove it, or ask its owner to",
                             other_part(root).string()));
}

TEST_CASE("nothing is put into a user's folder that somebody else made") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can give a directory away");
    return;
  }
  const TemporaryDirectory root;
  const fs::path folder = root.path() / "u";
  fs::create_directory(folder);
  REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
  CHECK(Store(root.path()).make_folder({"u", "l", 4}) == other_part(root) / "l" / "4");
  CHECK(fs::is_empty(folder));
}

TEST_CASE("profiles that somebody else put under the user's name are not read") {
  const TemporaryDirectory root;
  const TemporaryDirectory elsewhere;
  const Store store(root.path());
  const StoreKey key{"u", "l", 4};
  put_file(Store(elsewhere.path()).make_folder(key) / "profile-1.json", "x");
  fs::create_symlink(elsewhere.path() / "u", root.path() / "u");
  CHECK(store.profiles(key).empty());
  CHECK(store.outcomes("u").empty());
  CHECK_FALSE(store.has_folder(key));
  fs::remove(root.path() / "u");

  CHECK_FALSE(store.has_folder(key));
  put_file(store.make_folder(key) / "profile-1.json", "x");
  CHECK(store.has_folder(key));
  CHECK(store.profiles(key).size() == 1);
  if (::geteuid() != 0) return;  // only root can give a directory away
  REQUIRE(::chown((root.path() / "u").c_str(), 65534, 65534) == 0);
  CHECK(store.profiles(key).empty());
}

TEST_CASE("an administrator reads a user's profiles, where they are the user's own") {
  if (::geteuid() != 0) return;  // only root can give a directory away
  const TemporaryDirectory root;
  const Store store(root.path());
  const StoreKey key{"nobody", "l", 4};
  const fs::path folder = root.path() / "nobody" / "l" / "4";
  fs::create_directories(folder);
  put_file(folder / "profile-1.json", "x");
  CHECK(store.profiles(key).empty());
  REQUIRE(::chown((root.path() / "nobody").c_str(), 65534, 65534) == 0);
  CHECK(store.profiles(key).size() == 1);
}

TEST_CASE(
    "users are those who have a directory of their own name; links and others are passed over") {
  const TemporaryDirectory root;
  const Store store(root.path());
  CHECK(store.users().names.empty());
  fs::create_directories(root.path() / current_user());
  fs::create_directories(root.path() / "of-no-user");
  fs::create_directory_symlink(root.path() / current_user(), root.path() / "mail");
  put_file(root.path() / "a-file", "x");
  fs::create_directories(root.path() / "lost+found");
  CHECK(store.users().names == std::vector<std::string>{current_user()});
  CHECK(store.users().passed_over ==
        std::vector<fs::path>{root.path() / "mail", root.path() / "of-no-user"});
  CHECK(Store(root.path() / "missing").users().names.empty());
  if (::geteuid() != 0) return;  // only root can give a directory away
  fs::create_directories(root.path() / "daemon");
  fs::create_directories(root.path() / "daemon~1");
  REQUIRE(::chown((root.path() / "daemon~1").c_str(), 1, 1) == 0);
  CHECK(store.users().names == std::vector<std::string>{"daemon", current_user()});
  CHECK(store.users().passed_over.front() == root.path() / "daemon");
}

TEST_CASE("many jobs may make the same folder at once") {
  const TemporaryDirectory root;
  const Store store(root.path());
  std::vector<std::thread> jobs;
  std::vector<std::string> errors(8);
  for (std::string& error : errors)
    jobs.emplace_back([&store, &error] {
      for (int i = 0; i < 20; ++i)
        error += error_of([&] { store.make_folder({"u", std::to_string(i), 4}); });
    });
  for (std::thread& job : jobs) job.join();
  for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("a profile's name tells its time to the millisecond in UTC") {
  const std::chrono::system_clock::time_point when{std::chrono::milliseconds(1'700'000'000'007)};
  CHECK(Store::profile_name("12.0", ".json", when) == "profile-20231114T221320.007Z-12.0.json");
  CHECK(Store::profile_name("a", ".cbor", when + std::chrono::milliseconds(1)) >
        Store::profile_name("z", ".json", when));
}

TEST_CASE("records of what became of jobs are found by user and label, oldest first") {
  const TemporaryDirectory root;
  const Store store(root.path());
  const std::chrono::system_clock::time_point when{std::chrono::milliseconds(1'700'000'000'007)};
  CHECK(Store::outcome_name("12.0", when) == "outcome-20231114T221320.007Z-12.0.json");
  CHECK(store.outcomes("u").empty());
  const auto put = [&](const StoreKey& key, const std::string& name) {
    std::ofstream(store.make_folder(key) / name) << "x";
  };
  const std::chrono::hours hour(1);
  put({"u", "b/b", 4}, Store::outcome_name("1.0", when + hour));
  put({"u", "a", 8}, Store::outcome_name("2.0", when + 2 * hour));
  put({"u", "a", 4}, Store::outcome_name("3.0", when));
  put({"u", "a", 4}, Store::profile_name("3.0", ".json", when));
  put({"u", "a", 4}, "outcome-of-a-game.txt");
  put({"v", "a", 4}, Store::outcome_name("4.0", when));
  std::ofstream(root.path() / "u" / "a file, not a label") << "x";
  const auto names = [&](const std::optional<std::string>& label) {
    std::string all;
    for (const fs::path& path : store.outcomes("u", label))
      all += path.parent_path().filename().string() + path.filename().string().substr(28) + ' ';
    return all;
  };
  CHECK(names(std::nullopt) == "4-3.0.json 4-1.0.json 8-2.0.json ");
  CHECK(names("a") == "4-3.0.json 8-2.0.json ");
  CHECK(names("b/b") == "4-1.0.json ");
  CHECK(names("c").empty());
}

TEST_CASE("the home is put where a directory says ~/ in front, and nowhere else") {
  CHECK(expand_home("~/.huddle", "/home/ann") == "/home/ann/.huddle");
  CHECK(expand_home("/a/~/b", "/home/ann") == "/a/~/b");
  CHECK(expand_home("~", "/home/ann") == "~");
  CHECK(expand_home("~bob/x", "/home/ann") == "~bob/x");
}

}  // namespace
}  // namespace huddle::store
