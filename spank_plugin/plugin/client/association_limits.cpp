#include "spank_plugin/plugin/client/association_limits.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <memory>
#include <set>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/plugin/client/slurm_api.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
}

namespace huddle::plugin {
namespace {

struct ReleaseLimits {
  void operator()(assoc_mgr_info_msg_t* message) const { slurm_free_assoc_mgr_info_msg(message); }
};
using LimitsMessage = std::unique_ptr<assoc_mgr_info_msg_t, ReleaseLimits>;

// Asks for this user alone: a site may have many thousands. Accounts, which have no user, are all
// there.
LimitsMessage load_limits(const std::string& user) {
  std::string name = user;
  assoc_mgr_info_request_msg_t request{};
  request.flags = ASSOC_MGR_INFO_FLAG_ASSOC | ASSOC_MGR_INFO_FLAG_QOS;
  request.user_list = slurm_list_create(nullptr);
  slurm_list_append(request.user_list, name.data());
  assoc_mgr_info_msg_t* message = nullptr;
  const int outcome = slurm_load_assoc_mgr_info(&request, &message);
  slurm_list_destroy(request.user_list);
  if (outcome != SLURM_SUCCESS) throw Error("Slurm's controller does not show the user's limits");
  return LimitsMessage(message);
}

// A pointer, which Slurm's versions give different names.
using SlurmList = decltype(assoc_mgr_info_msg_t::assoc_list);

template <class Record>
std::vector<const Record*> records_of(SlurmList list) {
  std::vector<const Record*> records;
  if (list == nullptr) return records;
  auto* const iterator = slurm_list_iterator_create(list);
  while (const void* record = slurm_list_next(iterator))
    records.push_back(static_cast<const Record*>(record));
  slurm_list_iterator_destroy(iterator);
  return records;
}

using Association = slurmdb_assoc_rec_t;
using Qos = slurmdb_qos_rec_t;

submission::ResourceLimit limit_in(const char* text) {
  return submission::ResourceLimit::parse(slurm_text(text));
}

submission::HeldLimits held_by(const Qos& qos) {
  constexpr std::uint32_t kRelative = 1U << 10U;  // QOS_FLAG_RELATIVE, of Slurm 23.11 and later
  if ((static_cast<std::uint32_t>(qos.flags) & kRelative) != 0)
    throw Error(fmt::format("QOS {} limits jobs by percentages (Relative), which are not compared",
                            slurm_text(qos.name)));
  return {.whose = fmt::format("QOS {}", slurm_text(qos.name)),
          .of_qos = true,
          .of_job = limit_in(qos.max_tres_pj),
          .of_node = limit_in(qos.max_tres_pn),
          .of_minutes = limit_in(qos.max_tres_mins_pj),
          .of_user = limit_in(qos.max_tres_pu),
          .of_account = limit_in(qos.max_tres_pa),
          .of_all = limit_in(qos.grp_tres),
          .least = limit_in(qos.min_tres_pj)};
}

submission::HeldLimits held_by(const Association& association) {
  const std::string user = slurm_text(association.user);
  return {.whose = fmt::format("account {}{}{}", slurm_text(association.acct),
                               user.empty() ? "" : " for user ", user),
          .of_job = limit_in(association.max_tres_pj),
          .of_node = limit_in(association.max_tres_pn),
          .of_minutes = limit_in(association.max_tres_mins_pj),
          .of_all = limit_in(association.grp_tres)};
}

// Slurm does not tell capital letters of accounts apart.
bool is_account(const Association& association, const std::string& name) {
  return ::strcasecmp(slurm_text(association.acct).c_str(), name.c_str()) == 0;
}

/// The tree of associations, as far as it was sent.
class Associations {
 public:
  explicit Associations(SlurmList list) : all_(records_of<Association>(list)) {}

