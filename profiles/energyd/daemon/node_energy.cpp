#include "profiles/energyd/daemon/node_energy.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/hardware/power/sensor.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSavedFile = "totals.json";
constexpr const char* kEndedFile = "ended";
// The finest that users get; and how often they can have the sensors read, if that does not take
// longer itself.
constexpr Seconds kResolution{1};
constexpr Seconds kBetweenReadings{0.01};

Seconds seconds_between(power::BootClock::time_point from, power::BootClock::time_point to) {
  return {std::chrono::duration<double>(to - from).count()};
}

// A step that began longer ago was not seen from its begin on. Those without announcements are
// looked for once a second.
constexpr Seconds kNoticedIn{2};

// Returns the age of a process; 0 if it can't be known.
Seconds age_of(const processes::ProcessIdentity& process) {
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double now =
      std::chrono::duration<double>(power::BootClock::now().time_since_epoch()).count();
  return {std::max(now - static_cast<double>(process.started) / ticks_per_second, 0.0)};
}

// Returns the time since something was made in a cgroup last; 0 if it can't be known.
Seconds age_of(const fs::path& cgroup) {
  struct stat status {};
  if (::stat(cgroup.c_str(), &status) != 0) return {0};
  const double made = static_cast<double>(status.st_mtim.tv_sec) +
                      static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::max(std::chrono::duration<double>(now).count() - made, 0.0)};
}

Seconds since_boot(power::BootClock::time_point at) {
  return {std::chrono::duration<double>(at.time_since_epoch()).count()};
}

// RAPL and amd_energy number packages: "package-1/dram", "amd_energy/Esocket1".
std::optional<std::uint32_t> package_of(std::string_view sensor) {
  for (const std::string_view begin : {"package-", "amd_energy/Esocket"}) {
    if (!sensor.starts_with(begin)) continue;
    const std::string_view digits = sensor.substr(begin.size());
    std::uint32_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{})
      return number;
  }
  return std::nullopt;
}

// Where it is not known which PUs a sensor covers it covers all of them.
std::vector<power::LedgerSensor> ledger_sensors(const hardware::PowerDiscovery& found,
                                                const fs::path& root) {
  const std::vector<hardware::PhysicalCore> cores = hardware::physical_cores(root / "sys");
  std::vector<power::LedgerSensor> sensors;
  for (const std::string& name : found.sum) {
    power::LedgerSensor& sensor = sensors.emplace_back(power::LedgerSensor{name, {}});
    const auto package = package_of(name);
    for (const hardware::PhysicalCore& core : cores)
      for (const std::uint32_t pu : core.pus.members())
        if (package && core.package == *package) sensor.pus.add(pu);
    if (sensor.pus.empty()) sensor.pus = found.pus;
  }
  return sensors;
}

std::vector<power::Sensor> all_sensors(const hardware::PowerDiscovery& found) {
  std::vector<power::Sensor> sensors;
  for (const hardware::FoundSensor& one : found.sensors) sensors.push_back(one.sensor);
  return sensors;
}

}  // namespace

NodeEnergy::NodeEnergy(NodeEnergyOptions options)
    : options_(std::move(options)),
      boot_(processes::boot_id()),
      ledger_({}),
      job_cgroups_(options_.root) {
  const hardware::PowerDiscovery found = hardware::discover_power(options_.root);
  sensors_ = all_sensors(found);
  ledger_ = power::EnergyLedger(ledger_sensors(found, options_.root));
  power::MonitorOptions watching;
  watching.period = options_.period;
  watching.sysfs = options_.root / "sys";
  try {
    const SavedEnergy saved = load_saved_energy(options_.kept / kSavedFile, boot_);
    // Without the totals that its readings are of, the ledger is of no use, and the other way
    // round.
    if (ledger_.go_on(saved.ledger)) watching.go_on_from = saved.accounts;
    std::vector<AnsweredStep> ended = load_ended_steps(options_.kept / kEndedFile, boot_);
    std::reverse(ended.begin(), ended.end());
    for (AnsweredStep& step : ended) ended_.add(std::move(step), power::BootClock::now());
  } catch (const Error& broken) {
    news_.push_back(fmt::format("{}; all energy is counted from now on", broken.what()));
  }
  monitor_ = std::make_unique<power::SensorMonitor>(sensors_, watching);
  const auto covers_node = [](const hardware::FoundSensor& one) {
    return one.sensor.covers == power::Covers::kNode;
  };
  observer_ = std::make_unique<PowerObserver>(
      PowerObserver::Options{options_.root, options_.period, options_.observations}, found.sum,
      !found.sum.empty() && std::any_of(found.sensors.begin(), found.sensors.end(), covers_node));
  if (!observer_->trouble().empty())
    news_.push_back(observer_->trouble() + "; what the node draws is not kept for huddle machine");
  go_on();
}

