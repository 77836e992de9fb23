#include "aggregator/predict/computation/waiting_pace.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <utility>

namespace huddle::predict {
namespace {

using Operations = std::array<std::string_view, 4>;
constexpr Operations kReceives = {"recv", "mrecv", "probe", "mprobe"};
constexpr Operations kBlockingSends = {"send", "ssend", "bsend", "rsend"};
constexpr Operations kSends = {"isend", "issend", "ibsend", "irsend"};

bool is_one_of(const Operations& operations, const CallKind& kind) {
  return std::find(operations.begin(), operations.end(), kind.operation) != operations.end();
}

// Computed before calls of these; absent if the profile does not say.
std::optional<Seconds> before(const RankRecord& record, const Operations& operations) {
  std::optional<Seconds> sum;
  for (const CallKind& kind : record.calls)
    if (kind.before && is_one_of(operations, kind)) sum = sum.value_or(Seconds{0}) + *kind.before;
  return sum;
}

bool has_blocking_sends(const Profile& run) {
  return std::any_of(
      run.rank_records.begin(), run.rank_records.end(),
      [](const RankRecord& record) { return before(record, kBlockingSends).has_value(); });
}

Seconds in_receives(const RankRecord& record) {
  Seconds sum;
  for (const CallKind& kind : record.calls)
    if (is_one_of(kReceives, kind)) sum += kind.time;
  return sum;
}

// Returns the share of receives in the time in MPI, on the rank that waits longest in them, which
// is the last one of a pipeline. The first ones wait little there, and then for the last one,
// wherever they meet it.
double share_in_receives(const Profile& run) {
  const auto last = std::max_element(
      run.rank_records.begin(), run.rank_records.end(),
      [](const RankRecord& a, const RankRecord& b) { return in_receives(a) < in_receives(b); });
  if (last == run.rank_records.end() || !(last->mpi_time > Seconds{0})) return 0;
  return std::min(in_receives(*last) / last->mpi_time, 1.0);
}

// A run as if its ranks computed nothing but what is before their sends. The last ones of a
// pipeline send nothing, though they compute as the others do: of their computation as large a part
// is taken as of the others'.
Profile only_before_sends(const Profile& run, const Operations& sends) {
  Profile part;
  part.label = run.label;
  part.executable = run.executable;
  part.ranks = run.ranks;
  part.complete = run.complete;
  Seconds sent;
  Seconds computed;
  for (const RankRecord& record : run.rank_records) {
    RankRecord& of_rank = part.rank_records.emplace_back();
    of_rank.rank = record.rank;
    of_rank.node = record.node;
    of_rank.pus = record.pus;
    const std::optional<Seconds> before_sends = before(record, sends);
    if (!before_sends) continue;
    of_rank.run_time = *before_sends;
    sent += *before_sends;
    computed += record.computation_time();
  }
  if (!(computed > Seconds{0})) return part;
  for (std::size_t rank = 0; rank < run.rank_records.size(); ++rank)
    if (!before(run.rank_records[rank], sends))
      part.rank_records[rank].run_time =
          (sent / computed) * run.rank_records[rank].computation_time();
  return part;
}

Profile part_of(const Profile& run) {
  return only_before_sends(run, has_blocking_sends(run) ? kBlockingSends : kSends);
}

}  // namespace

WaitingPace::WaitingPace(const std::vector<const Profile*>& runs,
                         const commgraph::NodeTopology& node, const ComputationModel* model,
                         const PredictorOptions& options)
    : share_(share_in_receives(*runs.front())),
      computation_(runs.front()->mean_computation_time()) {
  // Less than this is noise, or no pipeline.
  constexpr double kLeastShare = 0.05;
  if (share_ < kLeastShare) return;
  std::deque<Profile> parts;
  std::vector<const Profile*> counted;
  for (const Profile* const run : runs) {
    const Profile& part = parts.emplace_back(part_of(*run));
    if (part.mean_computation_time() < kLeastShare * run->mean_computation_time()) return;
    counted.push_back(&part);
  }
  part_ = parts.front().mean_computation_time();
  if (!(part_ > Seconds{0})) return;
  ProgramSamples samples = samples_of_program(counted, node);
  if (samples.patterns().size() < 2) return;
  before_sends_.emplace(std::move(samples), model, options);
}

// In the first run both are the same.
Seconds WaitingPace::mixed(Seconds computation, Seconds part) const {
  return (1 - share_) * computation + share_ * (part / part_) * computation_;
}

Seconds WaitingPace::of(const Profile& run) const {
  const Seconds computation = run.mean_computation_time();
  return before_sends_ ? mixed(computation, part_of(run).mean_computation_time()) : computation;
}

Seconds WaitingPace::on(const std::vector<RankClass>& classes, Seconds computation,
                        double stretch) const {
  return before_sends_ ? mixed(computation, stretch * before_sends_->on(classes).time)
                       : computation;
}

}  // namespace huddle::predict
