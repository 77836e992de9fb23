#include "tests/evaluation/observed_messages.hpp"

#include <map>

#include "profiles/vocabulary/size_class.hpp"
#include "tests/evaluation/rounds.hpp"

namespace huddle::evaluation {
namespace {

/// Collects a rank's calls step by step.
class Tally {
 public:
  Tally(const Program& program, std::uint32_t rank, std::uint32_t ranks)
      : program_(program), rank_(rank), ranks_(ranks) {}

  /// `computing`: what the rank computes before the exchange and during it.
  void add(const Exchange& exchange, Seconds time, Seconds computing) {
    if (!collective_name(exchange.shape).empty()) {
      add_collective(exchange, time);
      count_before(std::string(collective_name(exchange.shape)), computing);
      return;
    }
    add_point_to_point(exchange, time);
    if (exchange.shape == Shape::kWavefront) {
      count_before("send", computing);
    } else if (exchange.shape == Shape::kButterfly) {
      count_before("sendrecv", computing);
    } else {  // receives are posted first
      count_before("irecv", (1 - exchange.overlap) * computing);
      count_before("isend", {});
      count_before("waitall", exchange.overlap * computing);
    }
  }

  void put_into(RankRecord& record) const {
    for (const auto& [key, cell] : cells_)
      record.sent.push_back({{key.first}, key.second, cell.messages, cell.bytes});
    for (const auto& [operation, kind] : calls_) record.calls.push_back(kind);
    record.collectives = collectives_;
  }

 private:
  void add_collective(const Exchange& exchange, Seconds time) {
    const std::vector<std::uint32_t> members = members_of(exchange.shape, rank_, ranks_);
    const bool world = members.size() == ranks_;
    CollectiveCalls calls;
    calls.operation = collective_name(exchange.shape);
    calls.communicator = world ? "world" : "derived";
    calls.communicator_id = world ? 0 : 1 + rank_ / members.size();
    calls.participants = static_cast<std::uint32_t>(members.size());
    const double each = is_all_to_all(exchange.shape) ? static_cast<double>(members.size()) : 1;
    const auto contribution = static_cast<std::uint64_t>(exchange.bytes * each);
    calls.size_class = size_class_of(contribution);
    calls.calls = program_.iterations;
    calls.bytes = {contribution * program_.iterations};
    calls.time = time;
    collectives_.push_back(calls);
    count_calls(calls.operation, program_.iterations, time);
  }

  void add_point_to_point(const Exchange& exchange, Seconds time) {
    const bool wavefront = exchange.shape == Shape::kWavefront;
    const std::uint64_t passes =
        std::uint64_t{program_.iterations} * (wavefront ? exchange.blocks : 1);
    std::uint64_t sends = 0;
    std::uint64_t receives = 0;
    for (const Round& round : rounds_of(exchange, rank_, ranks_)) {
      for (const Message& message : round.sends) count_message(message, passes);
      sends += round.sends.size() * passes;
      receives += round.receives.size() * passes;
    }
    if (exchange.shape == Shape::kButterfly) {
      count_calls("sendrecv", sends, time);
    } else {
      count_calls(wavefront ? "send" : "isend", sends, {});
      count_calls(wavefront ? "recv" : "irecv", receives, wavefront ? time : Seconds{});
      if (!wavefront) count_calls("waitall", passes, time);
    }
  }

  void count_message(const Message& message, std::uint64_t passes) {
    const auto bytes = static_cast<std::uint64_t>(message.bytes);
    Cell& cell = cells_[{message.peer, size_class_of(bytes)}];
    cell.messages += passes;
    cell.bytes += Bytes{bytes * passes};
  }

  void count_calls(const std::string& operation, std::uint64_t count, Seconds time) {
    if (count == 0) return;
    CallKind& kind = calls_[operation];
    kind.operation = operation;
    kind.calls += count;
    kind.timed += count;
    kind.time += time;
  }

  // Ranks without such calls, as at the border of a grid, compute before their next one.
  void count_before(const std::string& operation, Seconds computing) {
    const auto found = calls_.find(operation);
    if (found == calls_.end()) return;
    CallKind& kind = found->second;
    kind.before = kind.before.value_or(Seconds{0}) + computing;
  }

  struct Cell {
    std::uint64_t messages = 0;
    Bytes bytes;
  };

  const Program& program_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  /// The messages by receiver and size class.
  std::map<std::pair<std::uint32_t, std::uint8_t>, Cell> cells_;
  std::map<std::string, CallKind> calls_;
  std::vector<CollectiveCalls> collectives_;
};

}  // namespace

void add_messages(RankRecord& record, const Program& program, std::uint32_t ranks,
                  const RankTimes& times, double repeated) {
  Tally tally(program, record.rank.value, ranks);
  for (std::size_t step = 0; step < program.steps.size(); ++step)
    tally.add(program.steps[step].exchange, {times.exchanging[step] * repeated},
              {times.computing[step] * repeated});
  tally.put_into(record);
}

std::vector<Communicator> communicators_of(const Program& program, std::uint32_t ranks) {
  for (const Step& step : program.steps) {
    if (step.exchange.shape != Shape::kRowsAllToAll) continue;
    std::vector<Communicator> rows;
    for (std::uint32_t rank = 0; rank < ranks;) {
      const std::vector<std::uint32_t> members = members_of(step.exchange.shape, rank, ranks);
      Communicator row;
      row.id = rows.size() + 1;
      row.members = RankSet(members);
      rows.push_back(row);
      rank += static_cast<std::uint32_t>(members.size());
    }
    return rows;
  }
  return {};
}

}  // namespace huddle::evaluation