void NodeEnergy::read_sensors() {
  const power::BootClock::time_point begin = power::BootClock::now();
  monitor_->read_now();
  read_at_ = power::BootClock::now();
  advance();
  reading_took_ = seconds_between(begin, power::BootClock::now());
}

std::vector<power::SensorReading> NodeEnergy::readings() {
  states_ = monitor_->states();
  std::vector<power::SensorReading> readings;
  for (const power::LedgerSensor& sensor : ledger_.sensors()) {
    const auto state = std::find_if(states_.begin(), states_.end(), [&](const auto& one) {
      return one.sensor.name == sensor.name;
    });
    readings.push_back(
        state == states_.end()
            ? power::SensorReading{}
            : power::SensorReading{state->totals.energy, state->totals.known, state->totals.lost});
  }
  return readings;
}

power::StepWork NodeEnergy::work() {
  power::StepWork work;
  if (!ledger_.needs_work()) return work;
  for (auto& [id, time] : cpu_times_) work[id] = time.look();
  return work;
}

void NodeEnergy::advance() {
  const std::vector<power::SensorReading> read = readings();
  ledger_.advance(read, work());
  const auto first = ledger_.steps().begin();
  observer_->look(read,
                  first == ledger_.steps().end() ? std::nullopt : std::optional(first->first.job),
                  power::BootClock::now());
  // Who asks later gets newer values.
  std::erase_if(told_, [now = power::BootClock::now()](const auto& told) {
    return seconds_between(told.second.at, now) >= kResolution;
  });
}

power::StepCpuTime& NodeEnergy::cpu_time_of(const power::StepId& id, const Present& step) {
  std::vector<PuSet> groups;
  for (const power::LedgerSensor& sensor : ledger_.sensors()) groups.push_back(sensor.pus);
  return cpu_times_.try_emplace(id, step.processes, std::move(groups), "/proc").first->second;
}

void NodeEnergy::end_step(const power::StepId& id) {
  cpu_times_.erase(id);
  const auto account = ledger_.end(id);
  if (!account) return;
  ended_.add(answered(id, *account, false), power::BootClock::now());
}

NodeEnergy::PresentSteps NodeEnergy::present_steps() {
  PresentSteps present;
  std::set<std::uint32_t> announced_jobs;
  for (const StepNotice& notice : announced_steps(options_.notices)) {
    const std::uint32_t slurmstepd = notice.slurmstepd.pid;
    announced_jobs.insert(notice.id.job);
    present[notice.id] = {
        notice.place,
        {slurmstepd, job_cgroups_.of_step(notice.id, slurmstepd), notice.place.pus},
        age_of(notice.slurmstepd)};
  }
  for (const power::FoundStep& step : job_cgroups_.find_steps()) {
    const auto known = present.find(step.id);
    if (known != present.end() && known->second.processes.cgroup.empty())
      known->second.processes.cgroup = step.cgroup;
    else if (!announced_jobs.contains(step.id.job))
      present[step.id] = {step.place, {0, step.cgroup, step.place.pus}, age_of(step.cgroup)};
  }
  tell_unnumbered_jobs();
  return present;
}

