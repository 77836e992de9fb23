#include "profiles/formats/policy/policy.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/formats/policy/policy_refusal.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

TEST_CASE("moving ranks can be switched off, by true or false only") {
  CHECK_FALSE(parse_policy("profiles.by_script = false", "huddle.toml").by_script);
  CHECK(parse_policy("[profiles]\nby_script = true", "huddle.toml").by_script);
  CHECK_THROWS_AS(static_cast<void>(parse_policy("profiles.by_script = 1", "huddle.toml")),
                  FormatError);
}

TEST_CASE("profiles are their owner's, or readable by the group or by all") {
  CHECK(parse_policy("", "huddle.toml").readers == Readers::kOwner);
  CHECK(parse_policy("[profiles]\nreadable_by = \"group\"", "huddle.toml").readers ==
        Readers::kGroup);
  CHECK(policy_refusal("profiles.readable_by = \"friends\"").find("owner, group or all") !=
        std::string::npos);
}

TEST_CASE("an empty policy is the defaults") {
  const Policy policy = parse_policy("", "huddle.toml");
  CHECK(policy.mode == Mode::kOff);
  CHECK(policy.slowdown == 0.05);
  CHECK(policy.samples == 2);
  CHECK(policy.keep_days == 365);
  CHECK(policy.quota_files == 50'000);
  CHECK(policy.quota == Bytes{50'000'000'000});
  CHECK(policy.objective == Objective::kEnergy);
  CHECK(policy.explore == Explore::kNo);
  CHECK(policy.frequency == FrequencyWish{});
  CHECK_FALSE(policy.frequency_control);
  CHECK(policy.frequency_journal == "/var/lib/huddle");
  CHECK_FALSE(policy.frequency_balance);
  CHECK(policy.threads_allowed);
  CHECK_FALSE(policy.threads_by_default);
  CHECK_FALSE(policy.balance_by_default);
  CHECK(policy.keeper_user == "nobody");
  CHECK(policy.limits.allowed_modes() == "off, profile, advise, auto");
  CHECK_FALSE(policy.limits.slowdown.has_value());
  CHECK_FALSE(policy.limits.frequency.has_value());
  CHECK(policy.limits.least_nodes == 1);
  CHECK_FALSE(policy.whole_interval);
  CHECK(policy.model_file == "");
  CHECK(policy.profiles_directory == "~/.huddle");
  CHECK(policy.machine_file == "");
  CHECK(policy.huddle == Policy::defaults().huddle);
  CHECK(policy.huddle.ends_with("/huddle"));
  CHECK(policy.recorder.ends_with("/libhuddle_recorder.so"));
  CHECK(policy.mpirun_helper.ends_with("/mca_schizo_huddle.so"));
}

TEST_CASE("a risk or a number of samples that there is not is refused") {
  for (const char* text : {"risk = \"none\"", "risk = 1", "profiles.samples = 0",
                           "profiles.samples = 3", "profiles.samples = \"2\""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(parse_policy(text, "huddle.toml")), FormatError);
  }
}

TEST_CASE("what a policy says about frequencies, objective and limits is read") {
  const Policy policy = parse_policy(R"(
objective = "edp"
explore = "trial"
profiles.keep_days = 0
profiles.quota_bytes = 1_000_000_001
[frequency]
policy = "1.2GHz-2.4GHz"
control = true
journal = "/var/spool/huddle"
balance = "by default"
keeper_user = "clock-keeper"
[limits]
modes = ["profile"]
slowdown = "10%"
frequency = "1-2.6GHz"
least_nodes = 2
)",
                                     "huddle.toml");
  CHECK(policy.objective == Objective::kEdp);
  CHECK(policy.explore == Explore::kTrial);
  CHECK(policy.keep_days == 0);
  CHECK(policy.quota_files == 1001);
  CHECK(policy.quota == Bytes{1'000'000'001});
  CHECK(policy.frequency.kind == FrequencyWish::Kind::kRange);
  CHECK(policy.frequency.range == FrequencyRange{{1.2e9}, {2.4e9}});
  CHECK(policy.frequency_control);
  CHECK(policy.frequency_journal == "/var/spool/huddle");
  CHECK(policy.frequency_balance);
  CHECK(policy.balance_by_default);
  CHECK(policy.keeper_user == "clock-keeper");
  CHECK(policy.limits.allowed_modes() == "off, profile");
  CHECK(policy.limits.slowdown == doctest::Approx(0.1));
  CHECK(policy.limits.frequency == FrequencyRange{{1e9}, {2.6e9}});
  CHECK(policy.limits.least_nodes == 2);
}

TEST_CASE("partitions, accounts and groups may grant the control of clocks, and a refusal wins") {
  const Policy policy = parse_policy(R"(
[partition.shared]
frequency.control = false
[partition.whole.limits]
frequency = "1-2GHz"
[account.green]
frequency.control = true
[group.pilots]
frequency.control = true
)",
                                     "huddle.toml");
  const auto allowed = [&](std::vector<std::string> partitions, const std::string& account,
                           std::vector<std::string> groups) {
    return policy.for_submitter({std::move(partitions), account, std::move(groups)})
        .frequency_control;
  };
  CHECK(policy.grants_frequencies());
  CHECK(policy.frequencies_depend_on_job());
  CHECK_FALSE(policy.frequency_control);
  CHECK_FALSE(allowed({"whole"}, "brown", {"staff"}));
  CHECK(allowed({"whole"}, "green", {"staff"}));
  CHECK(allowed({}, "", {"staff", "pilots"}));
  CHECK_FALSE(allowed({"whole", "shared"}, "green", {"pilots"}));

  // Nobody knows yet in which of several a job will run: each of them must grant it.
  const Policy one = parse_policy("[partition.test]\nfrequency.control = true", "huddle.toml");
  CHECK(one.for_submitter({{"test"}, "", {}}).frequency_control);
  CHECK_FALSE(one.for_submitter({{"test", "main"}, "", {}}).frequency_control);
  CHECK_FALSE(one.for_submitter({{"main", "test"}, "", {}}).frequency_control);

  const Policy all = parse_policy(
      "frequency.control = true\n[group.guests]\nfrequency.control = false", "huddle.toml");
  CHECK(all.for_submitter({}).frequency_control);
  CHECK_FALSE(all.for_submitter({{}, "", {"guests"}}).frequency_control);
  CHECK_FALSE(all.frequencies_depend_on_job());
  CHECK_FALSE(Policy::defaults().grants_frequencies());
}

TEST_CASE("a packed job is charged no more, unless a table allows it and none forbids it") {
  const Policy policy = parse_policy(R"(
[partition.whole.limits]
higher_charge = true
[account.poor.limits]
higher_charge = false
)",
                                     "huddle.toml");
  const auto allowed = [&](const std::string& partition, const std::string& account) {
    return policy.for_submitter({{partition}, account, {}}).limits.higher_charge;
  };
  CHECK_FALSE(policy.limits.higher_charge.has_value());
  CHECK(allowed("whole", "rich") == true);
  CHECK(allowed("whole", "poor") == false);
  CHECK_FALSE(allowed("shared", "rich").has_value());
}

TEST_CASE("a site acts unasked if it, or any of its tables, has a mode other than off") {
  const auto acts = [](std::string_view text) {
    return parse_policy(text, "huddle.toml").acts_unasked();
  };
  CHECK_FALSE(acts(""));
  CHECK_FALSE(acts("[partition.test]\nmode = \"off\"\nslowdown = \"1%\""));
  CHECK(acts("mode = \"advise\""));
  CHECK(acts("[account.test]\nmode = \"profile\""));
  CHECK(acts("[group.test]\nmode = \"auto\""));
}

TEST_CASE("a site is switched off by one word, and on by default") {
  CHECK(Policy::defaults().enabled);
  CHECK_FALSE(parse_policy("enabled = false", "huddle.toml").enabled);
  CHECK(policy_refusal("enabled = \"no\"").ends_with("expected true or false"));
  CHECK(policy_refusal("[group.pilots]\nenabled = false").find("unknown key") != std::string::npos);
}

TEST_CASE("a site may say what node-hours and energy cost, and nothing is assumed") {
  const SiteRates none = parse_policy("", "huddle.toml").rates;
  CHECK(none.currency.empty());
  CHECK(!none.node_hour_price);
  CHECK(!none.kwh_price);
  CHECK(!none.co2_g_per_kwh);
  const SiteRates rates =
      parse_policy(
          "[report]\ncurrency = \"EUR\"\nnode_hour_price = 0.35\nkwh_price = 1\n"
          "co2_g_per_kwh = 380",
          "huddle.toml")
          .rates;
  CHECK(rates.currency == "EUR");
  CHECK(rates.node_hour_price == 0.35);
  CHECK(rates.kwh_price == 1);
  CHECK(rates.co2_g_per_kwh == 380);
  for (const char* value : {"-1", "\"1\"", "inf", "nan", "true"})
    CHECK(policy_refusal(std::string("report.kwh_price = ") + value)
              .ends_with("expected a number, 0 or more"));
  for (const char* value : {"1", "\"\"", "\"E R\"", "\"<b>\"", "\"dukatendukaten\""})
    CHECK(policy_refusal(std::string("report.currency = ") + value)
              .ends_with("expected the name of a currency, up to 8 letters"));
}

TEST_CASE("an objective, a frequency or a limit that there is not is refused with what there is") {
  const std::string range = "expected a range such as \"1.2GHz-2.4GHz\"";
  CHECK(policy_refusal("objective = \"power\"")
            .ends_with("found \"power\", expected energy, edp or time"));
  CHECK(policy_refusal("explore = \"yes\"").ends_with("found \"yes\", expected no or trial"));
  CHECK(policy_refusal("frequency.policy = \"low\"")
            .ends_with("expected keep, auto or a range such as 1.2GHz-2.4GHz"));
  CHECK(policy_refusal("frequency.control = \"yes\"").ends_with("expected true or false"));
  for (const char* value : {"1", "\"default\""})
    CHECK(policy_refusal(std::string("frequency.balance = ") + value)
              .ends_with("expected true, false or \"by default\""));
  for (const char* value : {"\"\"", "65534", "\"a b\"", "\"a\\nb\"", "\" \""})
    CHECK(policy_refusal(std::string("frequency.keeper_user = ") + value)
              .ends_with("expected the name of a user"));
  CHECK(policy_refusal("threads.allow = 1").ends_with("expected true, false or \"by default\""));
  CHECK(policy_refusal("[partition.p]\nfrequency.balance = true").find("unknown key") !=
        std::string::npos);
  CHECK(policy_refusal("frequency.journal = \"~/journal\"")
            .ends_with("expected the absolute path of a directory of each node"));
  CHECK(policy_refusal("limits.frequency = \"auto\"").ends_with(range));
  CHECK(policy_refusal("limits.frequency = \"2.4GHz-1.2GHz\"").ends_with(range));
  CHECK(policy_refusal("limits.frequency = 2").ends_with(range));
  const std::string modes = "expected an array of off, profile, advise and auto";
  for (const char* value : {"\"auto\"", "[\"on\"]", "[1]", "[[\"auto\"]]", "true"})
    CHECK(policy_refusal(std::string("limits.modes = ") + value).ends_with(modes));
  for (const char* value : {"0", "-1", "2147483648", "1.5", "\"2\""})
    CHECK(policy_refusal(std::string("limits.least_nodes = ") + value)
              .ends_with("expected a whole number, 1 or more"));
  for (const char* value : {"-1", "36501", "\"30\"", "1.5"})
    CHECK(policy_refusal(std::string("profiles.keep_days = ") + value)
              .ends_with("expected a whole number of days, 0 for ever"));
}

TEST_CASE("every key is read, in tables or dotted") {
  const char* tables = R"(
mode = "auto" # a comment
slowdown = "10%"
risk = "interval"
[profiles]
directory = "/shared/huddle"
samples = 1
[machine]
file = "/etc/huddle/machine.json"
model = "/etc/huddle/model.json"
[programs]
huddle = "/opt/bin/huddle"
modules = "/opt/lib"
)";
  const char* dotted = R"(
mode = "auto"
slowdown = 0.1
risk = "interval"
profiles.directory = "/shared/huddle"
profiles.samples = 1
machine = { file = "/etc/huddle/machine.json", model = "/etc/huddle/model.json" }
programs.huddle = "/opt/bin/huddle"
programs.modules = "/opt/lib"
)";
  for (const char* text : {tables, dotted}) {
    const Policy policy = parse_policy(text, "huddle.toml");
    CHECK(policy.mode == Mode::kAuto);
    CHECK(policy.slowdown == doctest::Approx(0.1));
    CHECK(policy.whole_interval);
    CHECK(policy.samples == 1);
    CHECK(policy.model_file == "/etc/huddle/model.json");
    CHECK(policy.profiles_directory == "/shared/huddle");
    CHECK(policy.machine_file == "/etc/huddle/machine.json");
    CHECK(policy.huddle == "/opt/bin/huddle");
    CHECK(policy.recorder == "/opt/lib/libhuddle_recorder.so");
    CHECK(policy.mpirun_helper == "/opt/lib/mca_schizo_huddle.so");
  }
}

