#include "loading.h"

#if defined(__x86_64__) && defined(__linux__)

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace sdykit::machine {

namespace {

// The object files are not such as are loaded here.
struct Unknown {};

void Expect(bool is_known) {
  if (!is_known) throw Unknown();
}

// A jump to any address, which follows it: jmp *0(%rip).
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
constexpr size_t kJumpBytes = 16;
constexpr size_t kSlotBytes = sizeof(uintptr_t);

size_t RoundUp(size_t value, size_t multiple) {
  constexpr size_t kMost = std::numeric_limits<uint32_t>::max();
  Expect(multiple != 0 && multiple <= kMost && value <= kMost);
  return (value + multiple - 1) / multiple * multiple;
}

// An object file: parts of it, which must lie within it.
class Object {
 public:
  explicit Object(std::string_view data) : data_(data) {
    const auto header = At<Elf64_Ehdr>(0);
    Expect(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_REL &&
           header.e_machine == EM_X86_64 && header.e_shentsize == sizeof(Elf64_Shdr));
    sections = Array<Elf64_Shdr>(header.e_shoff, header.e_shnum);
    starts.resize(sections.size());
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_SYMTAB) continue;
      symbols = Array<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
      names_ = Section(section.sh_link);
    }
  }

  const Elf64_Shdr& Section(size_t number) const {
    Expect(number < sections.size());
    return sections[number];
  }

  std::string_view Bytes(const Elf64_Shdr& section) const {
    Expect(section.sh_offset <= data_.size() &&
           section.sh_size <= data_.size() - section.sh_offset);
    return data_.substr(section.sh_offset, section.sh_size);
  }

  std::vector<Elf64_Rela> Relocations(const Elf64_Shdr& section) const {
    return Array<Elf64_Rela>(section.sh_offset, section.sh_size / sizeof(Elf64_Rela));
  }

  std::string Name(const Elf64_Sym& symbol) const {
    const std::string_view all = Bytes(names_);
    Expect(symbol.st_name < all.size());
    const std::string_view name = all.substr(symbol.st_name);
    return std::string(name.substr(0, name.find('\0')));
  }

  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::vector<char*> starts;  // where each section is loaded; null: it is not

 private:
  template <typename T>
  T At(size_t offset) const {
    return Array<T>(offset, 1)[0];
  }

  template <typename T>
  std::vector<T> Array(size_t offset, size_t count) const {
    Expect(offset <= data_.size() && count <= (data_.size() - offset) / sizeof(T));
    std::vector<T> found(count);
    if (count != 0) std::memcpy(found.data(), data_.data() + offset, count * sizeof(T));
    return found;
  }

  std::string_view data_;
  Elf64_Shdr names_{};
};

// Functions of the C library and of libm, by name; null if there is none.
void* LibraryFunction(const std::string& name) {
  static void* const libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  void* found = dlsym(RTLD_DEFAULT, name.c_str());
  return found != nullptr || libm == nullptr ? found : dlsym(libm, name.c_str());
}

