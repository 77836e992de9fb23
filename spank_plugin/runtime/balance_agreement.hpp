#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profiles/formats/profile/rank_balancing.hpp"
#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/runtime/balance/balance_driver.hpp"
#include "spank_plugin/runtime/balance/keeper_connection.hpp"
#include "spank_plugin/runtime/report_rounds.hpp"

namespace huddle::runtime {

/// This rank's part in clocks that follow loads.
struct RunBalance {
  KeeperConnection keeper;
  ReportRounds rounds;
  BalanceDriver driver;

  /// Collective over MPI_COMM_WORLD, by its rounds. Throws Error.
  RunBalance(KeeperConnection asked, const RankMoment& now);

  /// Clocks to the top. Collective over MPI_COMM_WORLD; waits for the other ranks.
  void end() noexcept;
  /// For people: what became of it. This and the next from any thread.
  [[nodiscard]] std::string outcome() const;
  /// The same for the rank's record; nothing if it can't be had just now.
  [[nodiscard]] std::optional<RankBalancing> record() const;
};

/// Either all ranks' clocks follow their loads, or nobody's.
struct BalanceAgreement {
  std::unique_ptr<RunBalance> balance;
  /// Why nobody's do, though it was asked for; for people, the first such rank's reason on rank 0
  /// only. Else empty.
  std::string why_not;
  /// A remark for people on clocks that do follow, on rank 0 only; else empty.
  std::string remark = {};
};

/// A rank's environment asks for it by HUDDLE_BALANCE; HUDDLE_KEEPER is the socket of the keeper of
/// its step's clocks. Collective over all ranks. Throws Error where MPI fails.
BalanceAgreement agree_on_balance(const recorder::Channel& channel, const Environment& environment,
                                  const RankMoment& now);

}  // namespace huddle::runtime
