#pragma once

#include <chrono>
#include <memory>

#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// MPI from its begin to its end: one in a program. For its main thread only.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  /// Ends it together with the other processes.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] bool is_first() const;
  /// To be called by a process that can't go on: whether all others call it, too, within
  /// `patience`.
  [[nodiscard]] bool all_failed(std::chrono::seconds patience) const;
  /// Ends all processes now, after the reason was printed.
  [[noreturn]] static void abort(int status);

  /// Between all processes. Ends before the session.
  [[nodiscard]] std::unique_ptr<Exchange> exchange() const;

 private:
  struct Failures;
  std::unique_ptr<Failures> failures_;
};

}  // namespace huddle
