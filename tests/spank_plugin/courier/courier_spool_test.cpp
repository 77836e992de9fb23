#include "spank_plugin/courier/courier_spool.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::courier {
namespace {

namespace fs = std::filesystem;

// Another process had this one's number before.
std::string ended_process() {
  const processes::ProcessIdentity own = processes::own_identity();
  return processes::word_of({own.pid, own.started - 1});
}

/// A node's memory with spools of this user.
struct NodeMemory {
  // As spool_of() names them, but of another slurmstepd.
  std::string spool(const std::string& slurmstepd, const std::string& step = "17.0") const {
    const std::string own =
        spool_of(step, ::geteuid(), processes::own_identity()).filename().string();
    const std::string name = own.substr(0, own.rfind('-') + 1) + slurmstepd;
    fs::create_directory(memory.path() / name);
    store::put_file(memory.path() / name / "profile-1.json", "{}");
    return (memory.path() / name).string();
  }
  [[nodiscard]] std::size_t sweep() const { return remove_left_spools(memory.path()); }

  store::TemporaryDirectory memory;
  std::string gone = ended_process();
};

TEST_CASE("the spool that a killed courier left goes once its slurmstepd is gone") {
  const NodeMemory node;
  fs::permissions(node.memory.path(), fs::perms::all);
  const std::string left = node.spool(node.gone);
  const std::string batch = node.spool(node.gone, "17.batch");
  const std::string live = node.spool(processes::word_of(processes::own_identity()));
  CHECK(node.sweep() == 2);
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(batch));
  CHECK(fs::exists(live));
}

TEST_CASE("a spool that its courier still empties stays") {
  const NodeMemory node;
  const std::string spool = node.spool(node.gone);
  {
    const files::OwnedDescriptor courier(::open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
  make(name.substr(0, name.rfind('.')));
  make("huddle-");
  make(user + "x" + name.substr(user.size()));
  const std::size_t entries = node.memory.entries();
  CHECK(node.sweep() == 0);
  CHECK(node.memory.entries() == entries);
  CHECK(fs::exists(target + "/profile-1.json"));
}

TEST_CASE("whoever left very many spools keeps nobody else's there") {
  if (::geteuid() != 0) return;  // who alone removes those of others
  const NodeMemory node;
  fs::permissions(node.memory.path(), fs::perms::all);
  for (int step = 0; step < 30; ++step) node.spool(node.gone, fmt::format("17.{}", step));
  const std::string own = fs::path(node.spool(node.gone, "17.99")).filename().string();
  const std::string rest = own.substr(own.find('-', own.find('-') + 1));
  const std::string other = node.memory.path() / ("huddle-65534" + rest);
  fs::create_directory(other);
  REQUIRE(::chown(other.c_str(), 65534, 65534) == 0);
  CHECK(node.sweep() == 9);  // 8 of root's
  CHECK_FALSE(fs::exists(other));
}

}  // namespace
}  // namespace huddle::courier