TEST_CASE("modes have the names that users type") {
  for (const Mode mode : {Mode::kOff, Mode::kProfile, Mode::kAdvise, Mode::kAuto})
    CHECK(mode_of(name_of(mode)) == mode);
  CHECK(name_of(Mode::kAdvise) == "advise");
  for (const std::string_view name : {"", "Auto", "on", "auto ", "aut"})
    CHECK_FALSE(mode_of(name).has_value());
}

TEST_CASE("a key that huddle does not know is refused with its place") {
  const std::string known = "found an unknown key, expected a key of huddle.toml(5)";
  CHECK(policy_refusal("mode = \"off\"\nslowdwon = 1\n") ==
        "huddle.toml: line 2, column 12, key slowdwon: " + known + ": slowdown?");
  CHECK(policy_refusal("[profiles]\ndir = \"/x\"\n") ==
        "huddle.toml: line 2, column 7, key profiles.dir: " + known);
  CHECK(policy_refusal("[partitions]\n") ==
        "huddle.toml: line 1, column 1, key partitions: " + known);
  CHECK(policy_refusal("[partition.debug]\nmdoe = \"off\"\n") ==
        "huddle.toml: line 2, column 8, key partition.debug.mdoe: " + known + ": mode?");
  CHECK(policy_refusal("[partition.debug]\nprofiles.samples = 1\n").ends_with(": " + known));
  CHECK(policy_refusal("[profiles.directory]\n")
            .ends_with("key profiles.directory: found a table, expected a directory whose path "
                       "begins with / or ~/"));
  CHECK(policy_refusal("[prof]\n").ends_with("key prof: " + known));
  CHECK(policy_refusal("mode.x = 1\n")
            .ends_with("key mode: found a table, expected off, profile, advise "
                       "or auto"));
  CHECK(policy_refusal("\"\" = 1\n").find("an unknown key") != std::string::npos);
}

