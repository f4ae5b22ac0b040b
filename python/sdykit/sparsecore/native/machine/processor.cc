#include "processor.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstddef>
#endif

namespace sdykit::machine {

#if defined(__x86_64__)

namespace {

// A function of CPUID, and which of eax, ebx, ecx and edx say what the processor can do: others are of
// the core that runs, or of the state of the system.
struct Leaf {
  unsigned number;
  unsigned part;
  std::array<bool, 4> counts;
};

// Those that LLVM's sys::getHostCPUName and getHostCPUFeatures ask for.
constexpr Leaf kLeaves[] = {
    {0x0, 0, {true, true, true, true}},    {0x1, 0, {true, false, true, true}},
    {0x7, 0, {true, true, true, true}},    {0x7, 1, {true, true, true, true}},
    {0xd, 1, {true, false, false, false}}, {0x14, 0, {false, true, false, false}},
    {0x19, 0, {false, true, false, false}}, {0x1e, 1, {true, false, false, false}},
    {0x24, 0, {false, true, false, false}}, {0x80000001, 0, {false, false, true, true}},
    {0x80000008, 0, {false, true, false, false}},
};

constexpr unsigned kHasXgetbv = 1u << 27;  // of ecx of function 1

}  // namespace

std::vector<uint32_t> Processor() {
  std::vector<uint32_t> found;
  for (const Leaf& leaf : kLeaves) {
    std::array<unsigned, 4> words{};
    __get_cpuid_count(leaf.number, leaf.part, &words[0], &words[1], &words[2], &words[3]);
    for (size_t k = 0; k < words.size(); ++k) found.push_back(leaf.counts[k] ? words[k] : 0);
    if (leaf.number == 1 && (words[2] & kHasXgetbv) != 0) {
      // Which registers the system saves: without them extensions cannot be used.
      unsigned low, high;
      asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      found.push_back(low);
    }
  }
  return found;
}

#else

std::vector<uint32_t> Processor() { return {}; }

#endif

}  // namespace sdykit::machine
