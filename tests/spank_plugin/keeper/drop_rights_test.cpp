#include "profiles/processes/drop_rights.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

constexpr uid_t kNobody = 65534;

// The result of `then` in a child that dropped its rights, which must not be 99.
int without_rights(const std::function<int()>& then) {
  const pid_t child = ::fork();
  if (child == 0) {
    int result = 99;
    try {
      processes::drop_rights(kNobody, kNobody);
      result = then();
    } catch (const std::exception&) {
      result = 99;
    }
    ::_exit(result);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a process without rights has no user, group or capability of root's, for good") {
  if (::geteuid() != 0) return;
  CHECK(without_rights([] {
          uid_t users[3] = {};
          gid_t groups[3] = {};
          ::getresuid(&users[0], &users[1], &users[2]);
          ::getresgid(&groups[0], &groups[1], &groups[2]);
          for (int i = 0; i < 3; ++i)
            if (users[i] != kNobody || groups[i] != kNobody) return 1;
          if (::getgroups(0, nullptr) != 0) return 2;
          if (::setuid(0) == 0 || ::setgid(0) == 0 || ::setgroups(0, nullptr) == 0) return 3;
          if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 4;
          if (::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) return 5;
          // CapInh, CapPrm, CapEff, CapAmb
          const std::string status = store::get_file("/proc/self/status");
          for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
            if (status.find(std::string(set) + ":\t0000000000000000") == std::string::npos)
              return 6;
          return 0;
        }) == 0);
}

TEST_CASE("a file that root opened can be written to without rights, and no other one can") {
  if (::geteuid() != 0) return;
  const NodeOfFiles node;
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  const std::string other = node.file(0, "scaling_max_freq").string();
  CHECK(without_rights([&] {
          if (::open(other.c_str(), O_WRONLY | O_CLOEXEC) >= 0) return 1;
          return envelope.write_most(0, 1'500'000) == 0 ? 0 : 2;
        }) == 0);
  CHECK(node.most(0) == 1'500'000);
}

TEST_CASE("a keeper without rights serves a rank to its end") {
  if (::geteuid() != 0) return;
  NodeOfFiles node;
  const ClockEnvelope envelope(node.envelope, node.scratch.path());
  const files::OwnedDescriptor listening = listening_at(node.scratch.path() / "keeper");
  std::array<int, 2> control{};
  REQUIRE(::pipe2(control.data(), O_CLOEXEC) == 0);
  std::uint32_t lowered = 0;
  std::thread rank([&] {
    KeeperClient client = KeeperClient::connect(node.scratch.path() / "keeper", PuSet::parse("0"),
                                                std::chrono::seconds(5));
    client.ask(0, 1'500'000);
    if (happens([&] { return node.most(0) == 1'500'000; })) lowered = node.most(0);
    ::close(control[1]);
  });
  const int result = without_rights([&] {
    ::close(control[1]);
    KeeperSettings settings;
    settings.user = 0;
    settings.is_member = [](pid_t) { return true; };
    return keep_clocks(envelope, settings, listening.number(), control[0]);
  });
  rank.join();
  ::close(control[0]);
  CHECK(result == 0);
  CHECK(lowered == 1'500'000);
  CHECK(node.most(0) == kTopKhz);
}

TEST_CASE("rights are not dropped to root") {
  CHECK_THROWS_AS(processes::drop_rights(0, kNobody), SystemError);
  CHECK_THROWS_AS(processes::drop_rights(kNobody, 0), SystemError);
}

}  // namespace
}  // namespace huddle::keeper
