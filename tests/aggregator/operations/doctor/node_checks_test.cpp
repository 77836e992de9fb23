// Checks of one machine, on pretended files of the system.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "aggregator/operations/doctor/hardware_checks.hpp"
#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/operations/doctor/profile_directory_check.hpp"
#include "aggregator/operations/doctor/site_file_checks.hpp"
#include "profiles/energyd/daemon/socket_server.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/store/store.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;
using namespace huddle::doctor;

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

void add_core(const fs::path& sysfs, int number, const std::string& driver,
              const std::string& governor) {
  const fs::path core = sysfs / "devices/system/cpu" / ("cpu" + std::to_string(number));
  fs::create_directories(core);
  if (driver.empty()) return;
  write(core / "cpufreq/scaling_driver", driver);
  write(core / "cpufreq/scaling_governor", governor);
}

}  // namespace

TEST_CASE("cores with one driver and one governor are well") {
  const store::TemporaryDirectory sysfs;
  add_core(sysfs.path(), 0, "acpi-cpufreq", "schedutil");
  add_core(sysfs.path(), 1, "acpi-cpufreq", "schedutil");
  write(sysfs.path() / "devices/system/cpu/cpufreq/boost", "1");
  const Examined examined = check_frequencies(sysfs.path(), true);
  CHECK(examined.finding.verdict == Verdict::kOk);
  CHECK(examined.finding.what == "driver acpi-cpufreq, governor schedutil on 2 PUs");
  CHECK(examined.facts.at(kGovernorFact) == "schedutil");
}

TEST_CASE("cores whose governors differ, or of which some have no driver, are warned of") {
  const store::TemporaryDirectory sysfs;
  add_core(sysfs.path(), 0, "acpi-cpufreq", "schedutil");
  add_core(sysfs.path(), 1, "acpi-cpufreq", "powersave");
  CHECK(check_frequencies(sysfs.path(), false).finding.verdict == Verdict::kWarning);
  const store::TemporaryDirectory other;
  add_core(other.path(), 0, "acpi-cpufreq", "schedutil");
  add_core(other.path(), 1, "", "");
  CHECK(check_frequencies(other.path(), false).finding.what.find("1 of 2 PUs") !=
        std::string::npos);
}

TEST_CASE("no cpufreq matters only where Huddle is to set frequencies") {
  const store::TemporaryDirectory sysfs;
  add_core(sysfs.path(), 0, "", "");
  CHECK(check_frequencies(sysfs.path(), false).finding.verdict == Verdict::kOk);
  CHECK(check_frequencies(sysfs.path(), true).finding.verdict == Verdict::kWarning);
}

TEST_CASE("an energy meter that can be read is named, one that can't is reported with its reason") {
  const store::TemporaryDirectory sysfs;
  CHECK(check_energy_meters(sysfs.path()).verdict == Verdict::kWarning);
  write(sysfs.path() / "cray/pm_counters/energy", "1000 J 0 us");
  CHECK(check_energy_meters(sysfs.path()).what == "energy meters: node");
}

namespace {

// The doctor's finding where a daemon gives that answer, at a socket in a folder of that mode.
Finding finding_with(const energyd::EnergyAnswer& answer, mode_t mode = 0755) {
  const store::TemporaryDirectory folder;
  ::chmod(folder.path().c_str(), mode);
  const auto socket = folder.path() / "socket";
  energyd::SocketServer server(
      socket, energyd::kMostEnergyRequestBytes,
      {[&](std::string_view, const energyd::Peer&) { return text_of(answer); }}, {});
  std::thread serving(
      [&] { server.serve(std::chrono::steady_clock::now() + std::chrono::milliseconds(300), {}); });
  const Finding finding = check_energy_meters(folder.path(), socket);
  serving.join();
  return finding;
}

}  // namespace

TEST_CASE("where huddle-energyd answers jobs know their energy, whatever users can read") {
  energyd::EnergyAnswer refused;
  refused.refusal = "you have no step on this node";  // as most users who run the doctor
  for (const energyd::EnergyAnswer& answer : {energyd::EnergyAnswer{}, refused}) {
    CHECK(finding_with(answer).verdict == Verdict::kOk);
    CHECK(finding_with(answer).what == "huddle-energyd tells jobs what they took");
  }
}

TEST_CASE("a daemon that answers root and that no user gets to is wrong") {
  if (::geteuid() != 0) return;
  const Finding finding = finding_with(energyd::EnergyAnswer{}, 0700);
  CHECK(finding.verdict == Verdict::kWrong);
  CHECK(finding.what.find("users can't ask huddle-energyd, which runs: ") == 0);
  CHECK(finding.what.find("Permission denied") != std::string::npos);
}

