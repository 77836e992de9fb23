// huddle policy: what huddle.toml says for the jobs of whoever asks.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/formats/policy/site_switch.hpp"
#include "profiles/store/store.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string policy;
  std::vector<std::string> partitions;
  std::string account;
  bool json = false;
};

using Json = nlohmann::ordered_json;

// A null where the site says nothing, so that each name is always there.
template <class Value>
Json known_or_null(const Value& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}

Json summary_of(const Policy& policy, const std::filesystem::path& file) {
  std::error_code unknown;
  const std::string stopped = present_stop_file(file).string();
  Json summary;
  summary["policy"] = std::filesystem::exists(file, unknown) ? Json(file.string()) : Json(nullptr);
  summary["enabled"] = policy.enabled && stopped.empty();
  summary["stopped"] = known_or_null(stopped);
  std::vector<std::string> stop;
  for (const std::filesystem::path& each : stop_files(file)) stop.push_back(each.string());
  summary["stop_files"] = fmt::format("{}", fmt::join(stop, ", "));
  summary["mode"] = std::string(name_of(policy.mode));
  summary["measure"] = policy.measure;
  summary["modes"] = policy.limits.allowed_modes();
  summary["slowdown"] = policy.slowdown;
  summary["slowdown_limit"] =
      policy.limits.slowdown ? Json(*policy.limits.slowdown) : Json(nullptr);
  summary["risk"] = policy.whole_interval ? "interval" : "point";
  summary["objective"] = std::string(name_of(policy.objective));
  summary["explore"] = std::string(name_of(policy.explore));
  summary["samples"] = policy.samples;
  summary["sample_slowdown"] = policy.sample_slowdown;
  summary["least_nodes"] = policy.limits.least_nodes;
  summary["withdraw"] = policy.withdraw;
  summary["control"] = policy.control;
  summary["messages_in_steps"] = policy.messages_in_steps;
  summary["record"] = std::string(name_of(policy.record));
  summary["store"] = store::expand_home(policy.profiles_directory, store::current_home()).string();
  summary["machine"] = known_or_null(policy.machine_file);
  summary["model"] = known_or_null(policy.model_file);
  return summary;
}

std::string text_of(const Json& summary) {
  std::string text;
  for (const auto& [name, value] : summary.items())
    text += fmt::format("{:<15} {}\n", name,
                        value.is_null()     ? "none"
                        : value.is_string() ? value.get<std::string>()
                                            : value.dump());
  return text;
}

void run(const Options& options) {
  const std::filesystem::path file =
      options.policy.empty() ? site_policy_file() : std::filesystem::path(options.policy);
  // A file that was named must be there. What holds by a broken one is nothing, and not the
  // defaults.
  const Policy site = options.policy.empty() ? load_site_policy() : load_policy(file);
  const Policy policy =
      site.for_submitter({options.partitions, options.account, store::current_groups()});
  const Json summary = summary_of(policy, file);
  render::put_out(options.json ? summary.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"
                               : text_of(summary));
}

}  // namespace

void add_policy_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command =
      app.add_subcommand("policy", "Say what the site's huddle.toml means for your jobs");
  command
      ->add_option("--policy", options->policy,
                   "the policy's file (default: the one that plugstack.conf names, else "
                   "/etc/slurm/huddle.toml)")
      ->value("FILE");
  command
      ->add_option("--partition", options->partitions,
                   "for jobs that may run in these partitions, separated by commas")
      ->delimiter(',');
  command->add_option("--account", options->account, "for jobs of this account");
  command->add_flag("--json", options->json, "the same as JSON, one member a line");
  command->add_example("huddle policy --partition batch");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