TEST_CASE("a key of an earlier version is refused with what replaces it") {
  CHECK(policy_refusal("[programs]\nrecorder = \"/opt/lib/libhuddle_recorder.so\"\n") ==
        "huddle.toml: line 2, column 12, key programs.recorder: found a key of an earlier version, "
        "expected programs.modules, the folder that it is in");
  CHECK(
      policy_refusal("threads.auto_by_default = true")
          .ends_with("found a key of an earlier version, expected threads.allow = \"by default\""));
}

TEST_CASE("the error about a value in place of a table says what belongs there") {
  CHECK(policy_refusal("profiles = 3\n") ==
        "huddle.toml: line 1, column 12, key profiles: found 3, expected a table");
}

TEST_CASE("a value of the wrong type or out of range is refused with its place") {
  const std::string share = "expected a share such as \"5%\" or 0.05, from 0 to 1";
  const std::string modes = "expected off, profile, advise or auto";
  CHECK(policy_refusal("mode = \"on\"") ==
        "huddle.toml: line 1, column 8, key mode: found \"on\", " + modes);
  CHECK(policy_refusal("mode = true").ends_with("found true, " + modes));
  CHECK(policy_refusal("mode = [\"auto\"]").ends_with("found an array, " + modes));
  CHECK(policy_refusal("mode = 0x0").ends_with("found 0, " + modes));
  CHECK(policy_refusal("mode = 0b0").ends_with("found 0, " + modes));
  CHECK(policy_refusal("mode = 0.5").ends_with("found 0.5, " + modes));
  CHECK(policy_refusal("mode = 07:32:00").ends_with("found a date or a time, " + modes));
  CHECK(policy_refusal("slowdown = 5").ends_with("found 5, " + share));
  for (const char* value :
       {"-0.1", "1.01", "nan", "inf", "\"5 percent\"", "\"\"", "\"200%\"", "\"-1%\"", "true",
        "[0.1]", "{}", "1979-05-27", "\"%\"", "\"nan\"", "\"0x1p-3\"", "\" 5%\""}) {
    CAPTURE(value);
    CHECK(policy_refusal(std::string("slowdown = ") + value).ends_with(share));
  }
  CHECK(policy_refusal("profiles.directory = \"\"")
            .ends_with("expected a directory whose path begins with / or ~/"));
  CHECK(
      policy_refusal("profiles.directory = \"stored/profiles\"").ends_with("begins with / or ~/"));
  CHECK(policy_refusal("machine.file = \"~/machine.json\"")
            .ends_with("the absolute path of a machine document"));
  CHECK(policy_refusal("profiles.directory = 1")
            .ends_with("found 1, expected a directory whose path begins with / or ~/"));
  CHECK(policy_refusal("machine.file = false")
            .ends_with("expected the absolute path of a machine document"));
  CHECK(policy_refusal("programs.huddle = []")
            .ends_with("expected the absolute path of the huddle command"));
  CHECK(policy_refusal("programs.modules = \"lib\"")
            .ends_with("found \"lib\", expected the absolute path of the folder of "
                       "libhuddle_recorder.so"));
}

