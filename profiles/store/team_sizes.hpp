#pragma once

// A user's consent that the teams of a program may have fewer threads, and what became of it. A
// program may compute wrong results without a word then, so nothing of this is done unasked.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/store/store.hpp"

namespace huddle::store {

/// State of the consent to change the sizes of the teams of one build of a program.
enum class SizesState {
  kKeep,   ///< nothing: there is no consent
  kAudit,  ///< there is consent: the next run tries smaller teams
  kHarm,   ///< a run began to try them and has not ended well: nothing
  kAct,    ///< that run ended well: teams may have the sizes that were chosen
};

/// The word for a state in SizesConsents::for_ranks() and for people.
std::string_view word_of(SizesState state);

struct SizesConsent {
  std::string build_id;
  /// The path that was consented to.
  std::string program;
  SizesState state = SizesState::kKeep;
  /// Lines for people about what the run that ended well saw; may be empty.
  std::string seen;
};

/// The consents of one user: files in a folder, named by the program's build id. ".consent" is the
/// consent; ".begun" has the token of the run that began to try smaller teams, written before the
/// first of them; ".ended" has the same token once all ranks of that run came to their end. Each
/// file appears whole or not at all, with mode 0600. Holds no state but the folder.
class SizesConsents {
 public:
  explicit SizesConsents(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Where they are in a store; the folder need not exist. Throws Error where the user's part of it
  /// is somebody else's, who could else consent in the user's place.
  static std::filesystem::path folder_in(const Store& store, const std::string& user);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Anew: what became of an older consent is forgotten. The folder must exist. Throws SystemError.
  void give(const std::string& build_id, const std::string& program) const;
  /// False if there was none. Throws SystemError.
  bool withdraw(const std::string& build_id) const;
  /// Files that can't be read are no consent; a run's end that can't be read is none.
  [[nodiscard]] SizesState state_of(const std::string& build_id) const;
  /// Those of these builds that are in this state.
  [[nodiscard]] std::vector<std::string> in_state(SizesState state,
                                                  const std::vector<std::string>& builds) const;
  /// Ascending by build id; none if there is no folder.
  [[nodiscard]] std::vector<SizesConsent> all() const;

  /// The value of kTeamSizesWord for one run with this token, a word; empty if nothing may be
  /// done to any program.
  [[nodiscard]] std::string for_ranks(const std::string& token) const;

  /// Before a run's first smaller team, by any of its ranks: whether this run is the one that
  /// tries. It is on disk before this returns true. Throws SystemError.
  [[nodiscard]] bool begin_audit(const std::string& build_id, const std::string& token) const;
  /// All ranks came to their end; nothing happens if it is not that run. Throws SystemError.
  void end_audit(const std::string& build_id, const std::string& token,
                 std::string_view seen) const;
  /// Withdraws belief in the good end of that run. Throws SystemError.
  void doubt_audit(const std::string& token) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& build_id, const char* kind) const;

  std::filesystem::path folder_;
};

/// A token for SizesConsents::for_ranks() that no other run has.
std::string new_sizes_token();

/// The answer of for_ranks() about one program, for its ranks.
struct SizesForProgram {
  SizesState state = SizesState::kKeep;
  std::string token;
  std::filesystem::path folder;
};

/// The build ids of the programs that try smaller teams by such a text.
std::vector<std::string> programs_that_try(std::string_view text);

/// Nothing may be done if the text has no such build id, or is no such text.
SizesForProgram parse_team_sizes(std::string_view text, std::string_view build_id);

}  // namespace huddle::store
