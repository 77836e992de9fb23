#include "spank_plugin/preload/rank_preload.hpp"

#include <doctest/doctest.h>

#include "profiles/processes/child_process.hpp"
#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

struct Node {
  Node() {
    write_program(folder.path() / "solver", MadeProgram{}.bytes());
    MadeProgram checked;
    checked.libraries = {"libasan.so.8", "libc.so.6"};
    write_program(folder.path() / "checked", checked.bytes());
    write_program(recorder, MadeProgram{}.bytes());
  }
  [[nodiscard]] RankPreload decide(const std::string& command, const std::string& preloaded = "") const {
    return rank_preload(command, "/nowhere:" + folder.path().string(), preloaded, recorder);
  }
  TemporaryDirectory folder;
  std::string recorder = folder.path() / "librecorder.so";
};

TEST_CASE("a rank gets the recorder in front of what its user preloads") {
  const Node node;
  CHECK(node.decide("solver").value == node.recorder);
  CHECK(node.decide("solver", "/lib/malloc.so").value == node.recorder + ":/lib/malloc.so");
  CHECK(node.decide((node.folder.path() / "solver").string()).value == node.recorder);
  CHECK(node.decide("solver").why_not.empty());
}

TEST_CASE("a rank that must not get it keeps its LD_PRELOAD, for a reason") {
  const Node node;
  CHECK(node.decide("checked").value.empty());
  CHECK(node.decide("checked").why_not == "checked has a sanitizer");
  CHECK(node.decide("no_such").why_not == "no_such is not found");
  CHECK(node.decide("solver", "/lib/libasan.so.8").why_not.find("sanitizer's runtime") != std::string::npos);
  CHECK(rank_preload("solver", node.folder.path(), "", "/no/recorder.so").why_not ==
        "the recorder /no/recorder.so can't be read");
}

TEST_CASE("Open MPI's words of the fork agent start the starter with the rank's words") {
  const Node node;
  const std::string starter = node.folder.path() / "starter";
  write_program(starter, "#!/bin/sh\nprintf 'by starter: %s\\n' \"$@\"\n");
  const std::string agent = fork_agent(starter);
  const auto run = [](const std::string& words) {  // as Open MPI splits them
    std::vector<std::string> command;
    for (std::size_t begin = 0; begin <= words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      command.push_back(words.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const char* word : {"/bin/echo", "two words", "*", "$HOME", ""}) command.emplace_back(word);
    return run_child(command, std::chrono::seconds(60), {}, 4096).output;
  };
  CHECK(run(agent) == "by starter: /bin/echo\nby starter: two words\nby starter: *\n"
                      "by starter: $HOME\nby starter: \n");
  std::filesystem::remove(starter);
  CHECK(run(agent) == "two words * $HOME \n");
}

TEST_CASE("there is no fork agent for a path that would be split") {
  CHECK(fork_agent("/opt/my tools/starter").empty());
  CHECK(fork_agent("/opt/$HOME/starter").empty());
  CHECK(fork_agent("/opt/a;b/starter").empty());
  CHECK(fork_agent("").empty());
}

TEST_CASE("Open MPI's own components are searched before ours") {
  CHECK(component_path_with("", "/h") == "SYS_DEFAULT:/h:USR_DEFAULT");
  CHECK(component_path_with("/a:/b", "/h") == "/a:/b:/h");
  CHECK(component_path_with("/a:/h:/b", "/h") == "/a:/h:/b");
}

}  // namespace
}  // namespace huddle
