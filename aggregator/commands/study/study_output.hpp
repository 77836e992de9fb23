#pragma once

// The text and the JSON of huddle study.

#include <string>
#include <vector>

#include "aggregator/study/dump_reader.hpp"
#include "aggregator/study/site_study.hpp"

namespace huddle::cli {

struct StudyReport {
  study::SiteStudy study;
  study::DumpFaults faults;
  std::uint64_t lines = 0;
  /// For people.
  std::vector<std::string> notes;
};

std::string study_text(const StudyReport& report);
std::string study_json(const StudyReport& report);
/// A page of HTML that needs nothing but itself. Names are shown as text, whatever they are.
std::string study_page(const StudyReport& report);

}  // namespace huddle::cli
