#include "tests/profiles/traces/otf2_reference.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <map>
#include <memory>

namespace huddle::traces {

namespace {

struct Names {
  std::map<std::uint32_t, std::string> strings, regions, communicators;
  std::uint64_t begin = 0;
};

struct Output {
  const Names* names;
  std::string lines;

  template <class... Parts>
  OTF2_CallbackCode add(OTF2_TimeStamp time, const char* format, const Parts&... parts) {
    lines += fmt::format("{} ", time - names->begin);
    lines += fmt::format(fmt::runtime(format), parts...) + "\n";
    return OTF2_CALLBACK_SUCCESS;
  }
};

Output& output(void* data) {
  return *static_cast<Output*>(data);
}
const std::string& region(void* data, std::uint32_t id) {
  return output(data).names->regions.at(id);
}
const std::string& comm(void* data, std::uint32_t id) {
  return output(data).names->communicators.at(id);
}

OTF2_GlobalDefReaderCallbacks* definition_callbacks() {
  OTF2_GlobalDefReaderCallbacks* all = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      all, [](void* data, std::uint64_t, std::uint64_t begin, std::uint64_t, std::uint64_t) {
        static_cast<Names*>(data)->begin = begin;
        return OTF2_CallbackCode{OTF2_CALLBACK_SUCCESS};
      });
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(
      all, [](void* data, OTF2_StringRef self, const char* text) {
        static_cast<Names*>(data)->strings[self] = text;
        return OTF2_CallbackCode{OTF2_CALLBACK_SUCCESS};
      });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      all, [](void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
              OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
              std::uint32_t) {
        auto& names = *static_cast<Names*>(data);
        names.regions[self] = names.strings.at(name);
        return OTF2_CallbackCode{OTF2_CALLBACK_SUCCESS};
      });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      all, [](void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef, OTF2_CommRef,
              OTF2_CommFlag) {
        auto& names = *static_cast<Names*>(data);
        names.communicators[self] = names.strings.at(name);
        return OTF2_CallbackCode{OTF2_CALLBACK_SUCCESS};
      });
  return all;
}

void set_message_callbacks(OTF2_EvtReaderCallbacks* all) {
  using List = OTF2_AttributeList;
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint32_t peer, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
        return output(data).add(time, "send {} {} {} {}", comm(data, in), peer, tag, bytes);
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint32_t peer, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
        return output(data).add(time, "recv {} {} {} {}", comm(data, in), peer, tag, bytes);
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint32_t peer, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes,
              std::uint64_t request) {
        return output(data).add(time, "isend {} {} {} {} {}", comm(data, in), peer, tag, bytes,
                                request);
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint32_t peer, OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes,
              std::uint64_t request) {
        return output(data).add(time, "irecv {} {} {} {} {}", comm(data, in), peer, tag, bytes,
                                request);
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint64_t request) { return output(data).add(time, "isent {}", request); });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint64_t request) { return output(data).add(time, "posted {}", request); });
}

OTF2_EvtReaderCallbacks* event_callbacks() {
  using List = OTF2_AttributeList;
  OTF2_EvtReaderCallbacks* all = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              OTF2_RegionRef at) { return output(data).add(time, "enter {}", region(data, at)); });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              OTF2_RegionRef at) { return output(data).add(time, "leave {}", region(data, at)); });
  set_message_callbacks(all);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      all,
      [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*, OTF2_CollectiveOp,
         OTF2_CommRef in, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        return output(data).add(time, "collective {} {} {}", comm(data, in),
                                static_cast<std::int32_t>(root), std::max(sent, received));
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              std::uint64_t request) { return output(data).add(time, "begun {}", request); });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      all, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, List*,
              OTF2_CollectiveOp, OTF2_CommRef in, std::uint32_t root, std::uint64_t sent,
              std::uint64_t received, std::uint64_t request) {
        return output(data).add(time, "completed {} {} {} {}", comm(data, in),
                                static_cast<std::int32_t>(root), std::max(sent, received), request);
      });
  return all;
}

std::string line_of(const TraceDefinitions& definitions, const Event& event) {
  const auto in = [&]() -> const TraceCommunicator& {
    return definitions.communicators.at(event.subject);
  };
  const auto place = [&] {
    const auto found = std::find(in().ranks.begin(), in().ranks.end(), event.peer);
    return found == in().ranks.end() ? -1 : static_cast<int>(found - in().ranks.begin());
  };
  using K = EventKind;
  switch (event.kind) {
    case K::kEnter:
      return "enter " + definitions.regions.at(event.subject).name;
    case K::kLeave:
      return "leave " + definitions.regions.at(event.subject).name;
    case K::kSend:
      return fmt::format("send {} {} {} {}", in().name, place(), event.tag, event.bytes);
    case K::kRecv:
      return fmt::format("recv {} {} {} {}", in().name, place(), event.tag, event.bytes);
    case K::kIsend:
      return fmt::format("isend {} {} {} {} {}", in().name, place(), event.tag, event.bytes,
                         event.request);
    case K::kIrecv:
      return fmt::format("irecv {} {} {} {} {}", in().name, place(), event.tag, event.bytes,
                         event.request);
    case K::kIsendComplete:
      return fmt::format("isent {}", event.request);
    case K::kIrecvRequest:
      return fmt::format("posted {}", event.request);
    case K::kCollectiveEnd:
      return fmt::format("collective {} {} {}", in().name, place(), event.bytes);
    case K::kCollectiveRequest:
      return fmt::format("begun {}", event.request);
    case K::kCollectiveComplete:
      return fmt::format("completed {} {} {} {}", in().name, place(), event.bytes, event.request);
    default:
      return "something else";
  }
}

}  // namespace

std::string lines_by_otf2(const std::filesystem::path& anchor, std::uint64_t location) {
  const std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)> reader(
      OTF2_Reader_Open(anchor.c_str()), OTF2_Reader_Close);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  Names names;
  std::uint64_t got = 0;
  OTF2_GlobalDefReaderCallbacks* definitions = definition_callbacks();
  OTF2_GlobalDefReader* definition_reader = OTF2_Reader_GetGlobalDefReader(reader.get());
  OTF2_Reader_RegisterGlobalDefCallbacks(reader.get(), definition_reader, definitions, &names);
  OTF2_GlobalDefReaderCallbacks_Delete(definitions);
  OTF2_Reader_ReadAllGlobalDefinitions(reader.get(), definition_reader, &got);

  OTF2_Reader_SelectLocation(reader.get(), location);
  OTF2_Reader_OpenDefFiles(reader.get());
  OTF2_Reader_OpenEvtFiles(reader.get());
  OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader.get(), location);
  OTF2_Reader_ReadAllLocalDefinitions(reader.get(), local, &got);
  OTF2_Reader_CloseDefReader(reader.get(), local);
  OTF2_Reader_CloseDefFiles(reader.get());

  Output out{&names, {}};
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader.get(), location);
  OTF2_EvtReaderCallbacks* callbacks = event_callbacks();
  OTF2_Reader_RegisterEvtCallbacks(reader.get(), events, callbacks, &out);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_ReadAllLocalEvents(reader.get(), events, &got);
  OTF2_Reader_CloseEvtFiles(reader.get());
  return out.lines;
}

std::string lines_by_us(const TraceDefinitions& definitions, const std::vector<Event>& events) {
  std::string out;
  for (const Event& event : events)
    out += fmt::format("{} {}\n", event.time, line_of(definitions, event));
  return out;
}

}  // namespace huddle::traces
