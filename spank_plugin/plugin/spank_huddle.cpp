// The hooks that Slurm calls, and nothing else: each goes to the file of its context, behind a wall
// that no exception passes. A hook always returns success, since a plugin that fails can stop srun
// or drain a node.

#include <cxxabi.h>

#include <exception>

#include "profiles/files/trusted_file.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/courier/courier_processes.hpp"
#include "spank_plugin/courier/courier_spool.hpp"
#include "spank_plugin/plugin/client/option.hpp"
#include "spank_plugin/plugin/client/private_symbols.hpp"
#include "spank_plugin/plugin/client/slurm_program.hpp"
#include "spank_plugin/plugin/client/step_record.hpp"
#include "spank_plugin/plugin/client/submitted_script.hpp"
#include "spank_plugin/plugin/node/frequency_grants.hpp"
#include "spank_plugin/plugin/node/node_courier.hpp"
#include "spank_plugin/plugin/node/node_frequency.hpp"
#include "spank_plugin/plugin/node/self_report.hpp"
#include "spank_plugin/plugin/node/step_announcement.hpp"
#include "spank_plugin/plugin/node/step_on_node.hpp"
#include "spank_plugin/plugin/node/task_start.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"
#include "spank_plugin/submission/carried_variables.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/step_layout.hpp"
#include "spank_plugin/submission/submission.hpp"

// In C++ a constant has internal linkage unless it was declared extern before; Slurm finds these by
// name.
extern "C" {
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
#include <slurm/slurm_version.h>
const char plugin_name[] = "huddle";
const char plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1;
}

