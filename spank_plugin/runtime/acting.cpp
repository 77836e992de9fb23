// Acts on the program of a run: packs its teams, and lets clocks follow its loads.

#include <stdlib.h>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "profiles/recorder/process/this_process.hpp"
#include "profiles/recorder/run_actor.hpp"
#include "spank_plugin/runtime/balance_agreement.hpp"
#include "spank_plugin/runtime/team_acting.hpp"
#include "spank_plugin/runtime/team_agreement.hpp"

namespace huddle::runtime {
namespace {

const char* environment(const char* name) {
  return ::getenv(name);
}

class Acting final : public recorder::RunActor {
 public:
  constexpr Acting() = default;

  bool agree(const recorder::Channel& channel, const recorder::Moment& begin,
             std::uint64_t ticks_inside) override;
  bool begin() override;
  void delimiter_begins(std::uint64_t group, std::uint64_t now) noexcept override {
    team_group_ends(group, now);
  }
  // Done for it counts as the phase that begins: it is no part of the call.
  void delimiter_ended(std::uint64_t place, std::uint64_t ticks_inside) noexcept override {
    if (balance_ == nullptr) return;
    balance_->driver.pass(place, [&] {
      return RankMoment{recorder::TickClock::nanoseconds(), recorder::TickClock::now(),
                        ticks_inside};
    });
  }
  void look(const std::function<std::string()>& document) override { go_on_choosing(document); }
  void add_to(RankRecord& record, const recorder::Interval& run) const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  void end() override;
  void leave() noexcept override {
    if (balance_ != nullptr) balance_->driver.end();
  }
  void all_have_ended() override { note_end_of_audits(environment); }
  void leave_in_child() noexcept override { forget_teams(); }

 private:
  // Never destroyed, as this is not: threads may look at it until the process is gone.
  struct Agreed {
    BalanceAgreement balance;
    TeamTask teams;
    PuSet pus;  // of the rank, where its teams are acted on
  };
  Agreed* agreed_ = nullptr;
  RunBalance* balance_ = nullptr;  // null: clocks don't follow loads
  mutable std::mutex mutex_;       // of what follows
  std::string* teams_note_ = nullptr;
};

bool Acting::agree(const recorder::Channel& channel, const recorder::Moment& begin,
                   std::uint64_t ticks_inside) {
  auto agreed = std::make_unique<Agreed>();
  std::uint8_t acts_on_teams = wants_to_act_on_teams(environment) ? 1 : 0;
  channel.broadcast(&acts_on_teams, sizeof acts_on_teams);  // as rank 0 was asked
  BalanceAgreement& balance = agreed->balance;
  balance = agree_on_balance(
      channel, environment,
      {recorder::TickClock::nanoseconds(), recorder::TickClock::now(), ticks_inside});
  if (!balance.why_not.empty()) recorder::say("clocks don't follow loads: " + balance.why_not);
  if (!balance.remark.empty()) recorder::say(balance.remark);
  TeamTask& teams = agreed->teams;
  teams.rank.value = static_cast<std::uint32_t>(channel.rank());
  teams.ranks = static_cast<std::uint32_t>(channel.ranks());
  teams.begin = begin;
  teams.why_not = "rank 0 did not ask for it";
  if (balance.balance) teams.why_never = "the clocks of its ranks follow loads";
  if (acts_on_teams != 0) {
    agreed->pus = PuSet::of_this_thread();
    TeamAgreement places = agree_on_teams(channel, agreed->pus);
    teams.home = std::move(places.home);
    teams.why_not = std::move(places.why_not);
  }
  agreed_ = agreed.release();
  balance_ = agreed_->balance.balance.get();
  return balance_ != nullptr;
}

bool Acting::begin() {
  return agreed_ != nullptr && act_on_teams(environment, std::move(agreed_->teams));
}

void Acting::add_to(RankRecord& record, const recorder::Interval& run) const {
  if (agreed_ == nullptr) return;
  if (!agreed_->pus.empty()) record.pus = agreed_->pus;
  add_acted_regions(record, run);
  if (balance_ != nullptr) record.balancing = balance_->record();
}

std::vector<std::string> Acting::notes() const {
  std::vector<std::string> notes;
  if (agreed_ == nullptr) return notes;
  const BalanceAgreement& balance = agreed_->balance;
  if (balance_ != nullptr) notes.push_back(balance_->outcome());
  if (!balance.remark.empty()) notes.push_back(balance.remark);
  if (!balance.why_not.empty())
    notes.push_back("clocks did not follow the loads of ranks: " + balance.why_not);
  const std::lock_guard lock(mutex_);
  if (teams_note_ != nullptr) notes.push_back(*teams_note_);
  return notes;
}

void Acting::end() {
  std::exception_ptr failure;
  try {
    std::string note = stop_acting_on_teams();
    const std::lock_guard lock(mutex_);
    if (!note.empty()) teams_note_ = std::make_unique<std::string>(std::move(note)).release();
  } catch (...) {  // the other ranks wait for this one
    failure = std::current_exception();
  }
  if (balance_ != nullptr) balance_->end();
  if (failure) std::rethrow_exception(failure);
}

constinit Acting acting;
[[maybe_unused]] const bool is_registered = (recorder::run_actor = &acting, true);

}  // namespace
}  // namespace huddle::runtime
