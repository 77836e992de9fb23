#pragma once

// State that huddle-energyd keeps, so that another one goes on from it after a restart; a restart
// of the machine ends it.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/hardware/monitoring/sensor_account.hpp"

namespace huddle::energyd {

struct SavedEnergy {
  /// Accounts by the names of sensors.
  std::map<std::string, power::KeptAccount> accounts;
  power::EnergyLedger::Kept ledger;
};

/// Writes it to the file of that name; it need not survive the machine. `boot`: see boot_id().
/// Throws SystemError.
void save(const SavedEnergy& energy, const std::string& boot, const std::filesystem::path& file);
/// Nothing in it if there is no such file, or if it is of another boot. Throws Error if the file is
/// broken.
SavedEnergy load_saved_energy(const std::filesystem::path& file, const std::string& boot);

/// The same of steps that are over.
void save(const std::vector<AnsweredStep>& ended, const std::string& boot,
          const std::filesystem::path& file);
std::vector<AnsweredStep> load_ended_steps(const std::filesystem::path& file,
                                           const std::string& boot);

}  // namespace huddle::energyd