namespace huddle::plugin {

namespace {

/// The consequence of a failure, in words before or after it.
struct Consequence {
  const char* before = "";
  const char* after = "";
};

constexpr Consequence kLeftAsSubmitted{.before = submission::kLeftPrefix};
constexpr Consequence kPlacedBySlurm{.before = "this step runs as Slurm places it: "};
constexpr Consequence kWithoutOption{.after = "; the job runs all the same"};
constexpr Consequence kNodeIsLeftAlone{
    .after = "; jobs run as submitted, and frequencies on this node stay as they are"};
constexpr Consequence kAsTheyAre{.after = "; frequencies on this node stay as they are"};
constexpr Consequence kNodeIsNotCleaned{.after = "; what killed couriers left in /dev/shm stays"};
constexpr Consequence kStepRuns{.after = "; the step runs all the same"};
constexpr Consequence kJobEnds{.after = "; the job ends all the same"};
constexpr Consequence kTaskRuns{.after = "; the task runs all the same"};
constexpr Consequence kDoctorLearnsNothing{.after = "; huddle doctor learns nothing"};

// Memory may have run out.
void say_failure(const Consequence& consequence, const char* what) {
  try {
    say("{}{}{}", consequence.before, what, consequence.after);
  } catch (...) {
    slurm_info("huddle: %s%s%s", consequence.before, what, consequence.after);
  }
}

template <class Hook>
int behind_wall(const Consequence& consequence, Hook hook) {
  try {
    hook();
  } catch (const abi::__forced_unwind&) {  // a thread being cancelled: glibc forbids swallowing it
    throw;
  } catch (const std::exception& error) {
    say_failure(consequence, error.what());
  } catch (...) {
    say_failure(consequence, "an unknown error");
  }
  return 0;
}

// The ranks do without a courier: that is no news for users.
void start_courier_or_log(spank_t spank, int argc, char** argv) {
  try {
    start_courier(spank, submission::Settings(argc, argv));
  } catch (const Error& error) {
    slurm_info(
        "huddle: %s; ranks write a profile to the store themselves, and this step's energy is not "
        "recorded",
        error.what());
  }
}

// Nor is that its energy is not known.
void announce_step_or_log(spank_t spank, int argc, char** argv) {
  try {
    announce_step(spank, submission::Settings(argc, argv));
  } catch (const Error& error) {
    slurm_info("huddle: %s; huddle-energyd does not learn of this step", error.what());
  }
}

// Says what is wrong by `slurm`, which says it once for all parts of a heterogeneous job.
template <class Act>
void act_or_say(submission::SlurmClient& slurm, const Consequence& consequence, Act act) {
  try {
    act();
  } catch (const Error& error) {
    slurm.say(consequence.before + std::string(error.what()) + consequence.after);
  }
}

// Also a step that is started from elsewhere, by srun --jobid: its job has its nodes already.
bool inside_a_job(const submission::SlurmClient& slurm) {
  return slurm.variable("SLURM_JOB_ID") || (slurm.shows_options() && slurm.is_set("jobid"));
}

void submit(submission::SlurmClient& slurm, int argc, char** argv, submission::Submitter by) {
  submission::forget_what_was_decided(
      slurm);  // of a job that this is submitted from, also if the rest throws
  act_or_say(slurm, kLeftAsSubmitted, [&] {
    submission::decide_submission(slurm, submission::Settings(argc, argv), option_value(), by);
  });
  submission::carry_decision(slurm);
}

// Makes variables of what the submission could not hand on as such.
void unpack_carried_variables(const TaskEnvironment& environment) {
  const auto text = environment.get(submission::kCarrierVariable);
  if (!text) return;
  environment.unset(submission::kCarrierVariable);
  for (const auto& [name, value] : submission::carried_variables(*text))
    environment.set(name.c_str(), value);
}

// If the policy can't be read, is wrong, or is not to be trusted by root, slurmd's log says so.
void check_policy(const submission::Settings& settings) {
  try {
    static_cast<void>(settings.trusted_policy());
  } catch (const files::UntrustedFile& error) {  // users' programs read it all the same
    slurm_error("huddle: %s; frequencies on this node stay as they are until that is mended",
                error.what());
  } catch (const Error& error) {
    slurm_error("huddle: %s; Huddle is off until that is mended, jobs run as submitted",
                error.what());
  }
}

// Those that can't end themselves. Where the policy, which names their program, is no good, the
// hook has said so of the clocks.
void end_stopped_couriers_of(int argc, char** argv) {
  try {
    const auto ended =
        courier::end_stopped_couriers(submission::Settings(argc, argv).trusted_policy().courier);
    if (ended > 0) slurm_info("huddle: ended %zu courier(s) that their users had stopped", ended);
  } catch (const Error&) {
  }
}

// Removes what couriers that were killed left in the node's memory, after it has ended stopped
// ones.
void clean_node(int argc, char** argv) {
  end_stopped_couriers_of(argc, argv);
  const std::size_t removed = courier::remove_left_spools();
  if (removed > 0)
    slurm_info("huddle: removed %zu spool(s) that killed couriers left in /dev/shm", removed);
}

void start_on_node(int argc, char** argv) {
  const submission::Settings settings(argc, argv);
  check_policy(settings);
  behind_wall(kNodeIsNotCleaned, [&] { clean_node(argc, argv); });
  release_dead_frequencies(settings);
}

bool starts_step_of_job = false;  // Slurm's hooks have no place for what they remember

std::string why_step_is_left(const submission::SlurmClient& slurm,
                             const submission::Settings& settings) {
  return submission::has_decision(slurm) ? settings.why_switched_off(settings.trusted_policy())
                                         : std::string();
}

void start_step(submission::SlurmClient& slurm, int argc, char** argv) {
  const std::string why = why_step_is_left(slurm, submission::Settings(argc, argv));
  if (why.empty()) return submission::lay_out_step(slurm, option_value());
  submission::forget_what_was_decided(slurm);
  slurm.say(why + ": this step runs as Slurm places it, unmeasured");
}

void start_srun(int argc, char** argv) {
  SlurmProgram slurm;
  starts_step_of_job = inside_a_job(slurm);
  const auto print_as_wanted_in_step = [&] {
    print_messages(submission::told(slurm, kMessagesWord) == "1");
  };
  if (!starts_step_of_job) {
    print_messages(true);  // for each part of a heterogeneous job
    submit(slurm, argc, argv, submission::Submitter::kDirectSrun);
    return print_as_wanted_in_step();
  }
  print_as_wanted_in_step();
  behind_wall(kPlacedBySlurm, [&] {
    const bool is_packed = slurm.variable(kPlanVariable).has_value();
    act_or_say(slurm, kPlacedBySlurm, [&] { start_step(slurm, argc, argv); });
    if (is_packed && slurm.shows_options()) submission::keep_within_job(slurm);
    submission::carry_decision(slurm);
  });
}

}  // namespace
}  // namespace huddle::plugin

extern "C" int slurm_spank_init(spank_t spank, int argc, char** argv) {
  return huddle::plugin::behind_wall(huddle::plugin::kWithoutOption, [&] {
    switch (spank_context()) {
      case S_CTX_SLURMD:
        huddle::plugin::behind_wall(huddle::plugin::kNodeIsLeftAlone,
                                    [&] { huddle::plugin::start_on_node(argc, argv); });
        return;
      case S_CTX_ALLOCATOR:
        huddle::plugin::forget_inherited_option();
        huddle::plugin::look_at_piped_script();
        [[fallthrough]];
      case S_CTX_LOCAL:
      case S_CTX_REMOTE:
        if (!huddle::plugin::register_option(spank))
          huddle::plugin::say("Slurm does not take the option --energy-aggregate");
        if (spank_context() != S_CTX_REMOTE)
          huddle::plugin::report_missing_symbols(huddle::plugin::this_program());
        break;
      default:
        break;
    }
  });
}

