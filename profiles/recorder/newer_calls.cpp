#include "profiles/recorder/newer_calls.hpp"

#include <array>
#include <vector>

#include "profiles/recorder/call_wrappers.hpp"
#include "profiles/recorder/process/redirected_calls.hpp"
#include "profiles/recorder/recorder.hpp"

namespace huddle::recorder {
namespace {

namespace wrappers {
using traces::Collective;
using traces::EventKind;

#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"
}  // namespace wrappers

struct Wrapper {
  const char* name;
  void* function;
};

// clang-format off
const Wrapper kWrappers[] = {
#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace)                    \
  {"MPI_" #Name, reinterpret_cast<void*>(&wrappers::MPI_##Name)},       /* NOLINT */ \
  {"PMPI_" #Name, reinterpret_cast<void*>(&wrappers::PMPI_##Name)},     /* NOLINT */
#include "profiles/recorder/calls_of_mpi_4.def"
#include "profiles/recorder/call_kinds_end.def"
};
// clang-format on

std::vector<Redirection> redirections_to_wrappers() {
  std::vector<Redirection> list;
  for (const Wrapper& wrapper : kWrappers) {
    const std::array<void*, 3> called = find_called(wrapper.name);
    if (called[2] != nullptr) list.push_back({wrapper.name, called, wrapper.function});
  }
  return list;
}

// Never destroyed: a run that is cut short looks at it, too.
constinit const Redirections* redirections = nullptr;

}  // namespace

void reach_newer_calls() noexcept {
  try {
    redirections = new Redirections(redirections_to_wrappers());
    redirections->apply();
  } catch (...) {  // newer_calls_go_past() is then unknown: no profile is better than a wrong one
    give_up_recording();
  }
}

bool newer_calls_go_past() noexcept {
  return redirections != nullptr && redirections->is_passed();
}

}  // namespace huddle::recorder
