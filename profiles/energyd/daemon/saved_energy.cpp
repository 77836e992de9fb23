#include "profiles/energyd/daemon/saved_energy.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(value->value) : Json();
}

std::optional<Watts> watts_or_null(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return Watts{value.get<double>()};
}

Json json_of(const power::KeptAccount& kept) {
  return {{"unit", kept.unit},
          {"range", kept.range},
          {"last_count", kept.last_count ? Json(*kept.last_count) : Json()},
          {"last_ns", kept.last.count()},
          {"last_move_ns", kept.last_move.count()},
          {"counted", kept.counted},
          {"integrated", kept.integrated},
          {"known_s", kept.known.value},
          {"lost_s", kept.lost.value},
          {"losses", kept.losses},
          {"least_w", or_null(kept.least)},
          {"most_w", or_null(kept.most)}};
}

power::KeptAccount account_of(const Json& json) {
  power::KeptAccount kept;
  kept.unit = json.at("unit");
  kept.range = json.at("range");
  if (!json.at("last_count").is_null())
    kept.last_count = json.at("last_count").get<std::uint64_t>();
  kept.last = std::chrono::nanoseconds(json.at("last_ns").get<std::int64_t>());
  kept.last_move = std::chrono::nanoseconds(json.at("last_move_ns").get<std::int64_t>());
  kept.counted = json.at("counted");
  kept.integrated = json.at("integrated");
  kept.known.value = json.at("known_s");
  kept.lost.value = json.at("lost_s");
  kept.losses = json.at("losses");
  kept.least = watts_or_null(json.at("least_w"));
  kept.most = watts_or_null(json.at("most_w"));
  return kept;
}

Json json_of(const power::StepId& id, const power::StepAccount& account, const Json& work) {
  Json shares = Json::array();
  for (const power::EnergyShare& share : account.shares)
    shares.push_back({share.measured.value, share.attributed.value, share.idle.value,
                      share.idle_known, share.known.value, share.lost.value});
  return {{"job", id.job},
          {"step", id.step},
          {"user", account.place.user},
          {"pus", account.place.pus.list()},
          {"shares", std::move(shares)},
          {"work_s", work}};
}

Json json_of(const power::EnergyLedger::Kept& kept) {
  Json readings = Json::array();
  for (const power::SensorReading& one : kept.readings)
    readings.push_back({one.energy.value, one.known.value, one.lost.value});
  Json ledgers = Json::array();
  for (const power::SensorLedger& one : kept.ledgers)
    ledgers.push_back({one.node.value, one.unattributed.value, or_null(one.idle_power)});
  Json steps = Json::array();
  for (const auto& [id, account] : kept.steps) {
    Json work = Json::array();
    if (const auto found = kept.work.find(id); found != kept.work.end())
      for (const Seconds time : found->second) work.push_back(time.value);
    steps.push_back(json_of(id, account, work));
  }
  return {
      {"sensors", kept.sensors}, {"readings", readings}, {"ledgers", ledgers}, {"steps", steps}};
}

void add_step(const Json& json, power::EnergyLedger::Kept& kept) {
  const power::StepId id{json.at("job"), json.at("step")};
  power::StepAccount& account = kept.steps[id];
  account.place.user = json.at("user");
  account.place.pus = PuSet::parse(json.at("pus").get<std::string>());
  for (const Json& share : json.at("shares"))
    account.shares.push_back({Joules{share.at(0)}, Joules{share.at(1)}, Joules{share.at(2)},
                              share.at(3), Seconds{share.at(4)}, Seconds{share.at(5)}});
  std::vector<Seconds> work;
  for (const Json& time : json.at("work_s")) work.push_back(Seconds{time});
  if (!work.empty()) kept.work[id] = std::move(work);
}

power::EnergyLedger::Kept ledger_of(const Json& json) {
  power::EnergyLedger::Kept kept;
  kept.sensors = json.at("sensors").get<std::vector<std::string>>();
  for (const Json& one : json.at("readings"))
    kept.readings.push_back({Joules{one.at(0)}, Seconds{one.at(1)}, Seconds{one.at(2)}});
  for (const Json& one : json.at("ledgers"))
    kept.ledgers.push_back({Joules{one.at(0)}, Joules{one.at(1)}, watts_or_null(one.at(2))});
  for (const Json& step : json.at("steps")) add_step(step, kept);
  return kept;
}

// Nothing without a file.
std::optional<std::string> content_of(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) return std::nullopt;
  return files::read_file(file, kMostBytes);
}

void write_private(const fs::path& file, std::string_view text) {
  files::AtomicFile out(file, 0600);
  out.write(text);
  out.commit_soon();
}

}  // namespace

void save(const SavedEnergy& energy, const std::string& boot, const fs::path& file) {
  Json accounts = Json::object();
  for (const auto& [name, account] : energy.accounts) accounts[name] = json_of(account);
  const Json document{{"format", "huddle/saved-energy"},
                      {"version", 1},
                      {"boot", boot},
                      {"accounts", std::move(accounts)},
                      {"ledger", json_of(energy.ledger)}};
  write_private(file, document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
}

SavedEnergy load_saved_energy(const fs::path& file, const std::string& boot) {
  const auto text = content_of(file);
  if (!text) return {};
  try {
    const Json document = Json::parse(*text);
    if (document.at("format") != "huddle/saved-energy" || document.at("version") != 1)
      throw Error(fmt::format("{}: format: expected huddle/saved-energy 1", file.string()));
    if (document.at("boot") != boot) return {};
    SavedEnergy energy;
    for (const auto& [name, account] : document.at("accounts").items())
      energy.accounts[name] = account_of(account);
    energy.ledger = ledger_of(document.at("ledger"));
    return energy;
  } catch (const Json::exception& broken) {
    throw Error(fmt::format("{}: {}", file.string(), broken.what()));
  }
}

void save(const std::vector<AnsweredStep>& ended, const std::string& boot, const fs::path& file) {
  EnergyAnswer answer;
  answer.steps = ended;
  write_private(file, boot + "\n" + text_of(answer, kMostBytes));
}

std::vector<AnsweredStep> load_ended_steps(const fs::path& file, const std::string& boot) {
  const auto text = content_of(file);
  if (!text || !text->starts_with(boot + "\n")) return {};
  return parse_energy_answer(std::string_view(*text).substr(boot.size() + 1)).steps;
}

}  // namespace huddle::energyd