  // One for the job's partition comes before the one for all.
  [[nodiscard]] const Association* of_job(const submission::SlurmClient& client) const {
    const std::string user = client.user();
    const std::string account = client.is_set("account") ? client.get("account") : "";
    const std::vector<std::string> partitions = client.partitions();
    const Association* found = nullptr;
    for (const Association* each : all_) {
      if (slurm_text(each->user) != user) continue;
      if (account.empty() ? each->is_def == 0 : !is_account(*each, account)) continue;
      const std::string partition = slurm_text(each->partition);
      if (partition.empty() && found == nullptr) found = each;
      if (std::find(partitions.begin(), partitions.end(), partition) != partitions.end())
        found = each;
    }
    return found;
  }

  // Null for the root.
  [[nodiscard]] const Association* above(const Association& below) const {
    const bool of_user = !slurm_text(below.user).empty();
    return account(slurm_text(of_user ? below.acct : below.parent_acct));
  }

  [[nodiscard]] const Association* account(const std::string& name) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Association* each) {
      return !name.empty() && slurm_text(each->user).empty() && slurm_text(each->acct) == name;
    });
    return found == all_.end() ? nullptr : *found;
  }

 private:
  std::vector<const Association*> all_;
};

// As Slurm chooses for a job that does not name one: that of its association, if it has a default
// one or one only, or else of the root, or else "normal".
bool is_usual(const Qos& qos, const Association* of_job, const Association* root) {
  for (const Association* each : {of_job, root}) {
    if (each == nullptr) continue;
    if (each->def_qos_id != 0 && each->def_qos_id != NO_VAL) return each->def_qos_id == qos.id;
    const auto allowed = records_of<char>(each->qos_list);
    if (allowed.size() == 1) return allowed[0] == std::to_string(qos.id);
  }
  return slurm_text(qos.name) == "normal";
}

}  // namespace

std::vector<submission::HeldLimits> limits_of_job(const ControllerAnswers& controller,
                                                  const submission::SlurmClient& client) {
  const LimitsMessage message = load_limits(client.user());
  const Associations associations(message->assoc_list);
  const Association* const of_job = associations.of_job(client);
  const std::set<std::string> of_partitions = qos_of_partitions(controller, client);
  const std::string wanted = client.is_set("qos") ? client.get("qos") : "";
  if (wanted.find(',') != std::string::npos)  // as Slurm 24.11 and later take it
    throw Error(
        fmt::format("it may get any of several QOS (--qos={}), and not all limits need be "
                    "alike",
                    shortened(wanted)));
  std::vector<submission::HeldLimits> limits;
  bool over_partition = false;
  for (const Qos* qos : records_of<Qos>(message->qos_list)) {
    const std::string name = slurm_text(qos->name);
    const bool is_jobs =
        wanted.empty() ? is_usual(*qos, of_job, associations.account("root")) : name == wanted;
    if (is_jobs) {
      over_partition = (qos->flags & QOS_FLAG_OVER_PART_QOS) != 0;
      limits.push_back(held_by(*qos));
    } else if (of_partitions.contains(name)) {
      limits.insert(limits.begin(), held_by(*qos));
    }
  }
  // Whatever order they came in, the partition's is before the job's now.
  if (over_partition) std::reverse(limits.begin(), limits.end());
  constexpr std::size_t kDeepest = 64;  // accounts don't go round in circles, but one never knows
  for (const Association* each = of_job; each != nullptr && limits.size() < kDeepest;
       each = associations.above(*each))
    limits.push_back(held_by(*each));
  return limits;
}

std::string account_of(const ControllerAnswers& controller, const submission::SlurmClient& client) {
  const std::string named = client.is_set("account") ? client.get("account") : "";
  if (!accounts_are_kept(controller)) return named;
  const LimitsMessage message = load_limits(client.user());
  if (const Association* found = Associations(message->assoc_list).of_job(client))
    return slurm_text(found->acct);
  if (named.empty())
    throw Error(fmt::format("Slurm does not say which account user {} has", client.user()));
  throw Error(
      fmt::format("Slurm has no account \"{}\" for user {}", shortened(named), client.user()));
}

}  // namespace huddle::plugin
