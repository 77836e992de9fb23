#include "profiles/store/team_sizes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

struct Consents {
  TemporaryDirectory directory;
  SizesConsents consents{directory.path()};
};

}  // namespace

TEST_CASE("sizes of teams may change only where that is allowed, and a run that tried ended well") {
  const Consents user;
  const SizesConsents& consents = user.consents;
  CHECK(consents.state_of("ab12") == SizesState::kKeep);
  CHECK_FALSE(consents.begin_audit("ab12", "run"));
  CHECK(consents.for_ranks("run").empty());
  consents.give("ab12", "/a program");
  CHECK(consents.state_of("ab12") == SizesState::kAudit);
  CHECK(consents.begin_audit("ab12", "run"));
  CHECK(consents.state_of("ab12") == SizesState::kHarm);
  CHECK(consents.for_ranks("run").empty());
  consents.end_audit("ab12", "run", "line\nline\n");
  CHECK(consents.state_of("ab12") == SizesState::kAct);
  CHECK_FALSE(consents.begin_audit("ab12", "run"));
  CHECK(consents.in_state(SizesState::kAct, {"aa", "ab12"}) == std::vector<std::string>{"ab12"});
  CHECK(consents.in_state(SizesState::kAudit, {"aa", "ab12"}).empty());
  REQUIRE(consents.all().size() == 1);
  CHECK(consents.all().front().program == "/a program");
  CHECK(consents.all().front().seen == "line\nline\n");
  consents.give("ab12", "/a program");
  CHECK(consents.state_of("ab12") == SizesState::kAudit);
  CHECK(consents.withdraw("ab12"));
  CHECK_FALSE(consents.withdraw("ab12"));
  CHECK(user.directory.entries() == 0);
}

TEST_CASE("a run that ends says nothing of one that another run began, or of a later consent") {
  const Consents user;
  user.consents.give("ab12", "/program");
  CHECK(user.consents.begin_audit("ab12", "first"));
  CHECK_FALSE(user.consents.begin_audit("ab12", "second"));
  user.consents.end_audit("ab12", "second", "");
  CHECK(user.consents.state_of("ab12") == SizesState::kHarm);
  user.consents.give("ab12", "/program");
  user.consents.end_audit("ab12", "first", "");
  CHECK(user.consents.state_of("ab12") == SizesState::kAudit);
}

TEST_CASE("of all ranks of several runs that begin at once, those of one run try") {
  const Consents user;
  user.consents.give("ab12", "/program");
  std::atomic<int> tries[2] = {0, 0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 16; ++rank)
    ranks.emplace_back([&, rank] {
      if (user.consents.begin_audit("ab12", rank % 2 == 0 ? "a" : "b")) ++tries[rank % 2];
    });
  for (std::thread& rank : ranks) rank.join();
  CHECK(tries[0] + tries[1] == 8);
  CHECK(tries[0] * tries[1] == 0);
  CHECK(user.directory.entries() == 2);
}

TEST_CASE("what a failed program seemed to end well with is not believed") {
  const Consents user;
  user.consents.give("ab12", "/program");
  CHECK(user.consents.begin_audit("ab12", "run/1"));
  user.consents.end_audit("ab12", "run/1", "");
  user.consents.doubt_audit("other/");
  CHECK(user.consents.state_of("ab12") == SizesState::kAct);
  user.consents.doubt_audit("run/");
  CHECK(user.consents.state_of("ab12") == SizesState::kHarm);
}

TEST_CASE("ranks find their own program in what a run is allowed") {
  const Consents user;
  user.consents.give("ab12", "/one");
  user.consents.give("cd34", "/other");
  CHECK(user.consents.begin_audit("cd34", "old"));
  user.consents.end_audit("cd34", "old", "");
  const std::string text = user.consents.for_ranks("run");
  const SizesForProgram one = parse_team_sizes(text, "ab12");
  CHECK(one.state == SizesState::kAudit);
  CHECK(one.token == "run");
  CHECK(one.folder == user.directory.path());
  CHECK(parse_team_sizes(text, "cd34").state == SizesState::kAct);
  for (const char* absent : {"", "ab1", "ab123", "ef56"})
    CHECK(parse_team_sizes(text, absent).state == SizesState::kKeep);
  CHECK(parse_team_sizes("run ab12=act", "ab12").state == SizesState::kKeep);  // no folder
  CHECK(parse_team_sizes("", "ab12").state == SizesState::kKeep);
}

TEST_CASE("what another user put where the user's consents would be is no consent") {
  const TemporaryDirectory elsewhere;
  const TemporaryDirectory root;
  const Store store(root.path());
  const std::string user = ::getpwuid(::geteuid())->pw_name;
  CHECK(SizesConsents(SizesConsents::folder_in(store, user)).all().empty());
  // Anybody may make both of the folders that a user's part can be in a site's directory.
  for (const std::string& name : {user, fmt::format("{}~{}", user, ::geteuid())})
    std::filesystem::create_directory_symlink(elsewhere.path(), root.path() / name);
  std::filesystem::create_directory(elsewhere.path() / Store::kTeamSizesFolder);
  SizesConsents(elsewhere.path() / Store::kTeamSizesFolder).give("ab12", "/program");
  CHECK_THROWS_AS(static_cast<void>(SizesConsents::folder_in(store, user)), Error);
}

TEST_CASE("consents are the user's alone, and named by what is a build id") {
  const Consents user;
  user.consents.give("ab12", "/program");
  struct stat status {};
  REQUIRE(::stat((user.directory.path() / "ab12.consent").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  for (const char* name : {"", "../ab", "AB", "x"})
    CHECK_THROWS_AS(user.consents.give(name, "/program"), Error);
  CHECK(user.consents.state_of("../ab12") == SizesState::kKeep);
  CHECK(SizesConsents("/nowhere").all().empty());
}

TEST_CASE("of all programs that may be tried by ranks the build ids are known") {
  const Consents user;
  for (const char* program : {"ab12", "cd34", "ef56"}) user.consents.give(program, "/program");
  CHECK(user.consents.begin_audit("cd34", "old"));
  user.consents.end_audit("cd34", "old", "");
  CHECK(programs_that_try(user.consents.for_ranks("run")) ==
        std::vector<std::string>{"ab12", "ef56"});
  CHECK(programs_that_try("").empty());
  CHECK(programs_that_try("run ab12=audit").empty());  // nowhere
  CHECK(programs_that_try("run ../x=audit ab12=audit /there") == std::vector<std::string>{"ab12"});
}

}  // namespace huddle::store