TEST_CASE("what keeps huddle-energyd from seeing steps is a warning with its advice") {
  energyd::EnergyAnswer answer;
  answer.trouble = {"/proc hides other users' processes", "let it see them"};
  const Finding seen_by_root = finding_with(answer);
  CHECK(seen_by_root.verdict == Verdict::kWarning);
  CHECK(seen_by_root.what == "/proc hides other users' processes");
  CHECK(seen_by_root.advice == "let it see them");
  answer.refusal = "you have no step on this node";
  CHECK(finding_with(answer).verdict == Verdict::kWarning);
}

TEST_CASE("counters that are forbidden are explained by perf_event_paranoid") {
  const store::TemporaryDirectory folder;
  write(folder.path() / "proc/sys/kernel/perf_event_paranoid", "4");
  const Finding finding = check_counters(folder.path() / "sys", folder.path() / "proc");
  if (finding.verdict ==
      Verdict::kWarning)  // a machine that counts all the same has nothing to explain
    CHECK(finding.advice.find("kernel.perf_event_paranoid (now 4)") != std::string::npos);
}

TEST_CASE("a policy is valid, missing by default, missing though it was named, or wrong") {
  const store::TemporaryDirectory folder;
  const fs::path file = folder.path() / "huddle.toml";
  CHECK(check_policy({file, false}).finding.verdict == Verdict::kOk);
  CHECK(check_policy({file, false}).facts.at(kPolicyFact) == "none");
  CHECK(check_policy({file, true}).finding.verdict == Verdict::kWrong);
  write(file, "slowdown = \"3%\"");
  const ExaminedPolicy good = check_policy({file, true});
  CHECK(good.finding.verdict == Verdict::kOk);
  REQUIRE(good.policy);
  CHECK(good.policy->slowdown == doctest::Approx(0.03));
  write(file, "slowdown = 3.5 5");
  const ExaminedPolicy bad = check_policy({file, true});
  CHECK(bad.finding.verdict == Verdict::kWrong);
  CHECK_FALSE(bad.policy);
  CHECK(bad.facts.empty());
}

TEST_CASE("a policy that others may write is wrong, though it is valid") {
  const store::TemporaryDirectory folder;
  const fs::path file = folder.path() / "huddle.toml";
  write(file, "slowdown = \"3%\"");
  fs::permissions(file, fs::perms{0646});
  const ExaminedPolicy open = check_policy({file, true});
  CHECK(open.finding.verdict == Verdict::kWrong);
  CHECK(open.finding.advice.ends_with("chmod go-w " + file.string()));
  CHECK_FALSE(open.policy);  // nothing that it names is tried
  fs::permissions(file, fs::perms{0644});
  CHECK(check_policy({file, true}).finding.verdict == Verdict::kOk);
}

TEST_CASE("two policies with one content are alike, with another one they are not") {
  const store::TemporaryDirectory folder;
  const fs::path file = folder.path() / "huddle.toml";
  write(file, "slowdown = \"3%\"");
  const std::string first = check_policy({file, true}).facts.at(kPolicyFact);
  CHECK(check_policy({file, true}).facts.at(kPolicyFact) == first);
  write(file, "slowdown = \"4%\"");
  CHECK(check_policy({file, true}).facts.at(kPolicyFact) != first);
}

TEST_CASE("no machine document and no model are warned of, unreadable ones are wrong") {
  Policy policy = Policy::defaults();
  CHECK(check_machine(policy, false).finding.verdict == Verdict::kWarning);
  CHECK(check_model(policy).finding.verdict == Verdict::kWarning);
  policy.machine_file = policy.model_file = "/nonexistent/document.json";
  CHECK(check_machine(policy, false).finding.verdict == Verdict::kWrong);
  CHECK(check_machine(policy, false).facts.empty());
  CHECK(check_model(policy).finding.verdict == Verdict::kWrong);
}

TEST_CASE("the journal matters only where Huddle sets frequencies, and must be root's alone") {
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.frequency_journal = (folder.path() / "journal").string();
  CHECK(check_journal(policy).verdict == Verdict::kOk);
  policy.frequency_control = true;
  CHECK(check_journal(policy).what.find("is missing") != std::string::npos);
  fs::create_directory(policy.frequency_journal);
  for (const mode_t mode : {0777U, 0755U}) {
    ::chmod(policy.frequency_journal.c_str(), mode);
    CHECK(check_journal(policy).what.find("others than root may open") != std::string::npos);
  }
}

TEST_CASE("the watcher's program must be there, and root's alone") {
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.clocks = (folder.path() / "huddle_clocks").string();
  CHECK(check_watcher(policy).what.find("is missing") != std::string::npos);
  std::ofstream(policy.clocks) << "a program";
  ::chmod(policy.clocks.c_str(), 0775);
  CHECK(check_watcher(policy).what.find("others than root may write") != std::string::npos);
  policy.clocks = "/bin/true";
  CHECK(check_watcher(policy).verdict == Verdict::kOk);
}

