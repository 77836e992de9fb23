#include "spank_plugin/keeper/keeper_socket.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::keeper {
namespace {

struct RunFolder {
  store::TemporaryDirectory scratch;
  std::filesystem::path run = scratch.path() / "run";
  std::filesystem::path socket = new_keeper_socket(run);
  files::OwnedDescriptor listen() { return listen_for_ranks(socket, ::getuid()); }
};

TEST_CASE("ranks find the socket of their step, and no other user may connect") {
  RunFolder folder;
  const files::OwnedDescriptor listening = folder.listen();
  CHECK(folder.socket.parent_path() == folder.run);
  struct stat status {};
  REQUIRE(::stat(folder.socket.c_str(), &status) == 0);
  CHECK(S_ISSOCK(status.st_mode));
  CHECK((status.st_mode & 07777) == 0600);
  remove_keeper_socket(folder.socket);
  CHECK_FALSE(std::filesystem::exists(folder.socket));
}

TEST_CASE("a new keeper removes what dead ones left, and nothing else") {
  RunFolder folder;
  const auto of_another = new_keeper_socket(folder.run);
  const auto of_the_dead = new_keeper_socket(folder.run);
  const files::OwnedDescriptor another = listen_for_ranks(of_another, ::getuid());
  listen_for_ranks(of_the_dead, ::getuid()).close();
  folder.listen().close();
  std::ofstream(folder.run / "keeper-file") << "no socket";
  std::ofstream(folder.run / "slurmd") << "no socket";
  const files::OwnedDescriptor listening = folder.listen();
  CHECK(std::filesystem::exists(folder.socket));
  CHECK(std::filesystem::exists(of_another));
  CHECK_FALSE(std::filesystem::exists(of_the_dead));
  CHECK(std::filesystem::exists(folder.run / "keeper-file"));
  CHECK(std::filesystem::exists(folder.run / "slurmd"));
}

TEST_CASE("no two keepers have a socket of one name") {
  const RunFolder folder;
  CHECK(new_keeper_socket(folder.run) != folder.socket);
}

TEST_CASE("a folder that others may write to is not used") {
  RunFolder folder;
  std::filesystem::create_directory(folder.run);
  std::filesystem::permissions(folder.run, std::filesystem::perms::all);
  CHECK_THROWS_AS(folder.listen(), Error);
}

}  // namespace
}  // namespace huddle::keeper
