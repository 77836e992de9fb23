#include "tests/evaluation/children.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "profiles/vocabulary/error.hpp"

namespace huddle::evaluation {
namespace {

[[noreturn]] void be_child(const std::function<void(std::size_t)>& work, std::size_t index) {
  int status = 0;
  try {
    work(index);
  } catch (const std::exception& error) {
    fmt::print(stderr, "evaluation: {}\n", error.what());
    status = 1;
  }
  std::fflush(nullptr);
  _exit(status);
}

bool await_one() {
  int status = 0;
  while (wait(&status) < 0)
    if (errno != EINTR) throw Error("a child process was lost");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void in_children(std::size_t count, std::size_t at_once,
                 const std::function<void(std::size_t)>& work,
                 const std::function<void(std::size_t)>& done) {
  std::size_t begun = 0;
  std::size_t ended = 0;
  bool failed = false;
  std::fflush(nullptr);  // else each child would write what is still buffered
  while (ended < begun || (begun < count && !failed)) {
    if (begun < count && !failed && begun - ended < at_once) {
      const pid_t child = fork();
      if (child == 0) be_child(work, begun);
      if (child < 0) throw Error("no child process could be started");
      ++begun;
      continue;
    }
    failed = !await_one() || failed;
    ++ended;
    if (done) done(ended);
  }
  if (failed) throw Error("a part of the evaluation failed: see above");
}

}  // namespace huddle::evaluation
