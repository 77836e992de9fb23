#include "spank_plugin/courier/courier_processes.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::courier {
namespace {

namespace fs = std::filesystem;

/// A node whose couriers are shells that wait until this object ends.
class NodeOfCouriers {
 public:
  NodeOfCouriers() {
    fs::copy_file("/bin/sh", program());
    // The shell takes the first argument for its script.
    store::put_file(place_.path() / "carry", "echo; read -r _ || :\n");
    REQUIRE(::pipe2(hold_.data(), O_CLOEXEC) == 0);
  }
  ~NodeOfCouriers() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    for (const int end : hold_) ::close(end);
  }
  NodeOfCouriers(const NodeOfCouriers&) = delete;
  NodeOfCouriers& operator=(const NodeOfCouriers&) = delete;

  [[nodiscard]] fs::path program() const { return place_.path() / "huddle_courier"; }
  processes::ProcessIdentity start(const std::vector<std::string>& arguments) {
    std::array<int, 2> says{};
    REQUIRE(::pipe2(says.data(), O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    if (child == 0) run(arguments, says[1]);
    children_.push_back(child);
    ::close(says[1]);
    char line = 0;
    REQUIRE(::read(says[0], &line, 1) == 1);  // it is the program now
    ::close(says[0]);
    return processes::identity_of(static_cast<std::uint32_t>(child))
        .value_or(processes::ProcessIdentity{});
  }
  static void stop(const processes::ProcessIdentity& process) {
    const auto pid = static_cast<pid_t>(process.pid);
    ::kill(pid, SIGSTOP);
    ::waitpid(pid, nullptr, WUNTRACED);
  }
  [[nodiscard]] std::vector<CourierProcess> couriers() const { return couriers_on_node(program()); }

 private:
  [[noreturn]] void run(const std::vector<std::string>& arguments, int says) const {
    std::string name = program().string();
    std::vector<char*> words = {name.data()};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.data()));
    words.push_back(nullptr);
    ::dup2(hold_[0], STDIN_FILENO);
    ::dup2(says, STDOUT_FILENO);
    if (::chdir(place_.path().c_str()) == 0) ::execv(name.c_str(), words.data());
    ::_exit(1);
  }

  store::TemporaryDirectory place_;
  std::array<int, 2> hold_{};
  std::vector<pid_t> children_;
};

processes::ProcessIdentity ended_slurmstepd() {
  const processes::ProcessIdentity own = processes::own_identity();
  return {own.pid, own.started - 1};
}

TEST_CASE("couriers are known by their program, and say their step and slurmstepd") {
  NodeOfCouriers node;
  const processes::ProcessIdentity one =
      node.start(courier_arguments("17.0", true, processes::own_identity()));
  node.start({"carry"});
  node.start({"carry", "17.0", "files", "4711"});
  const auto found = node.couriers();
  REQUIRE(found.size() == 1);
  CHECK(found[0].process == one);
  CHECK(found[0].user == ::getuid());
  CHECK(found[0].step == "17.0");
  CHECK(found[0].carries_files);
  CHECK(found[0].slurmstepd == processes::own_identity());
  CHECK(couriers_on_node("/usr/lib/huddle/huddle_courier").empty());
}

TEST_CASE("a courier is known also after an update of its program") {
  NodeOfCouriers node;
  node.start(courier_arguments("17.0", true, processes::own_identity()));
  fs::remove(node.program());
  store::put_file(node.program(), "newer");
  CHECK(node.couriers().size() == 1);
}

TEST_CASE("those of a user count that carry files, or whose step has ended") {
  NodeOfCouriers node;
  node.start(courier_arguments("17.0", true, processes::own_identity()));
  node.start(courier_arguments("17.1", false, processes::own_identity()));
  node.start(courier_arguments("17.2", false, ended_slurmstepd()));
  node.start(courier_arguments("17.3", true, ended_slurmstepd()));
  CHECK(counted_couriers(node.couriers(), ::getuid()).size() == 3);
  CHECK(counted_couriers(node.couriers(), ::getuid() + 1).empty());
}

TEST_CASE("stopped couriers of steps that have ended are killed, and no others") {
  NodeOfCouriers node;
  const processes::ProcessIdentity carries =
      node.start(courier_arguments("17.0", true, ended_slurmstepd()));
  const processes::ProcessIdentity pauses =
      node.start(courier_arguments("17.1", true, processes::own_identity()));
  const processes::ProcessIdentity stopped =
      node.start(courier_arguments("17.2", true, ended_slurmstepd()));
  node.stop(pauses);
  node.stop(stopped);
  CHECK(end_stopped_couriers(node.program()) == 1);
  CHECK(processes::is_alive(carries));
  CHECK(processes::is_alive(pauses));
  CHECK_FALSE(processes::is_alive(stopped));
}

}  // namespace
}  // namespace huddle::courier
