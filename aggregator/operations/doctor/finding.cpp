#include "aggregator/operations/doctor/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiles/formats/document/document.hpp"

namespace huddle::doctor {
namespace {

constexpr std::array<std::string_view, 3> kVerdicts = {"ok", "warning", "wrong"};
constexpr std::size_t kMostNames = 4;

std::size_t count_of(const std::vector<Finding>& findings, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.verdict == verdict; }));
}

// Findings of here that nodes have, too, are one line: the one of the nodes.
bool is_said_of_nodes(const Finding& finding, const std::vector<Finding>& findings) {
  return finding.nodes.empty() && finding.verdict != Verdict::kOk &&
         std::any_of(findings.begin(), findings.end(), [&](Finding other) {
           if (other.nodes.empty()) return false;
           other.nodes.clear();
           return other == finding;
         });
}

bool was_found_here(Finding finding, const std::vector<Finding>& findings) {
  if (finding.nodes.empty() || finding.verdict == Verdict::kOk) return false;
  finding.nodes.clear();
  return std::find(findings.begin(), findings.end(), finding) != findings.end();
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

Finding ok(std::string check, std::string what) {
  return {std::move(check), Verdict::kOk, std::move(what), {}, {}};
}

Finding warning(std::string check, std::string what, std::string advice) {
  return {std::move(check), Verdict::kWarning, std::move(what), std::move(advice), {}};
}

Finding wrong(std::string check, std::string what, std::string advice) {
  return {std::move(check), Verdict::kWrong, std::move(what), std::move(advice), {}};
}

std::vector<Finding> merged(const std::vector<Finding>& findings) {
  std::vector<Finding> result;
  for (const Finding& finding : findings) {
    const auto same = std::find_if(result.begin(), result.end(), [&](Finding other) {
      if (other.nodes.empty() != finding.nodes.empty()) return false;  // here, and on nodes
      other.nodes = finding.nodes;
      return other == finding;
    });
    if (same == result.end())
      result.push_back(finding);
    else
      same->nodes.insert(same->nodes.end(), finding.nodes.begin(), finding.nodes.end());
  }
  std::vector<std::string> order;
  for (const Finding& finding : result)
    if (std::find(order.begin(), order.end(), finding.check) == order.end())
      order.push_back(finding.check);
  const auto place = [&](const Finding& finding) {
    return std::find(order.begin(), order.end(), finding.check);
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Finding& a, const Finding& b) { return place(a) < place(b); });
  return result;
}

std::string text_of_nodes(const std::vector<std::string>& nodes) {
  const std::size_t count = nodes.size();
  if (count == 0) return {};
  if (count == 1) return nodes[0];
  if (count <= kMostNames)
    return fmt::format("{} and {}", fmt::join(nodes.begin(), nodes.end() - 1, ", "), nodes.back());
  const auto shown = nodes.begin() + static_cast<std::ptrdiff_t>(kMostNames - 1);
  return fmt::format("{} and {} more", fmt::join(nodes.begin(), shown, ", "),
                     count - (kMostNames - 1));
}

std::string to_text(const std::vector<Finding>& findings) {
  std::vector<Finding> shown = findings;
  std::erase_if(shown, [&](const Finding& finding) { return is_said_of_nodes(finding, findings); });
  std::size_t widest = 0;
  for (const Finding& finding : shown) widest = std::max(widest, finding.check.size());
  std::string text;
  for (const Finding& finding : shown) {
    const std::string where =
        (was_found_here(finding, findings) ? "here and on " : "") + text_of_nodes(finding.nodes);
    text += fmt::format("{:<7}  {:<{}}  {}{}{}\n", name_of(finding.verdict), finding.check, widest,
                        where, where.empty() ? "" : ": ", finding.what);
    if (!finding.advice.empty())
      text += fmt::format("{:<7}  {:<{}}  -> {}\n", "", "", widest, finding.advice);
  }
  return text + fmt::format("{} ok, {} warning(s), {} wrong\n", count_of(shown, Verdict::kOk),
                            count_of(shown, Verdict::kWarning), count_of(shown, Verdict::kWrong));
}

std::string to_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json document = new_document("doctor", 1);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json entry;
    entry["check"] = finding.check;
    entry["verdict"] = name_of(finding.verdict);
    entry["what"] = utf8(finding.what);
    if (!finding.advice.empty()) entry["advice"] = utf8(finding.advice);
    if (!finding.nodes.empty()) entry["nodes"] = finding.nodes;
    list.push_back(std::move(entry));
  }
  document["findings"] = std::move(list);
  for (const Verdict verdict : {Verdict::kOk, Verdict::kWarning, Verdict::kWrong})
    document[std::string(name_of(verdict))] = count_of(findings, verdict);
  return document.dump(1) + "\n";
}

bool anything_wrong(const std::vector<Finding>& findings) {
  return count_of(findings, Verdict::kWrong) > 0;
}

}  // namespace huddle::doctor
