#include "aggregator/waitstates/cubex/detail/cube_anchor.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("<{}>{}</{}>\n", name, xml_text(text), name);
}

// Metrics of a parent, each with those below it: they follow their parent in the list.
std::string metrics_xml(const std::vector<CubeMetric>& metrics, std::optional<int> parent) {
  std::string text;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const CubeMetric& metric = metrics[i];
    if (metric.parent != parent) continue;
    text += fmt::format("<metric id=\"{}\" type=\"EXCLUSIVE\">\n", i);
    text += element("disp_name", metric.title) + element("uniq_name", metric.name);
    text += element("dtype", metric.whole ? "UINT64" : "DOUBLE") + element("uom", metric.unit);
    text += element("url", "") + element("descr", metric.explanation);
    text += metrics_xml(metrics, static_cast<int>(i)) + "</metric>\n";
  }
  return text;
}

std::string regions_xml(const CubeCallTree& calls) {
  std::string text;
  for (std::size_t i = 0; i < calls.regions.size(); ++i) {
    const CubeCallTree::Region& region = calls.regions[i];
    text +=
        fmt::format("<region id=\"{}\" mod=\"{}\" begin=\"{}\" end=\"-1\">\n", i,
                    xml_text(region.file), region.line == 0 ? "-1" : std::to_string(region.line));
    text += element("name", region.name) + element("mangled_name", region.name);
    text += element("paradigm", region.mpi ? "mpi" : "unknown");
    text += element("role", i == 0 ? "artificial" : "function");
    text += element("url", "") + element("descr", "") + "</region>\n";
  }
  return text;
}

std::string call_tree_xml(const CubeCallTree& calls) {
  std::string text;
  for (std::size_t i = 0; i < calls.nodes.size(); ++i) {
    text += fmt::format("<cnode id=\"{}\" calleeId=\"{}\">\n", i, calls.nodes[i].region);
    const std::size_t next = i + 1 < calls.nodes.size() ? calls.nodes[i + 1].depth : 0;
    // A node that is no parent ends here, and with it those whose last descendant it is.
    for (std::size_t depth = calls.nodes[i].depth + 1; depth > next; --depth) text += "</cnode>\n";
  }
  return text;
}

std::string process_xml(const WaitReport& report, const CubeSystemTree& system,
                        const CubeSystemTree::Process& process, std::size_t number) {
  std::string text = fmt::format("<locationgroup Id=\"{}\">\n", number);
  text += element("name", fmt::format("MPI rank {}", process.rank));
  text += element("rank", std::to_string(process.rank)) + element("type", "process");
  for (const std::uint32_t location : process.locations) {
    const ReportLocation& at = report.locations[location];
    text += fmt::format("<location Id=\"{}\">\n", system.place_of_location[location]);
    text += element("name", at.name.empty() ? fmt::format("thread {}", at.thread) : at.name);
    text += element("rank", std::to_string(at.thread)) + element("type", "thread");
    text += "</location>\n";
  }
  return text + "</locationgroup>\n";
}

std::string system_tree_xml(const WaitReport& report, const CubeSystemTree& system) {
  std::string text = "<systemtreenode Id=\"0\">\n";
  text += element("name", "all nodes") + element("class", "machine");
  std::size_t processes = 0;
  for (std::size_t i = 0; i < system.nodes.size(); ++i) {
    const CubeSystemTree::Node& node = system.nodes[i];
    text += fmt::format("<systemtreenode Id=\"{}\">\n", i + 1);
    text += element("name", node.name.empty() ? "(node unknown)" : node.name);
    text += element("class", "node");
    for (const CubeSystemTree::Process& process : node.processes)
      text += process_xml(report, system, process, processes++);
    text += "</systemtreenode>\n";
  }
  return text + "</systemtreenode>\n";
}

std::string attribute(std::string_view key, std::string_view value) {
  return fmt::format("<attr key=\"{}\" value=\"{}\"/>\n", xml_text(key), xml_text(value));
}

// Whether a character of valid UTF-8 that begins here is none of XML's: control characters, and
// U+FFFE and U+FFFF.
bool is_foreign(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20) return first != '\t' && first != '\n' && first != '\r';
  return text.substr(0, 3) == "\xEF\xBF\xBE" || text.substr(0, 3) == "\xEF\xBF\xBF";
}

}  // namespace

std::string xml_text(std::string_view text) {
  const std::string valid = utf8(text);
  std::string xml;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char byte = valid[i];
    if (is_foreign(std::string_view(valid).substr(i))) {
      if (byte == '\xEF') i += 2;
      xml += "\xEF\xBF\xBD";
    } else if (byte == '&') {
      xml += "&amp;";
    } else if (byte == '<') {
      xml += "&lt;";
    } else if (byte == '>') {
      xml += "&gt;";
    } else if (byte == '"') {
      xml += "&quot;";
    } else if (byte == '\'') {
      xml += "&apos;";
    } else if (byte == '\t' || byte == '\n' || byte == '\r') {
      xml += ' ';
    } else {
      xml += byte;
    }
  }
  return xml;
}

std::string cube_anchor(const WaitReport& report, const CubeCallTree& calls,
                        const CubeSystemTree& system, const std::vector<CubeMetric>& metrics) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n";
  text += attribute("Creator", "Huddle");
  text += attribute("Trace", report.trace);
  for (const std::string& remark : remarks_on(report)) text += attribute("Remark", remark);
  text += "<doc>\n<mirrors>\n</mirrors>\n</doc>\n";
  text += "<metrics>\n" + metrics_xml(metrics, {}) + "</metrics>\n<program>\n";
  text += regions_xml(calls) + call_tree_xml(calls) + "</program>\n<system>\n";
  text += system_tree_xml(report, system) + "</system>\n</cube>\n";
  return text;
}

}  // namespace huddle
