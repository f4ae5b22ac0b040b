// Object files to machine code in this process, without LLVM's library, which takes much longer to load
// than any program.

#ifndef SDYKIT_SPARSECORE_MACHINE_LOADING_H_
#define SDYKIT_SPARSECORE_MACHINE_LOADING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sdykit::machine {

using Addresses = std::map<std::string, uintptr_t>;

// Loads the object files of a program, and returns the addresses of its symbols, in order. They call
// `known` functions, and those of the C library and libm. The code stays for as long as the process.
//
// Returns nothing if they have what this does not know, or lack a symbol: LLVM may link them, or say
// what is wrong. Those that `codegen.machine` makes for x86-64 have machine code and constants alone.
std::vector<uintptr_t> Load(const std::vector<std::string_view>& objects,
                            const std::vector<std::string>& symbols, const Addresses& known);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_LOADING_H_
