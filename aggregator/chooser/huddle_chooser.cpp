// huddle_chooser: chooses for one rank, while that runs, on how many cores its teams of OpenMP run,
// by what the rank has measured (docs/formats/chooser.md). Its standard input is a connection to
// the rank. What starts the rank starts it; nobody calls it by hand.
//
//     huddle_chooser "0.05 energy /etc/huddle/machine.json"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

#include "aggregator/chooser/choice_service.hpp"
#include "aggregator/chooser/rank_choice.hpp"
#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace {

// Processor time for all answers together: what takes longer will not pay.
constexpr rlim_t kMostSeconds = 5;
// A rank takes some megabytes, which count in the step's memory.
constexpr rlim_t kMostMemory = rlim_t{512} << 20U;

bool is_socket(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !is_socket(STDIN_FILENO)) {
    std::fputs("huddle_chooser: what starts a rank starts this program\n", stderr);
    return 2;
  }
  const struct rlimit limit { kMostSeconds, kMostSeconds };
  ::setrlimit(RLIMIT_CPU, &limit);
  const struct rlimit memory { kMostMemory, kMostMemory };
  ::setrlimit(RLIMIT_AS, &memory);
  const std::string order_text = argv[1];
  // The machine is read when it is needed: until then this is to be small.
  const auto choose = [&](const std::string& document) {
    const huddle::chooser::ChoiceOrder order = huddle::chooser::parse_choice_order(order_text);
    const huddle::Profile profile = huddle::parse_profile(document, "the rank's request");
    return huddle::chooser::choice_of_rank(profile, huddle::load_machine(order.machine), order);
  };
  try {
    return huddle::chooser::serve_choices(STDIN_FILENO, choose) ? 0 : 1;
  } catch (const std::exception&) {
    return 1;
  }
}