TEST_CASE("a probe shows in the directory of profiles while it exists, and not elsewhere") {
  const store::TemporaryDirectory folder;
  const store::TemporaryDirectory elsewhere;
  ::chmod(folder.path().c_str(), 01777);
  ::chmod(elsewhere.path().c_str(), 01777);
  Policy policy = Policy::defaults();
  policy.profiles_directory = folder.path().string();
  {
    const Probe probe(policy);
    REQUIRE_FALSE(probe.name().empty());
    CHECK(check_profile_directory(policy, probe.name(), "n0").verdict == Verdict::kOk);
    policy.profiles_directory = elsewhere.path().string();
    CHECK(check_profile_directory(policy, probe.name(), "n0").what.find("is not the directory") !=
          std::string::npos);
  }
  CHECK(fs::is_empty(folder.path()));
  CHECK(fs::is_empty(elsewhere.path()));
}

TEST_CASE("a directory of profiles must exist, and be for all") {
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.profiles_directory = (folder.path() / "none").string();
  CHECK(check_profile_directory(policy, "", "n0").what.ends_with("does not exist"));
  policy.profiles_directory = folder.path().string();
  ::chmod(folder.path().c_str(), 0777);
  const Finding finding = check_profile_directory(policy, "", "n0");
  CHECK(finding.verdict == Verdict::kWarning);
  CHECK(finding.advice == "as root: chmod 1777 " + folder.path().string());
}

TEST_CASE("a folder that has a user's name and is not the user's is reported") {
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.profiles_directory = folder.path().string();
  fs::create_directory(folder.path() / store::current_user());
  fs::create_directory(folder.path() / "no-such-user-here");
  CHECK_FALSE(check_owners_of_folders(policy).has_value());
  fs::remove(folder.path() / store::current_user());
  fs::create_symlink(folder.path(), folder.path() / store::current_user());
  const auto finding = check_owners_of_folders(policy);
  REQUIRE(finding.has_value());
  CHECK(finding->verdict == Verdict::kWarning);
  CHECK(finding->what == fmt::format("in {}, 1 of users' names is not their directories: {}",
                                     folder.path().string(), store::current_user()));
}

TEST_CASE(
    "a recorder that can't be loaded is wrong where its MPI is, and no fault where another is") {
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.recorder = (folder.path() / "librecorder.so").string();
  write(policy.recorder, "");
  write(folder.path() / "librecorder_mpich.so", "");
  const auto said = [](const std::string& by_linker, const std::string& by_loader) {
    return [=](const std::vector<std::string>& command) {
      return command[0].ends_with("ldconfig") ? by_linker : by_loader;
    };
  };
  auto findings = check_recorders(policy, said("libmpi.so.40 (libc6,x86-64)", ""));
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].verdict == Verdict::kOk);
  CHECK(findings[1].what.find("the linker knows no such MPI here") != std::string::npos);
  const std::string complaint =
      "ERROR: ld.so: object 'x' from LD_PRELOAD cannot be preloaded (file too short): ignored.\n";
  findings = check_recorders(policy, said("libmpi.so.40 (libc6,x86-64)", complaint));
  CHECK(findings[0].verdict == Verdict::kWrong);
  CHECK(findings[0].what.find("(file too short)") != std::string::npos);
  CHECK(findings[1].verdict == Verdict::kOk);
  CHECK(findings[1].what.starts_with("MPICH is not installed here"));
  findings = check_recorders(policy, said("libmpich.so.12 (libc6,x86-64)", complaint));
  CHECK(findings[0].verdict == Verdict::kOk);
  CHECK(findings[1].verdict == Verdict::kWrong);
  // The standard ABI is named where its library or its recorder is.
  findings = check_recorders(policy, said("libmpi_abi.so.1 (libc6,x86-64)", ""));
  REQUIRE(findings.size() == 3);
  CHECK(findings[2].verdict == Verdict::kWarning);
  CHECK(findings[2].what.find("without a recorder for MPI's standard ABI") != std::string::npos);
  write(folder.path() / "librecorder_abi.so", "");
  findings = check_recorders(policy, said("libmpi_abi.so.1 (libc6,x86-64)", complaint));
  REQUIRE(findings.size() == 3);
  CHECK(findings[2].verdict == Verdict::kWrong);
  fs::remove(folder.path() / "librecorder_abi.so");
  // Where none is, any may come by modules.
  fs::remove(policy.recorder);
  findings = check_recorders(policy, said("", ""));
  CHECK(findings[0].verdict == Verdict::kWarning);
  CHECK(findings[0].what.find("No such file or directory") != std::string::npos);
}
