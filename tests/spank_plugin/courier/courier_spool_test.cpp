#include "spank_plugin/courier/courier_spool.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/files/owned_descriptor.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

// The number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

/// A node's memory with spools of this user.
struct NodeMemory {
  // As spool_of() names them, but of another slurmstepd.
  [[nodiscard]] std::string spool(const std::string& slurmstepd,
                                  const std::string& step = "17.0") const {
    const std::string own = spool_of(step, ::geteuid()).filename().string();
    const std::string name = own.substr(0, own.rfind('-') + 1) + slurmstepd;
    fs::create_directory(memory.path() / name);
    put_file(memory.path() / name / "profile-1.json", "{}");
    return (memory.path() / name).string();
  }
  [[nodiscard]] std::size_t sweep() const { return remove_left_spools(memory.path()); }

  TemporaryDirectory memory;
  std::string gone = std::to_string(ended_process());
};

TEST_CASE("the spool that a killed courier left goes once its slurmstepd is gone") {
  const NodeMemory node;
  fs::permissions(node.memory.path(), fs::perms::all);
  const std::string left = node.spool(node.gone);
  const std::string batch = node.spool(node.gone, "17.batch");
  const std::string live = node.spool(std::to_string(::getpid()));
  CHECK(node.sweep() == 2);
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(batch));
  CHECK(fs::exists(live));
}

TEST_CASE("a spool that its courier still empties stays") {
  const NodeMemory node;
  const std::string spool = node.spool(node.gone);
  {
    const OwnedDescriptor courier(::open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::flock(courier.number(), LOCK_EX) == 0);
    CHECK(node.sweep() == 0);
  }
  CHECK(node.sweep() == 1);
}

TEST_CASE("nothing goes but folders of this node that belong to whom their name says") {
  const NodeMemory node;
  const std::string spool = node.spool(node.gone);
  const std::string target = node.memory.path() / "target";
  fs::rename(spool, target);
  fs::create_symlink(target, spool);
  const std::string name = fs::path(spool).filename();
  const std::string user = fmt::format("huddle-{}-", ::geteuid());
  const auto make = [&](const std::string& other) {
    fs::create_directory(node.memory.path() / other);
  };
  make(fmt::format("huddle-{}-{}", ::geteuid() + 1, name.substr(user.size())));
  make(user + "another-node-17.0-" + node.gone);
  make(user + node.gone);
  make("huddle-");
  make(user + "x" + name.substr(user.size()));
  const std::size_t entries = node.memory.entries();
  CHECK(node.sweep() == 0);
  CHECK(node.memory.entries() == entries);
  CHECK(fs::exists(target + "/profile-1.json"));
}

}  // namespace
}  // namespace huddle