void NodeEnergy::tell_unnumbered_jobs() {
  for (const fs::path& job : job_cgroups_.unnumbered_jobs())
    if (!told_unnumbered_.contains(job))
      news_.push_back(
          fmt::format("{} is of a job whose number nobody tells, since its slurmstepd is gone: "
                      "what it takes counts for no job, or for those beside it",
                      job.string()));
  told_unnumbered_ = job_cgroups_.unnumbered_jobs();
}

bool NodeEnergy::are_as_known(const PresentSteps& present) const {
  return std::equal(present.begin(), present.end(), ledger_.steps().begin(), ledger_.steps().end(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

// After another daemon, which ended some time ago.
void NodeEnergy::go_on() {
  monitor_->read_now();
  read_at_ = power::BootClock::now();
  const PresentSteps present = present_steps();
  if (!are_as_known(present)) return ledger_.skip(readings());
  power::StepWork work;
  for (const auto& [id, step] : present) work[id] = cpu_time_of(id, step).look();
  ledger_.advance(readings(), work);
}

void NodeEnergy::observe_steps() {
  const PresentSteps present = present_steps();
  if (are_as_known(present)) return;
  // Work is looked at even where a job is alone: a second one may come now.
  monitor_->read_now();
  read_at_ = power::BootClock::now();
  power::StepWork work;
  for (auto& [id, time] : cpu_times_) work[id] = time.look();
  ledger_.advance(readings(), work);
  std::vector<power::StepId> over;
  for (const auto& [id, account] : ledger_.steps())
    if (!present.contains(id)) over.push_back(id);
  for (const power::StepId& id : over) end_step(id);
  for (const auto& [id, step] : present)
    if (!ledger_.steps().contains(id))
      ledger_.begin(id, step.place, cpu_time_of(id, step).look(),
                    step.age > kNoticedIn ? step.age : Seconds{0});
  // Steps that can't be saved are counted all the same.
  if (!over.empty()) huddle::energyd::save(ended_.steps(), boot_, options_.kept / kEndedFile);
  save();
}

void NodeEnergy::save() const {
  SavedEnergy energy;
  // As old as what the ledger knows.
  for (const power::SensorState& state : states_) energy.accounts[state.sensor.name] = state.kept;
  energy.ledger = ledger_.kept();
  huddle::energyd::save(energy, boot_, options_.kept / kSavedFile);
}

AnsweredStep NodeEnergy::answered(const power::StepId& id, const power::StepAccount& account,
                                  bool running) const {
  AnsweredStep step{id, account.place.user, running, {}};
  for (std::size_t i = 0; i < account.shares.size(); ++i)
    if (account.shares[i] != power::EnergyShare{})
      step.shares.emplace_back(ledger_.sensors()[i].name, account.shares[i]);
  return step;
}

bool NodeEnergy::runs_steps_of(std::uint32_t user) const {
  return std::any_of(ledger_.steps().begin(), ledger_.steps().end(),
                     [&](const auto& step) { return step.second.place.user == user; });
}

bool NodeEnergy::serves(std::uint32_t user) const {
  return runs_steps_of(user) || ended_.had_lately(user, power::BootClock::now());
}

std::vector<AnsweredStep> NodeEnergy::steps_of(std::uint32_t user, bool all) const {
  std::vector<AnsweredStep> steps;
  for (const auto& [id, account] : ledger_.steps())
    if (all || account.place.user == user) steps.push_back(answered(id, account, true));
  for (AnsweredStep& step : ended_.steps())
    if (all || step.user == user) steps.push_back(std::move(step));
  return steps;
}

// A user's values are never less than a second apart, whenever they are asked for.
const NodeEnergy::Told& NodeEnergy::told_to(std::uint32_t user) {
  const power::BootClock::time_point now = power::BootClock::now();
  const auto found = told_.find(user);
  const bool is_root = user == 0;
  if (found != told_.end() && !is_root && seconds_between(found->second.at, now) < kResolution)
    return found->second;
  if (seconds_between(read_at_, now) > std::max(kBetweenReadings, reading_took_)) read_sensors();
  Told& told = told_[user];
  told = {read_at_, steps_of(user, is_root)};
  return told;
}

void NodeEnergy::tell_sensors(EnergyAnswer& answer, std::uint32_t user) {
  const power::BootClock::time_point now = power::BootClock::now();
  if (user == 0 || seconds_between(told_sensors_at_, now) >= kResolution) advance();
  if (seconds_between(lateness_at_, now) >= kResolution) {
    lateness_ = monitor_->lateness();
    lateness_at_ = now;
  }
  answer.lateness = lateness_;
  if (user == 0) {
    answer.as_of = since_boot(now);
    answer.sensors = sensors();
    return;
  }
  if (seconds_between(told_sensors_at_, now) >= kResolution) {
    told_sensors_ = sensors();
    told_sensors_at_ = now;
  }
  answer.as_of = since_boot(told_sensors_at_);
  answer.sensors = told_sensors_;
}

// Steps that began since the last answer had taken nothing then.
void NodeEnergy::add_newer_steps(std::uint32_t user, std::vector<AnsweredStep>& steps) const {
  for (const auto& step : ledger_.steps()) {
    const power::StepId& id = step.first;
    const bool is_there = std::any_of(steps.begin(), steps.end(),
                                      [&](const AnsweredStep& one) { return one.id == id; });
    if (step.second.place.user == user && !is_there) steps.push_back({id, user, true, {}});
  }
}

EnergyAnswer NodeEnergy::answer(const EnergyRequest& request, const EnergyReader& reader) {
  EnergyAnswer answer;
  if (request.about == EnergyRequest::About::kNode) {
    if (!reader.may_see_node) {
      answer.refusal =
          "the site lets only root know what the node takes (energy.readers in "
          "huddle.toml)";
      return answer;
    }
    tell_sensors(answer, reader.user);
    return answer;
  }
  const Told nothing{read_at_, {}};
  // Who has no step here can't have the sensors read.
  const bool has_steps = reader.user == 0 || runs_steps_of(reader.user) || ended_.has(reader.user);
  const Told& told = has_steps ? told_to(reader.user) : nothing;
  answer.as_of = since_boot(told.at);
  std::vector<AnsweredStep> steps = told.steps;
  add_newer_steps(reader.user, steps);
  for (const AnsweredStep& step : steps)
    if (request.about == EnergyRequest::About::kOwn || step.id.job == request.job)
      answer.steps.push_back(step);
  if (request.about == EnergyRequest::About::kJob && answer.steps.empty())
    answer.refusal = fmt::format("no job {} of yours is known on this node", request.job);
  return answer;
}

std::vector<AnsweredSensor> NodeEnergy::sensors() const {
  std::vector<AnsweredSensor> sensors;
  for (const power::SensorState& state : states_) {
    AnsweredSensor& sensor = sensors.emplace_back();
    sensor.name = state.sensor.name;
    sensor.covers = name_of(state.sensor.covers);
    sensor.measures = name_of(state.sensor.quantity);
    sensor.energy = state.totals.energy;
    sensor.known = state.totals.known;
    sensor.lost = state.totals.lost;
    sensor.power = state.power;
    sensor.trouble = state.totals.trouble;
    for (std::size_t i = 0; i < ledger_.sensors().size(); ++i)
      if (ledger_.sensors()[i].name == sensor.name) {
        sensor.in_sum = true;
        sensor.unattributed = ledger_.ledgers()[i].unattributed;
        sensor.idle_power = ledger_.ledgers()[i].idle_power;
      }
  }
  return sensors;
}

std::vector<std::string> NodeEnergy::news() {
  for (const power::SensorState& state : states_) {
    std::string& before = troubles_[state.sensor.name];
    const std::string& now = state.totals.trouble;
    // The text changes with the time that a trouble lasts, which is no news.
    if (before.empty() != now.empty())
      news_.push_back(
          fmt::format("{}: {}", state.sensor.name, now.empty() ? "is read again" : now));
    before = now;
  }
  return std::exchange(news_, {});
}

}  // namespace huddle::energyd