TEST_CASE("a policy file larger than any policy is refused") {
  const store::TemporaryDirectory directory;
  const auto path = directory.path() / "huddle.toml";
  store::put_file(path, "mode = \"auto\"\n");
  CHECK(load_policy(path).mode == Mode::kAuto);
  store::put_file(path, std::string((1U << 20U) + 1, '\n'));
  CHECK_THROWS_AS(load_policy(path), FormatError);
  CHECK_THROWS_AS(load_policy(directory.path() / "none"), SystemError);
}

TEST_CASE("a share is written as a percentage or as a part of one") {
  CHECK(parse_share("5%") == doctest::Approx(0.05));
  CHECK(parse_share("5 %") == doctest::Approx(0.05));
  CHECK(parse_share("0.05") == 0.05);
  CHECK(parse_share("0") == 0.0);
  CHECK(parse_share("100%") == 1.0);
  CHECK(parse_share("1e-2") == 0.01);
  for (const std::string_view text :
       {"", "%", "5%%", "five", "-0", "101%", "1.5", "nan", "inf", "0,05", " 5%", "5% ", "+5%"}) {
    CAPTURE(text);
    if (text == "-0")
      CHECK(parse_share(text) == 0.0);
    else
      CHECK_FALSE(parse_share(text).has_value());
  }
}

}  // namespace
}  // namespace huddle
