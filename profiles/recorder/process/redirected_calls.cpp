#include "profiles/recorder/process/redirected_calls.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace huddle::recorder {
namespace {

using Word = std::uintptr_t;

// A place in a module to which the loader writes a symbol's address, by a relocation.
struct Reference {
  std::string_view name;
  Word* place;
  bool is_lazy;  // maybe not bound yet: then it leads to the module's own code
};

class Module {
 public:
  explicit Module(const dl_phdr_info& object) : object_(object) {
    const auto* dynamic = static_cast<const ElfW(Dyn)*>(nullptr);
    for (std::size_t i = 0; i < object.dlpi_phnum; ++i)
      if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic =
            reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) take(*dynamic);
  }

  template <class Use>
  void for_each_reference(const Use& use) const {
    if (symbols_ == nullptr || names_ == nullptr) return;
    for_each(relocations_, false, use);
    for_each(lazy_, true, use);
  }

  [[nodiscard]] bool has(Word address) const { return segment_of(address, PT_LOAD) != nullptr; }

  // The loader makes some of what it has bound read-only.
  void write(Word* place, Word value) const {
    const Word at = reinterpret_cast<Word>(place);
    const ElfW(Phdr)* const segment = segment_of(at, PT_LOAD);
    if (segment == nullptr || (segment->p_flags & PF_W) == 0) return;
    const bool is_read_only = segment_of(at, PT_GNU_RELRO) != nullptr;
    const Word page_size = static_cast<Word>(::sysconf(_SC_PAGESIZE));
    void* const page = reinterpret_cast<void*>(at / page_size * page_size);
    if (is_read_only && ::mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return;
    std::atomic_ref<Word>(*place).store(value, std::memory_order_relaxed);
    if (is_read_only) ::mprotect(page, page_size, PROT_READ);
  }

 private:
  struct Table {
    const ElfW(Rela) * begin = nullptr;
    std::size_t bytes = 0;
  };

  // The loader has turned most into addresses.
  template <class T>
  const T* pointer(Word value) const {
    return reinterpret_cast<const T*>(value < object_.dlpi_addr ? value + object_.dlpi_addr
                                                                : value);
  }

  void take(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB:
        symbols_ = pointer<ElfW(Sym)>(entry.d_un.d_ptr);
        break;
      case DT_STRTAB:
        names_ = pointer<char>(entry.d_un.d_ptr);
        break;
      case DT_RELA:
        relocations_.begin = pointer<ElfW(Rela)>(entry.d_un.d_ptr);
        break;
      case DT_RELASZ:
        relocations_.bytes = entry.d_un.d_val;
        break;
      case DT_JMPREL:
        lazy_.begin = pointer<ElfW(Rela)>(entry.d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        lazy_.bytes = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }

  template <class Use>
  void for_each(const Table& table, bool is_lazy, const Use& use) const {
    for (std::size_t i = 0; table.begin != nullptr && i < table.bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& relocation = table.begin[i];
      const auto symbol = ELF64_R_SYM(relocation.r_info);
      const Word place = object_.dlpi_addr + relocation.r_offset;
      if (symbol == 0 || place % sizeof(Word) != 0) continue;
      use(Reference{names_ + symbols_[symbol].st_name, reinterpret_cast<Word*>(place), is_lazy});
    }
  }

  [[nodiscard]] const ElfW(Phdr) * segment_of(Word address, std::uint32_t type) const {
    const auto* const end = object_.dlpi_phdr + object_.dlpi_phnum;
    const auto* const found = std::find_if(object_.dlpi_phdr, end, [&](const ElfW(Phdr) & segment) {
      const Word begin = object_.dlpi_addr + segment.p_vaddr;
      return segment.p_type == type && address >= begin && address < begin + segment.p_memsz;
    });
    return found == end ? nullptr : found;
  }

  const dl_phdr_info& object_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  Table relocations_;
  Table lazy_;
};

// Where the loader will bind a reference that is not bound yet; null if that is not known. A
// program that takes a function's address may stand for it with code of its own, which leads there.
void* bound_later(const char* name) {
  void* const found = ::dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  void* entry = nullptr;
  const bool is_defined = found != nullptr &&
                          ::dladdr1(found, &info, &entry, RTLD_DL_SYMENT) != 0 &&
                          info.dli_saddr == found && entry != nullptr &&
                          static_cast<const ElfW(Sym)*>(entry)->st_shndx != SHN_UNDEF;
  return is_defined ? found : nullptr;
}

bool is_among(const std::array<void*, 3>& functions, const void* function) {
  return function != nullptr && std::ranges::find(functions, function) != functions.end();
}

}  // namespace

Redirections::Redirections(const std::vector<Redirection>& list) {
  for (const Redirection& one : list) {
    const void* const later = bound_later(one.name);
    list_.push_back({one.name, one, later == nullptr || is_among(one.from, later)});
  }
  std::ranges::sort(list_, {}, &Sought::name);
}

const Redirections::Sought* Redirections::sought(std::string_view name) const noexcept {
  const auto found = std::ranges::lower_bound(list_, name, {}, &Sought::name);
  return found == list_.end() || found->name != name ? nullptr : &*found;
}

// The loader's lock is held in here: nothing of the loader's may be called.
template <class Found>
void Redirections::look_for(const Found& found) const noexcept {
  struct Search {
    const Redirections& redirections;
    const Found& found;
  } search{*this, found};
  const auto look = [](dl_phdr_info* object, std::size_t, void* argument) -> int {
    const auto& [redirections, use] = *static_cast<const Search*>(argument);
    const Module module(*object);
    bool goes_on = true;
    module.for_each_reference([&](const Reference& reference) {
      const Sought* const sought = goes_on ? redirections.sought(reference.name) : nullptr;
      if (sought == nullptr) return;
      const Word now = *reference.place;
      if (now == reinterpret_cast<Word>(sought->redirection.to)) return;
      const bool is_to_be_bound = reference.is_lazy && module.has(now);
      if (is_among(sought->redirection.from, reinterpret_cast<void*>(now)) ||
          (is_to_be_bound && sought->is_bound_so_later))
        goes_on = use(module, reference.place, reinterpret_cast<Word>(sought->redirection.to));
    });
    return goes_on ? 0 : 1;
  };
  ::dl_iterate_phdr(look, &search);
}

void Redirections::apply() const noexcept {
  look_for([](const Module& module, Word* place, Word function) {
    module.write(place, function);
    return true;
  });
}

bool Redirections::is_passed() const noexcept {
  bool is = false;
  look_for([&](const Module& /*module*/, Word* /*place*/, Word /*function*/) {
    is = true;
    return false;
  });
  return is;
}

}  // namespace huddle::recorder
