#include "spank_plugin/submission/asked/aggregate_option.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::submission {
namespace {

AggregateOption parsed(std::string_view text) {
  return parse_aggregate_option(text, "--energy-aggregate");
}

std::string refusal(std::string_view text) {
  return error_of<UsageError>([&] { parsed(text); });
}

TEST_CASE("an option without a text says nothing") {
  const AggregateOption option = parsed("");
  CHECK_FALSE(option.mode.has_value());
  CHECK_FALSE(option.slowdown.has_value());
  CHECK_FALSE(option.nodes.has_value());
  CHECK(option.label == "");
}

TEST_CASE("every mode and every key is read") {
  CHECK(parsed("off").mode == Mode::kOff);
  CHECK(parsed("profile").mode == Mode::kProfile);
  CHECK(parsed("advise").mode == Mode::kAdvise);
  const AggregateOption option = parsed(
      "auto,slowdown=3%,objective=edp,nodes=keep,samples=1,label=my run,profile=p.json,"
      "frequency=1.2GHz-2.4GHz,size=64x64");
  CHECK(option.mode == Mode::kAuto);
  CHECK(option.slowdown == doctest::Approx(0.03));
  CHECK(option.objective == Objective::kEdp);
  CHECK(option.nodes == NodesWish::kKeep);
  CHECK(parse_aggregate_option("nodes=fewer", "o").nodes == NodesWish::kFewer);
  CHECK(option.samples == 1);
  CHECK(option.label == "my run");
  CHECK(option.size == 4096);
  CHECK(option.profile == "p.json");
  CHECK(option.frequency->range == FrequencyRange{{1.2e9}, {2.4e9}});
  CHECK(parsed("plan=/tmp/a=b.json").plan == "/tmp/a=b.json");
}

TEST_CASE("the mode may be left out, in front of keys in any order") {
  const AggregateOption option = parsed("samples=2,slowdown=0.1");
  CHECK_FALSE(option.mode.has_value());
  CHECK(option.samples == 2);
  CHECK(option.slowdown == 0.1);
}

TEST_CASE("an unknown word or key is reported with all that there are") {
  const std::string known =
      ", it takes off, profile, advise or auto, and behind it, parted by commas, "
      "slowdown=, objective=, nodes=, samples=, label=, profile=, plan=, frequency=, trace=, "
      "energy=, "
      "threads=, size=";
  CHECK(refusal("fast") == "--energy-aggregate: \"fast\" is not known" + known);
  for (const char* text : {",", "auto,", ",auto", "auto,,samples=1", "auto,off", "samples=1,auto",
                           "Auto", " auto", "auto,slowdown", "=", "auto,=3", "auto, samples=1"}) {
    CAPTURE(text);
    CHECK(refusal(text).ends_with(known));
  }
}

TEST_CASE("a slip in a word or key is shown beside what was meant") {
  CHECK(
      refusal("slowdwon=3%")
          .starts_with("--energy-aggregate: \"slowdwon=3%\" is not known (slowdown=?), it takes "));
  CHECK(refusal("auto,node=keep").find("\"node=keep\" is not known (nodes=?), ") !=
        std::string::npos);
  CHECK(refusal("atuo").find("\"atuo\" is not known (auto?), ") != std::string::npos);
}

TEST_CASE("a value that a key does not take is reported with those that it takes") {
  CHECK(refusal("slowdown=fast") ==
        "--energy-aggregate: slowdown=fast is not understood, slowdown takes a share such as 3% or "
        "0.03, from 0 to 1");
  CHECK(refusal("slowdown=").ends_with("slowdown takes a share such as 3% or 0.03, from 0 to 1"));
  CHECK(refusal("slowdown=300%").find("is not understood") != std::string::npos);
  CHECK(refusal("objective=power").ends_with("objective takes energy, edp or time"));
  CHECK(refusal("nodes=4").ends_with("nodes takes keep or fewer"));
  CHECK(refusal("samples=3").ends_with("samples takes 1 or 2"));
  CHECK(refusal("samples=0").ends_with("samples takes 1 or 2"));
  CHECK(refusal("frequency=low").ends_with("keep, auto or a range such as 1.2GHz-2.4GHz"));
  CHECK(refusal("frequency=2.4GHz-1.2GHz").find("is not understood") != std::string::npos);
  CHECK(refusal("trace=yes").ends_with("trace takes on or off"));
  for (const char* text : {"size=", "size=0", "size=-4", "size=inf", "size=4x", "size=large"})
    CHECK(refusal(text).ends_with(
        "size takes a number above 0 such as 4096 or 1e6, or a product such as 64x64x32"));
  CHECK(refusal("label=").ends_with("a name of 1 to 4096 bytes, without commas"));
  CHECK(refusal("plan=").ends_with("the path of a plan, without commas"));
  CHECK(refusal("profile=" + std::string(4097, 'x')).find("is not understood") !=
        std::string::npos);
}

TEST_CASE("a key that is there twice is refused, even with the same value") {
  CHECK(refusal("samples=1,samples=1") ==
        "--energy-aggregate: samples is there twice, say it once");
}

TEST_CASE("keys that contradict each other are refused with the reason") {
  CHECK(refusal("plan=a,profile=b") ==
        "--energy-aggregate: plan= and profile= contradict each other: the plan is made already");
  CHECK(refusal("slowdown=3%,plan=a").find("plan= and slowdown=") != std::string::npos);
  CHECK(refusal("plan=a,objective=time").find("plan= and objective=") != std::string::npos);
  CHECK(refusal("plan=a,nodes=keep").find("plan= and nodes=keep") != std::string::npos);
  CHECK(refusal("advise,plan=a").find("plan= and advise") != std::string::npos);
  CHECK(refusal("profile,profile=a").find("profile and profile=") != std::string::npos);
  CHECK(refusal("auto,trace=on") ==
        "--energy-aggregate: trace=on and auto contradict each other: a run is traced with mode "
        "profile");
  CHECK(parsed("auto,trace=off").trace == false);
  CHECK(parsed("off,plan=a,frequency=keep").mode == Mode::kOff);
}

TEST_CASE("a run is traced if that was said, here or as a default") {
  CHECK(parsed("profile,trace=on").trace == true);
  CHECK_FALSE(parsed("profile").trace.has_value());
  const AggregateOption defaults = parsed("trace=on");
  CHECK(parsed("profile").with_defaults(defaults).trace == true);
  CHECK(parsed("profile,trace=off").with_defaults(defaults).trace == false);
}

TEST_CASE("clocks follow loads if that was said, here or as a default") {
  CHECK(parsed("auto,energy=balance").balance == true);
  CHECK(parsed("energy=plan").balance == false);
  CHECK_FALSE(parsed("auto").balance.has_value());
  const AggregateOption defaults = parsed("energy=balance");
  CHECK(parsed("auto").with_defaults(defaults).balance == true);
  CHECK(parsed("auto,energy=plan").with_defaults(defaults).balance == false);
  CHECK(refusal("energy=yes").find("energy takes balance or plan") != std::string::npos);
}

TEST_CASE("threads are acted on if that was said, here or as a default") {
  CHECK(parsed("auto,threads=auto").threads == true);
  CHECK(parsed("threads=keep").threads == false);
  CHECK_FALSE(parsed("auto").threads.has_value());
  const AggregateOption defaults = parsed("threads=auto");
  CHECK(parsed("auto").with_defaults(defaults).threads == true);
  CHECK(parsed("auto,threads=keep").with_defaults(defaults).threads == false);
  CHECK(refusal("threads=4").find("threads takes auto, pack or keep") != std::string::npos);
  CHECK_FALSE(parsed("threads=auto").packs_threads);
  CHECK(parsed("threads=pack").packs_threads);
  CHECK(parsed("threads=pack").threads == true);
  CHECK(parsed("auto").with_defaults(parsed("threads=pack")).packs_threads);
  CHECK_FALSE(parsed("threads=auto").with_defaults(parsed("threads=pack")).packs_threads);
}

TEST_CASE("an error is one line, whatever was typed") {
  const std::string error = refusal("a\nb\x1b");
  CHECK(error != "");
  CHECK(error.find('\n') == std::string::npos);
  CHECK(error.find('\x1b') == std::string::npos);
}

TEST_CASE("the option wins over its defaults, key by key") {
  const AggregateOption defaults = parsed("advise,slowdown=2%,label=a,profile=p,size=9");
  const AggregateOption both = parsed("slowdown=7%,samples=1").with_defaults(defaults);
  CHECK(both.mode == Mode::kAdvise);
  CHECK(both.slowdown == doctest::Approx(0.07));
  CHECK(both.samples == 1);
  CHECK(both.label == "a");
  CHECK(both.size == 9);
  CHECK(parsed("size=10").with_defaults(defaults).size == 10);
  CHECK(both.profile == "p");
  const AggregateOption other_file = parsed("plan=q").with_defaults(defaults);
  CHECK(other_file.plan == "q");
  CHECK(other_file.profile == "");
}

}  // namespace
}  // namespace huddle::submission
