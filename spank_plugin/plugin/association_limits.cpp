#include "spank_plugin/plugin/association_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/cluster_nodes.hpp"
#include "spank_plugin/plugin/slurm_api.hpp"

extern "C" {
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
}

namespace huddle {
namespace {

struct ReleaseLimits {
  void operator()(assoc_mgr_info_msg_t* message) const { slurm_free_assoc_mgr_info_msg(message); }
};
using LimitsMessage = std::unique_ptr<assoc_mgr_info_msg_t, ReleaseLimits>;

// Of this user alone: a site may have many thousands.
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

template <class Record, class Use>
void for_each(List list, Use use) {
  if (list == nullptr) return;
  ListIterator iterator = slurm_list_iterator_create(list);
  while (const void* record = slurm_list_next(iterator)) use(*static_cast<const Record*>(record));
  slurm_list_iterator_destroy(iterator);
}

std::string why_qos_forbids(const slurmdb_qos_rec_t& qos, const JobSize& size) {
  const std::string whose = fmt::format("QOS {}", slurm_text(qos.name));
  for (const char* limit : {qos.max_tres_pj, qos.max_tres_pu, qos.max_tres_pa, qos.grp_tres})
    if (std::string why = why_above(ResourceLimit::parse(slurm_text(limit)), size, whose);
        !why.empty())
      return why;
  return why_below(ResourceLimit::parse(slurm_text(qos.min_tres_pj)), size, whose);
}

std::string why_association_forbids(const slurmdb_assoc_rec_t& association, const JobSize& size) {
  const std::string whose = fmt::format("account {}", slurm_text(association.acct));
  for (const char* limit : {association.max_tres_pj, association.grp_tres})
    if (std::string why = why_above(ResourceLimit::parse(slurm_text(limit)), size, whose);
        !why.empty())
      return why;
  return {};
}

/// Whom the job's limits are of.
struct Holder {
  std::string user;
  /// Empty: the user's default one.
  std::string account;
  std::vector<std::string> partitions;

  [[nodiscard]] bool is(const slurmdb_assoc_rec_t& association) const {
    if (slurm_text(association.user) != user) return false;
    if (account.empty() ? association.is_def == 0 : slurm_text(association.acct) != account)
      return false;
    return association.partition == nullptr || std::find(partitions.begin(), partitions.end(),
                                                         association.partition) != partitions.end();
  }
};

}  // namespace

std::string why_limits_forbid(const SlurmClient& client, const JobSize& size) {
  const LimitsMessage message = load_limits(client.user());
  const Holder holder{client.user(), client.is_set("account") ? client.get("account") : "",
                      client.partitions()};
  std::string why;
  std::set<std::uint32_t> usual_qos;
  for_each<slurmdb_assoc_rec_t>(message->assoc_list, [&](const slurmdb_assoc_rec_t& association) {
    if (!holder.is(association)) return;
    usual_qos.insert(association.def_qos_id);
    if (why.empty()) why = why_association_forbids(association, size);
  });
  std::set<std::string> names = qos_of_partitions(client);
  if (client.is_set("qos")) names.insert(client.get("qos"));
  for_each<slurmdb_qos_rec_t>(message->qos_list, [&](const slurmdb_qos_rec_t& qos) {
    const bool usual =
        !client.is_set("qos") && (usual_qos.contains(qos.id) || slurm_text(qos.name) == "normal");
    if (why.empty() && (usual || names.contains(slurm_text(qos.name))))
      why = why_qos_forbids(qos, size);
  });
  return why;
}

}  // namespace huddle
