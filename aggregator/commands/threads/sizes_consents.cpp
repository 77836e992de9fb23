#include "aggregator/commands/threads/sizes_consents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "aggregator/commands/show/show_sections.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

std::string build_id_for(const std::string& program, const char* option) {
  const std::string build_id = build_id_of_file(program);
  if (build_id.empty())
    throw Error(fmt::format(
        "{} {}: no build id is known of it, by which it would be known again: expected a program "
        "(no script) that was linked with --build-id",
        option, shortened(program)));
  return build_id;
}

std::string text_of_state(SizesState state) {
  switch (state) {
    case SizesState::kKeep:
      break;
    case SizesState::kAudit:
      return "smaller teams will be tried in the next run with threads=pack";
    case SizesState::kHarm:
      return "sizes stay: a run began to try smaller teams, and has not ended well";
    case SizesState::kAct:
      return "a run that tried smaller teams ended well: sizes that are chosen are used";
  }
  return "sizes stay";
}

std::string given(const SizesConsents& consents, const ConsentOptions& options) {
  const std::string build_id = build_id_for(options.consent, "--consent-sizes");
  consents.give(build_id, std::filesystem::absolute(options.consent).string());
  return fmt::format(
      "Teams of {} (build {}) may have fewer threads from now on.\n"
      "The next run with threads=pack tries that for some moments. A program that relies on the "
      "size of its teams may crash, hang, or compute wrong results without a word: compare what "
      "that run computes with what you know to be right, and take this back if it differs "
      "(--withdraw-sizes). What it does behind MPI_Finalize, its exit status included, is not seen "
      "in jobs; regions inside of one whose team has one thread become teams of their own.\n",
      options.consent, build_id);
}

std::string withdrawn(const SizesConsents& consents, const ConsentOptions& options) {
  const bool had = consents.withdraw(build_id_for(options.withdraw, "--withdraw-sizes"));
  if (!had)
    return fmt::format(
        "Teams of {} keep their sizes, as before: there is no consent for it in {}.\n",
        options.withdraw, options.store);
  return fmt::format(
      "Teams of {} keep their sizes in runs that are submitted from now on; jobs that are queued "
      "or "
      "running were allowed to change them.\n",
      options.withdraw);
}

std::string list_of(const SizesConsents& consents, bool json) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  std::string text;
  for (const SizesConsent& consent : consents.all()) {
    programs.push_back({{"build_id", consent.build_id},
                        {"program", utf8(consent.program)},
                        {"state", word_of(consent.state)},
                        {"seen", utf8(consent.seen)}});
    text += fmt::format("{} (build {}): {}.\n", printable(consent.program), consent.build_id,
                        text_of_state(consent.state));
    std::string_view seen = consent.seen;
    while (!seen.empty()) {
      const std::size_t end = std::min(seen.find('\n'), seen.size());
      text += "  " + printable(seen.substr(0, end)) + "\n";
      seen.remove_prefix(std::min(end + 1, seen.size()));
    }
  }
  if (json)
    return nlohmann::ordered_json(
               {{"format", "huddle/team-sizes"}, {"version", 1}, {"programs", programs}})
               .dump(1) +
           "\n";
  return text.empty() ? "No program's teams may have fewer threads.\n" : text;
}

}  // namespace

std::string change_consents(const ConsentOptions& options, bool json) {
  const int asked = (options.list ? 1 : 0) + (options.consent.empty() ? 0 : 1) +
                    (options.withdraw.empty() ? 0 : 1);
  if (asked != 1)
    throw UsageError("expected one of --consent-sizes, --withdraw-sizes and --consents");
  const Store store(expand_home(options.store, current_home()));
  const std::string user = current_user();
  if (options.consent.empty()) {
    const SizesConsents consents(SizesConsents::folder_in(store, user));
    return options.list ? list_of(consents, json) : withdrawn(consents, options);
  }
  return given(SizesConsents(store.make_team_sizes_folder(user, options.store.starts_with("~/"))),
               options);
}

}  // namespace huddle
