// huddle waitstates as an MPI program: each process replays a part of the ranks. `huddle
// waitstates` turns into it where an MPI launcher started several of it.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/waitstates/waitstates_run.hpp"
#include "aggregator/waitstates/distributed/mpi_exchange.hpp"
#include "profiles/vocabulary/error.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

// Mostly all fail for one reason, and the first process's word is enough. If another one fails
// alone, it speaks up.
[[noreturn]] void give_up(const huddle::MpiSession& session, const std::string& why, int status) {
  // The first one speaks before it meets the others, so that they know that it did.
  constexpr std::chrono::seconds kPatience{5};
  const auto tell = [&] {
    fmt::print(stderr, "huddle: {}\n", why);
    std::fflush(stderr);
  };
  if (session.is_first()) tell();
  const bool all = session.all_failed(session.is_first() ? std::chrono::seconds(1) : kPatience);
  if (!session.is_first() && !all) tell();
  huddle::MpiSession::abort(status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const huddle::MpiSession session(argc, argv);
    try {
      huddle::cli::App app{"huddle waitstates, by several processes of MPI", "huddle_waitstates"};
      huddle::WaitstatesOptions options;
      huddle::declare_waitstates_options(app, options);
      const auto put_out = [&](const std::string& text) {
        if (session.is_first()) fmt::print("{}", text);
      };
      const std::optional<int> status = app.parse(argc, argv, "huddle waitstates", put_out);
      if (status) return *status;
      const std::unique_ptr<huddle::Exchange> exchange = session.exchange();
      huddle::run_waitstates(options, *exchange);
    } catch (const huddle::UsageError& error) {
      give_up(session, error.what(), kBadArguments);
    } catch (const std::exception& error) {
      give_up(session, error.what(), kFailed);
    }
  } catch (...) {
    return kFailed;
  }
  return 0;
}
