// The hooks that Slurm calls, and nothing else: each goes to the file of its context, behind a wall
// that no exception passes. A hook always returns success, since a plugin that fails can stop srun
// or drain a node.

#include <cxxabi.h>

#include <cstdlib>
#include <exception>

#include "spank_plugin/plugin/decided_variables.hpp"
#include "spank_plugin/plugin/node_frequency.hpp"
#include "spank_plugin/plugin/option.hpp"
#include "spank_plugin/plugin/policy_check.hpp"
#include "spank_plugin/plugin/say.hpp"
#include "spank_plugin/plugin/self_report.hpp"
#include "spank_plugin/plugin/settings.hpp"
#include "spank_plugin/plugin/slurm_options.hpp"
#include "spank_plugin/plugin/step_launch.hpp"
#include "spank_plugin/plugin/step_record.hpp"
#include "spank_plugin/plugin/submission.hpp"
#include "spank_plugin/plugin/task_start.hpp"

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

namespace huddle {

void say(const std::string& line) {
  slurm_spank_log("huddle: %s", line.c_str());
}

namespace {

template <class Hook>
int behind_wall(const char* consequence, Hook hook) {
  try {
    hook();
  } catch (const abi::__forced_unwind&) {  // a thread being cancelled: glibc forbids swallowing it
    throw;
  } catch (const std::exception& error) {
    slurm_spank_log("huddle: %s; %s", error.what(), consequence);
  } catch (...) {
    slurm_spank_log("huddle: an unknown error; %s", consequence);
  }
  return 0;
}

constexpr const char* kAsSubmitted = "the job runs as submitted";
constexpr const char* kAsTheyAre = "frequencies on this node stay as they are";

// Also a step that is started from elsewhere, by srun --jobid: its job has its nodes already.
bool inside_a_job() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): srun is single-threaded here
  if (std::getenv("SLURM_JOB_ID") != nullptr) return true;
  const auto options = SlurmOptions::of_this_process();
  return options && options->is_set("jobid");
}

void submit(int argc, char** argv, Submitter by) {
  forget_what_was_decided();  // of a job that this is submitted from, also if what follows throws
  decide_submission(Settings(argc, argv), option_value(), by);
}

void start_on_node(const Settings& settings) {
  policy_is_sound(settings);  // or the log says why not
  release_dead_frequencies(settings);
}

}  // namespace
}  // namespace huddle

extern "C" int slurm_spank_init(spank_t spank, int argc, char** argv) {
  return huddle::behind_wall(huddle::kAsSubmitted, [&] {
    switch (spank_context()) {
      case S_CTX_SLURMD:
        return huddle::start_on_node(huddle::Settings(argc, argv));
      case S_CTX_LOCAL:
      case S_CTX_ALLOCATOR:
      case S_CTX_REMOTE:
        if (!huddle::register_option(spank))
          huddle::say("Slurm does not take the option --energy-aggregate");
        break;
      default:
        break;
    }
  });
}

extern "C" int slurm_spank_init_post_opt(spank_t spank, int argc, char** argv) {
  return huddle::behind_wall(huddle::kAsSubmitted, [&] {
    switch (spank_context()) {
      case S_CTX_REMOTE:
        huddle::behind_wall(huddle::kAsTheyAre, [&] {
          huddle::limit_step_frequencies(spank, huddle::Settings(argc, argv));
        });
        return;
      case S_CTX_ALLOCATOR:
        return huddle::submit(argc, argv, huddle::Submitter::kAllocator);
      case S_CTX_LOCAL:
        if (huddle::inside_a_job()) return huddle::lay_out_step(huddle::option_value());
        return huddle::submit(argc, argv, huddle::Submitter::kDirectSrun);
      default:
        return;
    }
  });
}

extern "C" int slurm_spank_user_init(spank_t, int, char**) {
  return huddle::behind_wall(huddle::kAsTheyAre, [] { huddle::tell_about_frequencies(); });
}

extern "C" int slurm_spank_local_user_init(spank_t spank, int, char**) {
  return huddle::behind_wall("the step runs all the same", [&] { huddle::record_step(spank); });
}

extern "C" int slurm_spank_task_init(spank_t spank, int argc, char** argv) {
  huddle::behind_wall("huddle doctor is told nothing",
                      [&] { huddle::tell_doctor(spank, argc, argv); });
  return huddle::behind_wall("the task runs all the same", [&] { huddle::prepare_task(spank); });
}

extern "C" int slurm_spank_exit(spank_t, int, char**) {
  return huddle::behind_wall(huddle::kAsTheyAre, [&] {
    if (spank_context() == S_CTX_REMOTE) huddle::release_step_frequencies();
  });
}

extern "C" int slurm_spank_job_epilog(spank_t spank, int argc, char** argv) {
  return huddle::behind_wall(huddle::kAsTheyAre, [&] {
    huddle::release_job_frequencies(spank, huddle::Settings(argc, argv));
  });
}
