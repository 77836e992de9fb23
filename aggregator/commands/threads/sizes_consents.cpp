#include "aggregator/commands/threads/sizes_consents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/teams/region_builds.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

// The store is where the site's policy says unless the user names it; without one, where its
// default is.
std::string store_of(const ConsentOptions& options, std::vector<std::string>& notes) {
  return options.store.empty() ? site_policy(notes).profiles_directory : options.store;
}

std::string build_id_for(const std::string& program, const char* option) {
  const std::string build_id = executables::build_id_of_file(program);
  if (build_id.empty())
    throw Error(fmt::format(
        "{} {}: no build id is known of it, by which it would be known again: expected a program "
        "(no script) that was linked with --build-id",
        option, shortened(program)));
  return build_id;
}

std::string text_of_state(store::SizesState state) {
  switch (state) {
    case store::SizesState::kKeep:
      break;
    case store::SizesState::kAudit:
      return "smaller teams will be tried in the next run with threads=pack";
    case store::SizesState::kHarm:
      return "sizes stay: a run began to try smaller teams, and has not ended well";
    case store::SizesState::kAct:
      return "a run that tried smaller teams ended well: sizes that are chosen are used";
  }
  return "sizes stay";
}

std::string given(const store::SizesConsents& consents, const ConsentOptions& options) {
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

std::string withdrawn(const store::SizesConsents& consents, const ConsentOptions& options,
                      const std::string& root) {
  const bool had = consents.withdraw(build_id_for(options.withdraw, "--withdraw-sizes"));
  if (!had)
    return fmt::format(
        "Teams of {} keep their sizes, as before: there is no consent for it in {}.\n",
        options.withdraw, root);
  return fmt::format(
      "Teams of {} keep their sizes in runs that are submitted from now on; jobs that are queued "
      "or "
      "running were allowed to change them.\n",
      options.withdraw);
}

std::string list_of(const store::SizesConsents& consents, bool json) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  std::string text;
  for (const store::SizesConsent& consent : consents.all()) {
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

ProfileSizes sizes_of_profile(const Profile& profile, const ConsentOptions& options) {
  ProfileSizes sizes;
  sizes.measured = std::ranges::any_of(
      profile.rank_records, [](const RankRecord& rank) { return !rank.smaller_teams.empty(); });
  sizes.programs.builds = teams::builds_with_regions(profile);
  sizes.states.assign(sizes.programs.builds.size(), store::SizesState::kKeep);
  try {
    std::vector<std::string> notes;
    const store::Store store(store::expand_home(store_of(options, notes), store::current_home()));
    const store::SizesConsents consents(
        store::SizesConsents::folder_in(store, store::current_user()));
    std::ranges::transform(sizes.programs.builds, sizes.states.begin(),
                           [&](const std::string& build) { return consents.state_of(build); });
    sizes.programs.sized = consents.in_state(store::SizesState::kAct, sizes.programs.builds);
    for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  } catch (const Error& error) {
    fmt::print(stderr, "huddle: sizes of teams stay: {}\n", error.what());
  }
  sizes.may_shrink = teams::regions_of_builds(profile, sizes.programs.sized);
  return sizes;
}

std::string sizes_sentence(const ProfileSizes& sizes, std::size_t known) {
  if (!sizes.measured) return {};
  if (!sizes.programs.sized.empty())
    return fmt::format(
        "Among what was chosen from are teams of fewer threads, {} of regions: you allow them, and "
        "a run that tried them ended well.\n",
        pluralize(known, "configuration"));
  store::SizesState state = store::SizesState::kKeep;
  for (const store::SizesState one : sizes.states)
    if (one != store::SizesState::kKeep) state = one;
  return fmt::format("Teams of fewer threads were measured, and are not chosen: {}.\n",
                     state == store::SizesState::kKeep
                         ? "you have not allowed it (huddle threads --consent-sizes)"
                         : text_of_state(state));
}

std::string change_consents(const ConsentOptions& options, bool json) {
  const int asked = (options.list ? 1 : 0) + (options.consent.empty() ? 0 : 1) +
                    (options.withdraw.empty() ? 0 : 1);
  if (asked != 1)
    throw UsageError("expected one of --consent-sizes, --withdraw-sizes and --consents");
  std::vector<std::string> notes;
  const std::string root = store_of(options, notes);
  for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  const store::Store store(store::expand_home(root, store::current_home()));
  const std::string user = store::current_user();
  if (options.consent.empty()) {
    const store::SizesConsents consents(store::SizesConsents::folder_in(store, user));
    return options.list ? list_of(consents, json) : withdrawn(consents, options, root);
  }
  return given(store::SizesConsents(store.make_team_sizes_folder(user, root.starts_with("~/"))),
               options);
}

}  // namespace huddle::cli
