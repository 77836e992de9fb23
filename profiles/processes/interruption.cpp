#include "profiles/processes/interruption.hpp"

#include <atomic>
#include <csignal>

namespace huddle::processes {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void note_interruption(int /*signal*/) {
  interrupted = true;
}

}  // namespace

Interruption::Interruption() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = &note_interruption;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
}

bool Interruption::requested() const {
  return interrupted;
}

}  // namespace huddle::processes
