#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiles/balancing/balance_report.hpp"
#include "profiles/recorder/mpi/mpi_library.hpp"
#include "spank_plugin/runtime/balance/balance_driver.hpp"

namespace huddle::runtime {

/// Rounds of reports by MPI's non-blocking reductions, on a communicator of its own. Each rank
/// begins a round when it likes, and nobody waits for it. One thread's, the one that calls MPI for
/// the program.
class ReportRounds final : public ReportExchange {
 public:
  /// Collective over MPI_COMM_WORLD. Throws Error.
  ReportRounds();
  ReportRounds(const ReportRounds&) = delete;
  ReportRounds& operator=(const ReportRounds&) = delete;
  ~ReportRounds() override = default;

  bool start(const balancing::BalanceReport& mine) noexcept override;
  std::optional<balancing::BalanceReport> finished() noexcept override;

  /// Collective over MPI_COMM_WORLD, before MPI_Finalize: ranks that have begun fewer rounds than
  /// others take part in the rest of them, and all rounds are over. Waits.
  void finish() noexcept;

 private:
  void wait() noexcept;

  MPI_Comm comm_{};
  balancing::BalanceReport mine_;
  balancing::BalanceReport all_;
  std::array<MPI_Request, 2> requests_{};
  std::uint64_t rounds_ = 0;
  bool under_way_ = false;
  bool failed_ = false;
};

}  // namespace huddle::runtime
