#include "spank_plugin/preload/rank_preload.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::preload {
namespace {

struct Node {
  Node() {
    executables::write_program(folder.path() / "solver", executables::MadeProgram{}.bytes());
    executables::MadeProgram checked;
    checked.libraries = {"libasan.so.8", "libc.so.6"};
    executables::write_program(folder.path() / "checked", checked.bytes());
    executables::write_program(recorder, executables::MadeProgram{}.bytes());
  }
  [[nodiscard]] RankPreload decide(const std::string& command,
                                   const std::string& preloaded = "") const {
    return rank_preload({command}, "/nowhere:" + folder.path().string(), preloaded, recorder);
  }
  store::TemporaryDirectory folder;
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
  CHECK(node.decide("solver", "/lib/libasan.so.8").why_not.find("sanitizer's runtime") !=
        std::string::npos);
  CHECK(rank_preload({"solver"}, node.folder.path(), "", "/no/recorder.so").why_not ==
        "the recorder /no/recorder.so can't be read");
}

TEST_CASE("a rank in a container gets it if its words ask for it there, and is told so if not") {
  const Node node;
  executables::write_program(node.folder.path() / "ch-run", executables::MadeProgram{}.bytes());
  const auto decide = [&](const std::vector<std::string>& command) {
    return rank_preload(command, node.folder.path(), "", node.recorder);
  };
  const std::string asks = "--set-env=LD_PRELOAD=/opt/huddle/libhuddle_recorder.so";
  CHECK(decide({"ch-run", asks, "image", "--", "solver"}).value.empty());
  CHECK(decide({"ch-run", asks, "image", "--", "solver"}).why_not.empty());
  CHECK(decide({"ch-run", "--set-env=LD_PRELOAD=/other.so", "image", "--", "solver"})
            .why_not.starts_with("ch-run starts a container"));
  CHECK(decide({"checked", asks}).why_not == "checked has a sanitizer");
}

TEST_CASE("mpirun starts ranks by env, with the recorder in front of its own LD_PRELOAD") {
  const Node node;
  executables::write_program(handover_beside(node.recorder), executables::MadeProgram{}.bytes());
  const std::string ours = handover_beside(node.recorder) + ":" + node.recorder;
  const auto words = [&](const std::string& preloaded) {
    return fork_agent({"mpirun", "-n", "4", "./solver"}, preloaded, node.recorder).words;
  };
  const std::string then = " HUDDLE_RANK_START=1 /usr/bin/env -u HUDDLE_RANK_START";
  CHECK(words("") == "/usr/bin/env LD_PRELOAD=" + ours + then);
  CHECK(fork_agent({"mpirun", "ch-run", "--set-env=LD_PRELOAD=/a.so", "image", "--", "./solver"},
                   "", node.recorder)
            .words == words(""));
  CHECK(words("/a.so /b.so") == "/usr/bin/env LD_PRELOAD=" + ours + ":/a.so:/b.so" + then);
}

TEST_CASE("PRRTE starts ranks by env, with the recorder behind whatever LD_PRELOAD they have") {
  const Node node;
  CHECK(exec_agent(node.recorder).words.empty());
  executables::write_program(handover_beside(node.recorder), executables::MadeProgram{}.bytes());
  const std::string ours = handover_beside(node.recorder) + ":" + node.recorder;
  CHECK(exec_agent(node.recorder).words ==
        "/usr/bin/env -SLD_PRELOAD=${LD_PRELOAD}:" + ours +
            " HUDDLE_RANK_START=1 /usr/bin/env -u HUDDLE_RANK_START");
}

TEST_CASE("mpirun starts ranks by itself where it can't be told, or is told otherwise") {
  const Node node;
  const auto why_not = [&](const std::vector<std::string>& command, const std::string& preloaded) {
    const ForkAgent agent = fork_agent(command, preloaded, node.recorder);
    CHECK(agent.words.empty());
    return agent.why_not;
  };
  CHECK(why_not({"mpirun"}, "").find("libhuddle_exec.so is not on this node") != std::string::npos);
  executables::write_program(handover_beside(node.recorder), executables::MadeProgram{}.bytes());
  CHECK(why_not({"mpirun", "-x", "LD_PRELOAD=/a.so"}, "").find("another LD_PRELOAD") !=
        std::string::npos);
  CHECK(why_not({"mpirun", "--mca", "mca_base_env_list", "A=b;LD_PRELOAD=/a.so"}, "")
            .find("another LD_PRELOAD") != std::string::npos);
  CHECK(why_not({"mpirun"}, "/lib/libasan.so.8").find("sanitizer's runtime") != std::string::npos);
  for (const char* special : {"/my;lib.so", "/$HOME/lib.so", "/a\"b.so", "/`x`.so"})
    CHECK(why_not({"mpirun"}, special).find("special characters") != std::string::npos);
}

TEST_CASE("Open MPI's own components are searched before ours") {
  CHECK(component_path_with("", "/h") == "SYS_DEFAULT:/h:USR_DEFAULT");
  CHECK(component_path_with("/a:/b", "/h") == "/a:/b:/h");
  CHECK(component_path_with("/a:/h:/b", "/h") == "/a:/h:/b");
}

}  // namespace
}  // namespace huddle::preload
