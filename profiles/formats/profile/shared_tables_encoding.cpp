#include "profiles/formats/profile/document_writer.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/formats/profile/shared_tables.hpp"

namespace huddle {
namespace {

constexpr char kCborBreak = '\xff';

void write_entry(DocumentWriter& out, const Communicator& communicator) {
  out.open_object();
  out.key("id");
  out.unsigned_integer(communicator.id);
  out.key("members");
  out.text(communicator.members.list());
  if (!communicator.others.empty()) {
    out.key("others");
    out.text(communicator.others.list());
  }
  out.close_object();
}

void write_entry(DocumentWriter& out, const PhaseGroup& group) {
  out.open_object();
  out.key("id");
  out.unsigned_integer(group.id);
  out.key("begin");
  out.text(group.begin);
  out.key("end");
  out.text(group.end);
  out.close_object();
}

void write_entry(DocumentWriter& out, const AbsentEvent& absent) {
  out.open_object();
  out.key("event");
  out.text(absent.event);
  out.key("reason");
  out.text(absent.reason);
  out.key("ranks");
  out.unsigned_integer(absent.ranks);
  out.close_object();
}

// The three members, to be put into an open map.
std::string cbor_tables(const SharedTables& shared) {
  DocumentWriter out(Encoding::kCbor);
  const auto write = [&](const auto& entry) { write_entry(out, entry); };
  out.key("communicators");
  out.array(shared.communicators, write);
  out.key("phase_groups");
  out.array(shared.phase_groups, write);
  out.key("absent_events");
  out.array(shared.absent_events, write);
  return out.take();
}

// One entry a line.
template <class Entry>
std::string json_table(std::string_view name, const std::vector<Entry>& table) {
  std::string text = ",\n \"" + std::string(name) + "\": [";
  const char* separator = "\n  ";
  for (const Entry& entry : table) {
    DocumentWriter out(Encoding::kJson);
    write_entry(out, entry);
    text += separator + out.take();
    separator = ",\n  ";
  }
  return text + (table.empty() ? "]" : "\n ]");
}

}  // namespace

std::string encode_profile_tail(const SharedTables& shared, Encoding encoding) {
  if (encoding == Encoding::kCbor) return kCborBreak + cbor_tables(shared);
  return "\n ]" + json_table("communicators", shared.communicators) +
         json_table("phase_groups", shared.phase_groups) +
         json_table("absent_events", shared.absent_events) + "\n}\n";
}

std::string encode_shared_tables(const SharedTables& shared) {
  // A map that begins with its length.
  return static_cast<char>(0xa0 + kSharedTables) + cbor_tables(shared);
}

}  // namespace huddle
