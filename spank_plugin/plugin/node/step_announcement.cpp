#include "spank_plugin/plugin/node/step_announcement.hpp"

#include <unistd.h>

#include <cstdint>
#include <optional>

#include "profiles/energyd/steps/step_notice.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/frequency/core_numbers.hpp"
#include "spank_plugin/plugin/node/step_cores.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {
namespace {

// Tasks are copies of slurmstepd until they become the user's program.
std::optional<energyd::StepNotice> announced;

// Where Slurm's numbers may mean other cores nothing is claimed: unknown PUs count as all.
PuSet pus_of_job(spank_t spank, std::uint32_t step) {
  try {
    const std::vector<hardware::PhysicalCore> node = hardware::physical_cores();
    const bool has_own_cores =
        step != SLURM_BATCH_SCRIPT && step != SLURM_INTERACTIVE_STEP && step != SLURM_EXTERN_CONT;
    const auto of_job = cores_of(spank, S_JOB_ALLOC_CORES, node);
    if (has_own_cores)
      check_core_numbers(spank, cores_of(spank, S_STEP_ALLOC_CORES, node));
    else if (!frequency::why_cores_have_other_numbers().empty())
      return {};
    return union_of(of_job);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

void announce_step(spank_t spank, const submission::Settings& settings) {
  if (!settings.why_switched_off(settings.trusted_policy()).empty()) return;
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  energyd::StepNotice notice;
  notice.id = {job, detached::bare_step_name(step)};
  notice.place.user = spank_item_of<uid_t>(spank, S_JOB_UID, "user's number");
  notice.place.pus = pus_of_job(spank, step);
  notice.slurmstepd = processes::own_identity();
  energyd::announce(notice);
  announced = notice;
}

void withdraw_step() noexcept {
  if (!announced || announced->slurmstepd.pid != static_cast<std::uint32_t>(::getpid())) return;
  energyd::withdraw(announced->id);
  announced.reset();
}

void withdraw_steps_of_job(spank_t spank) {
  std::uint32_t job = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) == ESPANK_SUCCESS) energyd::withdraw_job(job);
}

}  // namespace huddle::plugin
