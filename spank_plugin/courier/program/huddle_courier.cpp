// huddle_courier: what brings the profiles of a step's ranks to the store beside them, with the
// user's rights. slurmstepd starts it; nobody calls it by hand.
//
//     huddle_courier carry STEP files|energy SLURMSTEPD
//
// Root knows it again by these words (courier_processes.hpp).

#include <cstdio>
#include <string_view>

#include "spank_plugin/courier/program/step_courier.hpp"

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "carry") return huddle::carry_profiles();
  std::fputs("huddle_courier: slurmstepd starts this program\n", stderr);
  return 2;
}