extern "C" int slurm_spank_init_post_opt(spank_t spank, int argc, char** argv) {
  return huddle::plugin::behind_wall(huddle::plugin::kLeftAsSubmitted, [&] {
    switch (spank_context()) {
      case S_CTX_REMOTE:
        huddle::plugin::behind_wall(huddle::plugin::kTaskRuns, [&] {
          huddle::plugin::unpack_carried_variables(huddle::plugin::TaskEnvironment(spank));
        });
        huddle::plugin::print_messages(
            huddle::plugin::TaskEnvironment(spank).get(huddle::kMessagesWord) == "1");
        huddle::plugin::behind_wall(huddle::plugin::kAsTheyAre, [&] {
          huddle::plugin::limit_step_frequencies(spank, huddle::submission::Settings(argc, argv));
        });
        huddle::plugin::start_courier_or_log(spank, argc, argv);
        huddle::plugin::announce_step_or_log(spank, argc, argv);
        return;
      case S_CTX_ALLOCATOR: {
        huddle::plugin::SlurmProgram slurm;
        return huddle::plugin::submit(slurm, argc, argv, huddle::submission::Submitter::kAllocator);
      }
      case S_CTX_LOCAL:
        return huddle::plugin::start_srun(argc, argv);
      default:
        return;
    }
  });
}

extern "C" int slurm_spank_user_init(spank_t spank, int argc, char** argv) {
  huddle::plugin::behind_wall(huddle::plugin::kAsTheyAre,
                              [] { huddle::plugin::report_frequencies(); });
  return huddle::plugin::behind_wall(huddle::plugin::kTaskRuns, [&] {
    try {
      huddle::plugin::look_at_node(spank, huddle::submission::Settings(argc, argv));
    } catch (const huddle::Error&) {  // each task looks again, and says what is wrong
    }
  });
}

extern "C" int slurm_spank_local_user_init(spank_t spank, int, char**) {
  return huddle::plugin::behind_wall(huddle::plugin::kStepRuns, [&] {
    huddle::plugin::record_step(spank, huddle::plugin::starts_step_of_job);
  });
}

extern "C" int slurm_spank_task_init(spank_t spank, int argc, char** argv) {
  huddle::plugin::behind_wall(huddle::plugin::kDoctorLearnsNothing,
                              [&] { huddle::plugin::report_to_doctor(spank, argc, argv); });
  huddle::plugin::behind_wall(huddle::plugin::kTaskRuns,
                              [&] { huddle::plugin::hide_distribution(spank); });
  huddle::plugin::behind_wall(huddle::plugin::kTaskRuns, [&] {
    huddle::plugin::prepare_task(spank, huddle::submission::Settings(argc, argv));
  });
  return huddle::plugin::behind_wall(huddle::plugin::kTaskRuns,
                                     [&] { huddle::plugin::leave_unsaid_lines(spank); });
}

extern "C" int slurm_spank_exit(spank_t, int, char**) {
  return huddle::plugin::behind_wall(huddle::plugin::kAsTheyAre, [&] {
    if (spank_context() != S_CTX_REMOTE) return;
    huddle::plugin::withdraw_step();
    huddle::plugin::release_step_frequencies();
  });
}

extern "C" int slurm_spank_job_prolog(spank_t spank, int argc, char** argv) {
  return huddle::plugin::behind_wall(huddle::plugin::kAsTheyAre, [&] {
    huddle::plugin::keep_job_scope_for_steps(spank, huddle::submission::Settings(argc, argv));
  });
}

extern "C" int slurm_spank_job_epilog(spank_t spank, int argc, char** argv) {
  huddle::plugin::behind_wall(huddle::plugin::kAsTheyAre, [&] {
    huddle::plugin::withdraw_steps_of_job(spank);
    huddle::plugin::release_job_frequencies(spank, huddle::submission::Settings(argc, argv));
  });
  huddle::plugin::behind_wall(huddle::plugin::kJobEnds,
                              [&] { huddle::plugin::wait_for_couriers(spank); });
  return huddle::plugin::behind_wall(huddle::plugin::kNodeIsNotCleaned,
                                     [&] { huddle::plugin::clean_node(argc, argv); });
}