// The memory of a program: machine code and jumps to functions elsewhere, then constants and addresses.
class Image {
 public:
  Image(std::vector<Object>& objects, const Addresses& known) : objects_(objects), known_(known) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t end = Place(true, 0);
    jumps_ = end = RoundUp(end, kJumpBytes);
    const size_t undefined = Undefined();
    const size_t constants = RoundUp(end + undefined * kJumpBytes, page);
    slots_ = RoundUp(Place(false, constants), kSlotBytes);
    size_ = RoundUp(slots_ + undefined * kSlotBytes + 1, page);
    code_bytes_ = constants;
    void* found = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Expect(found != MAP_FAILED);
    begin_ = static_cast<char*>(found);
  }

  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  ~Image() {
    if (!is_kept_) munmap(begin_, size_);
  }

  // Fills the memory, and lets the code run from now on.
  void Fill() {
    for (const auto& [object, number, offset] : placed_) {
      const std::string_view bytes = object->Bytes(object->sections[number]);
      object->starts[number] = begin_ + offset;
      std::memcpy(begin_ + offset, bytes.data(), bytes.size());
    }
    for (const Object& object : objects_) Define(object);
    for (const Object& object : objects_) Relocate(object);
    Expect(mprotect(begin_, code_bytes_, PROT_READ | PROT_EXEC) == 0 &&
           mprotect(begin_ + code_bytes_, size_ - code_bytes_, PROT_READ) == 0);
  }

  uintptr_t Defined(const std::string& name) const {
    const auto found = defined_.find(name);
    Expect(found != defined_.end());
    return found->second;
  }

  void Keep() { is_kept_ = true; }

 private:
  struct Placed {
    Object* object;
    size_t section;
    size_t offset;
  };

  // What is undefined in an object: its jump and its slot, which begin with the same number.
  size_t Undefined() const {
    size_t count = 0;
    for (const Object& object : objects_) count += object.symbols.size();
    return count;
  }

  // Places sections of code, or the others that the process needs, from `end` on. Returns their end.
  size_t Place(bool is_code, size_t end) {
    for (Object& object : objects_) {
      for (size_t number = 0; number < object.sections.size(); ++number) {
        const Elf64_Shdr& section = object.sections[number];
        if ((section.sh_flags & SHF_ALLOC) == 0) continue;
        Expect(section.sh_type == SHT_PROGBITS && (section.sh_flags & (SHF_WRITE | SHF_TLS)) == 0);
        if (((section.sh_flags & SHF_EXECINSTR) != 0) != is_code) continue;
        end = RoundUp(end, section.sh_addralign != 0 ? section.sh_addralign : 1);
        placed_.push_back({&object, number, end});
        end += object.Bytes(section).size();
      }
    }
    return end;
  }

  void Define(const Object& object) {
    for (const Elf64_Sym& symbol : object.symbols) {
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      Expect(defined_.emplace(object.Name(symbol), AddressOf(object, symbol)).second);
    }
  }

  static char* Start(const Object& object, const Elf64_Sym& symbol) {
    Expect(symbol.st_shndx < object.starts.size() && object.starts[symbol.st_shndx] != nullptr);
    return object.starts[symbol.st_shndx];
  }

  uintptr_t AddressOf(const Object& object, const Elf64_Sym& symbol) {
    if (symbol.st_shndx != SHN_UNDEF) {
      return reinterpret_cast<uintptr_t>(Start(object, symbol)) + symbol.st_value;
    }
    const std::string name = object.Name(symbol);
    const auto own = defined_.find(name);
    if (own != defined_.end()) return own->second;
    const auto given = known_.find(name);
    if (given != known_.end()) return given->second;
    void* const found = LibraryFunction(name);
    Expect(found != nullptr);
    return reinterpret_cast<uintptr_t>(found);
  }

  void Relocate(const Object& object) {
    for (const Elf64_Shdr& section : object.sections) {
      Expect(section.sh_type != SHT_REL);
      if (section.sh_type != SHT_RELA) continue;
      const size_t bytes = object.Section(section.sh_info).sh_size;
      char* const start = object.starts[section.sh_info];
      if (start == nullptr) continue;  // The process does not need it.
      for (const Elf64_Rela& each : object.Relocations(section)) {
        Expect(bytes >= sizeof(int32_t) && each.r_offset <= bytes - sizeof(int32_t));
        Expect(ELF64_R_SYM(each.r_info) < object.symbols.size());
        Relocate(object, each, start + each.r_offset);
      }
    }
  }

  // Writes where something is, as a distance in 32 bits, as all code does that is at any address.
  void Relocate(const Object& object, const Elf64_Rela& relocation, char* at) {
    uintptr_t target = AddressOf(object, object.symbols[ELF64_R_SYM(relocation.r_info)]);
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case R_X86_64_PC32:
        break;
      case R_X86_64_PLT32:
        if (!IsOwn(target)) target = JumpTo(target);
        break;
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        target = SlotOf(target);
        break;
      default:
        throw Unknown();
    }
    Expect(IsOwn(target));
    const uintptr_t end = target + static_cast<uintptr_t>(relocation.r_addend);
    const auto distance = static_cast<int64_t>(end - reinterpret_cast<uintptr_t>(at));
    const auto written = static_cast<int32_t>(distance);
    Expect(written == distance);
    std::memcpy(at, &written, sizeof(written));
  }

  bool IsOwn(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(begin_) < size_;
  }

  // Where a jump to an address is.
  uintptr_t JumpTo(uintptr_t target) {
    char* const at = begin_ + jumps_ + Number(target) * kJumpBytes;
    std::memcpy(at, kJump, sizeof(kJump));
    std::memcpy(at + sizeof(kJump), &target, sizeof(target));
    return reinterpret_cast<uintptr_t>(at);
  }

  // Where an address is held.
  uintptr_t SlotOf(uintptr_t target) {
    char* const at = begin_ + slots_ + Number(target) * kSlotBytes;
    std::memcpy(at, &target, sizeof(target));
    return reinterpret_cast<uintptr_t>(at);
  }

  // Of the jump and the slot of an address: there are fewer addresses than symbols.
  size_t Number(uintptr_t target) {
    return numbers_.emplace(target, numbers_.size()).first->second;
  }

  std::vector<Object>& objects_;
  const Addresses& known_;
  std::vector<Placed> placed_;
  std::map<std::string, uintptr_t> defined_;
  std::map<uintptr_t, size_t> numbers_;
  size_t jumps_;
  size_t slots_;
  size_t code_bytes_;
  size_t size_;
  char* begin_;
  bool is_kept_ = false;
};

}  // namespace

std::vector<uintptr_t> Load(const std::vector<std::string_view>& objects,
                            const std::vector<std::string>& symbols, const Addresses& known) {
  try {
    std::vector<Object> read(objects.begin(), objects.end());
    Image image(read, known);
    image.Fill();
    std::vector<uintptr_t> found;
    for (const std::string& name : symbols) found.push_back(image.Defined(name));
    image.Keep();
    return found;
  } catch (const Unknown&) {
    return {};
  }
}

}  // namespace sdykit::machine

#else

namespace sdykit::machine {

std::vector<uintptr_t> Load(const std::vector<std::string_view>&, const std::vector<std::string>&,
                            const Addresses&) {
  return {};
}

}  // namespace sdykit::machine

#endif
