#include "spank_plugin/plugin/node/node_courier.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/courier/courier_order.hpp"
#include "spank_plugin/courier/courier_processes.hpp"
#include "spank_plugin/courier/courier_spool.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/detached/run_directory.hpp"
#include "spank_plugin/launch/outcome_record.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {
namespace {

constexpr std::chrono::seconds kLockPatience{2};

// Until slurmstepd ends: the courier's connection ends with it.
std::unique_ptr<detached::DetachedProcess> courier;
std::string spool;  // of that courier
// Why there is none although the step is to be measured, and the spool of another courier of the
// user, which takes lines about that to the record.
std::string no_courier;
std::string spool_for_lines;

std::vector<gid_t> groups_of(spank_t spank) {
  gid_t* groups = nullptr;
  int count = 0;
  if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count) != ESPANK_SUCCESS ||
      groups == nullptr)
    return {};
  return {groups, groups + count};
}

// The step's files and energy, as the courier of its node is to bring it.
courier::CourierOrder order_for(const TaskEnvironment& environment, std::uint32_t job,
                                std::uint32_t step, uid_t user) {
  courier::CourierOrder order;
  order.user = user;
  order.job = job;
  order.step = step;
  const auto store = environment.get(kStoreVariable);
  const bool traced = environment.get(kTraceVariable).has_value();
  if (environment.get(kRecorderVariable) && store && !traced) {
    order.spool =
        courier::spool_of(detached::step_name(job, step), user, processes::own_identity()).string();
    order.store = *store;
  }
  const auto outcome = environment.get(kOutcomeWord);
  const auto outcome_store = environment.get(kOutcomeStoreWord);
  if (outcome && outcome_store && step < launch::kMostRecordedSteps &&
      ::access(energyd::kEnergySocket, F_OK) == 0) {
    order.outcome = outcome->substr(0, outcome->find_last_not_of('\n') + 1);
    order.outcome_store = *outcome_store;
  }
  return order;
}

// Remembers for the step's tasks why there is none, and who takes their lines about it.
void go_without(const courier::CourierOrder& order,
                const std::vector<courier::CourierProcess>& others) {
  slurm_info(
      "huddle: no courier for step %s: user %u has %zu on this node, at most %zu are started",
      detached::step_name(order.job, order.step).c_str(), order.user, others.size(),
      courier::kMostCouriers);
  if (order.spool.empty()) return;
  no_courier = fmt::format(
      "this user has {} processes on this node that take files of steps to a store, and no more "
      "are started: the store may hang",
      others.size());
  const auto other =
      std::find_if(others.rbegin(), others.rend(),
                   [](const courier::CourierProcess& one) { return one.carries_files; });
  if (other != others.rend())
    spool_for_lines = courier::spool_of(other->step, order.user, other->slurmstepd).string();
}

}  // namespace

void start_courier(spank_t spank, const submission::Settings& settings) {
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  if (step == SLURM_EXTERN_CONT) return;
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  courier::CourierOrder order = order_for(TaskEnvironment(spank), job, step,
                                          spank_item_of<uid_t>(spank, S_JOB_UID, "user's number"));
  if (order.spool.empty() && order.outcome_store.empty()) return;
  const Policy policy = settings.trusted_policy();
  if (!settings.why_switched_off(policy).empty()) return;
  order.group = spank_item_of<gid_t>(spank, S_JOB_GID, "group's number");
  order.groups = groups_of(spank);
  // Among steps that start at once, each sees the couriers of those before it.
  const files::OwnedDescriptor one_at_a_time =
      detached::hold_lock(detached::kRunDirectory, "couriers", kLockPatience);
  courier::end_stopped_couriers(policy.courier);
  const auto others =
      courier::counted_couriers(courier::couriers_on_node(policy.courier), order.user);
  if (others.size() >= courier::kMostCouriers) return go_without(order, others);
  courier = std::make_unique<detached::DetachedProcess>(
      policy.courier,
      courier::courier_arguments(detached::step_name(job, step), !order.spool.empty(),
                                 processes::own_identity()),
      text_of(order));
  spool = order.spool;
}

std::string why_no_courier() {
  return no_courier;
}

void offer_spool(const TaskEnvironment& environment) {
  if (spool.empty())
    environment.unset(kSpoolVariable);  // it may be that of the script that started this step
  else
    environment.set(kSpoolVariable, spool);
}

void leave_unsaid_lines(spank_t spank) {
  const TaskEnvironment environment(spank);
  const auto promised = environment.get(kOutcomeWord);
  const std::string& carried = spool.empty() ? spool_for_lines : spool;
  if (carried.empty() || unsaid_lines().empty() || !promised) return;
  const Outcome outcome = parse_outcome(*promised, kOutcomePlace);
  const std::string step =
      detached::step_name(spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number"),
                          spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number"));
  files::AtomicFile file(
      store::Store(carried).make_folder({store::current_user(), outcome.label, outcome.ranks}) /
      fmt::format("{}{}-pid{}", store::Store::kSaidPrefix, step, ::getpid()));
  for (const std::string& line : unsaid_lines()) file.write(line + "\n");
  file.commit_soon();
}

void wait_for_couriers(spank_t spank) {
  using namespace std::chrono_literals;
  std::uint32_t job = 0;
  uid_t user = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_UID, &user) != ESPANK_SUCCESS)
    return;
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  while (courier::has_spools(job, user) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(5ms);
}

}  // namespace huddle::plugin
