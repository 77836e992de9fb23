// huddle study: what packing would free on a site, by its own records.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/commands/study/study_output.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/study/dump_reader.hpp"
#include "aggregator/study/dump_source.hpp"
#include "aggregator/study/node_size.hpp"
#include "aggregator/study/site_study.hpp"
#include "aggregator/study/site_tally.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string machine;
  std::vector<std::string> partitions;
  std::optional<std::string> slowdown;
  std::string html;
  bool json = false;
};

using Machines = std::map<std::string, Machine>;

Machines machines_of_partitions(const Options& options) {
  Machines machines;
  for (const std::string& text : options.partitions) {
    const std::size_t mark = text.rfind('=');
    if (mark == std::string::npos || mark == 0 || mark + 1 == text.size())
      throw UsageError(fmt::format("--partition {}: expected NAME=MACHINE", shortened(text)));
    machines.insert_or_assign(text.substr(0, mark), machine_named(text.substr(mark + 1)));
  }
  return machines;
}

void read_dump(const std::string& file, study::SiteTally& tally, StudyReport& report) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  study::DumpSource source(file);
  study::DumpReader reader(file == "-" ? "the standard input" : file,
                           [&](const study::DumpedJob& job) { tally.add(job); });
  std::optional<render::Progress> progress;
  std::optional<render::StepProgress> step;
  if (source.size())
    progress.emplace("MiB of " + shortened(file) + " read:");
  else
    step.emplace("the length of what is read is not known");
  if (step) step->begin("jobs are read");
  std::size_t done = 0;
  for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) {
    reader.read(piece);
    done += piece.size();
    if (progress) progress->show(done / kMebibyte, *source.size() / kMebibyte);
  }
  reader.finish();
  const study::DumpFaults& faults = reader.faults();
  report.lines += reader.lines();
  report.faults.broken_lines += faults.broken_lines;
  report.faults.stray_steps += faults.stray_steps;
  report.faults.first_broken.insert(report.faults.first_broken.end(), faults.first_broken.begin(),
                                    faults.first_broken.end());
}

// Each partition has two names: its own, and with its cluster in front.
std::vector<study::NodeSize> nodes_of(const study::SiteTally& tally, const Machines& machines,
                                      const std::optional<Machine>& general,
                                      std::vector<std::string>& notes) {
  std::vector<study::NodeSize> nodes;
  std::set<std::string> used;
  for (const study::Partition& partition : tally.partitions()) {
    auto given = machines.find(partition.cluster + "/" + partition.name);
    if (given == machines.end()) given = machines.find(partition.name);
    if (given != machines.end()) {
      nodes.push_back(study::node_of(given->second, partition.seen));
      used.insert(given->first);
    } else {
      nodes.push_back(general ? study::node_of(*general, partition.seen) : partition.seen.learnt());
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const study::Partition& partition = tally.partitions()[i];
    if (nodes[i].machine && nodes[i].cpus != partition.seen.most_cpus())
      notes.push_back(
          fmt::format("a node of machine {} has {} CPUs, and no job had so many of a node of "
                      "partition {}, but {} at most: expected the document of its nodes",
                      shortened(nodes[i].machine->name), nodes[i].cpus, shortened(partition.name),
                      partition.seen.most_cpus()));
  }
  for (const auto& [name, machine] : machines)
    if (!used.contains(name))
      throw UsageError(
          fmt::format("--partition {}: no job ran in a partition of that name", shortened(name)));
  return nodes;
}

void add_fault_notes(StudyReport& report) {
  const study::DumpFaults& faults = report.faults;
  for (const std::string& sentence : faults.first_broken) report.notes.push_back(sentence);
  if (faults.broken_lines > 0)
    report.notes.push_back(fmt::format("{} broken line(s) passed over", faults.broken_lines));
  if (faults.stray_steps > 0)
    report.notes.push_back(fmt::format(
        "{} row(s) of steps do not follow their job and are not counted: expected the order in "
        "which sacct prints them",
        faults.stray_steps));
}

void run(const Options& options) {
  if (!options.html.empty()) render::refuse_to_replace(options.files, "--html", options.html);
  StudyReport report;
  study::StudyOptions how;
  how.slowdown = options.slowdown ? share_from("--slowdown", *options.slowdown)
                                  : site_policy(report.notes).slowdown;
  const Machines machines = machines_of_partitions(options);
  std::optional<Machine> general;
  if (!options.machine.empty()) general = machine_named(options.machine);
  study::SiteTally tally;
  for (const std::string& file : options.files) read_dump(file, tally, report);
  add_fault_notes(report);
  how.nodes = nodes_of(tally, machines, general, report.notes);
  for (const std::string& note : report.notes) fmt::print(stderr, "huddle: {}\n", note);
  how.threads = std::max(1U, std::thread::hardware_concurrency());
  {
    render::StepProgress progress("");
    progress.begin("what is not known is drawn");
    report.study = study::study_site(tally, how);
  }
  if (!options.html.empty()) render::put_out(study_page(report), options.html);
  render::put_out(options.json ? study_json(report) : study_text(report));
}

}  // namespace

void add_study_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "study",
      "Say what packing would free on this site, by the records of its accounting; nothing is run "
      "or changed");
  command
      ->add_option("FILE", options->files,
                   "what sacct --allusers --parsable2 printed, also compressed; - is the standard "
                   "input")
      ->required()
      ->take_all();
  command
      ->add_option("-m,--machine", options->machine,
                   "the nodes of all partitions: a machine document, or the name of one that comes "
                   "with Huddle (default: as learnt from jobs that had whole nodes)")
      ->value("MACHINE");
  command
      ->add_option("--partition", options->partitions,
                   "the nodes of one partition; may be given several times")
      ->value("NAME=MACHINE")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--slowdown", options->slowdown,
                   "the bound: how much longer a packed job may take, such as 5% (default: the "
                   "site's, else 5%)")
      ->value("SHARE");
  command
      ->add_option("--html", options->html,
                   "write a page for a browser to this file as well, which needs nothing else")
      ->value("FILE");
  command->add_flag("--json", options->json, "all figures as JSON");
  command->add_example("huddle study jobs.txt --machine mycluster.json");
  command->add_example("huddle study jobs.txt --html page.html");
  command->add_example("zstdcat jobs.zst | huddle study -");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
