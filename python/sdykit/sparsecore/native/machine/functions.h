// The functions that machine code calls. Python links them by the names in module.cc; what they get
// is in codegen/runtime_functions.py.

#ifndef SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_
#define SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_

#include <cstdint>

namespace sdykit::machine {

void Wait(char* arena, int64_t semaphore, int64_t amount, int64_t what, int64_t place);
void Signal(char* arena, int64_t semaphore, int64_t amount, int64_t agent, int64_t place);
int64_t ReadSemaphore(char* arena, int64_t semaphore, int64_t place);
int64_t TakeSemaphore(char* arena, int64_t semaphore);
void CheckSemaphores(char* arena, int64_t first, int64_t count, int64_t place);
// The agent repeats a loop whose condition reads memory (by its number in reports) that only somebody
// else writes; the loop ends.
void Spin(char* arena, int64_t memory, int64_t place);
void EndSpin(char* arena);

// The agent repeats a loop that reads memory which others may write.
void LetOthers(char* arena, int64_t place);

void Barrier(char* arena, int64_t group, int64_t members, int64_t place);

// Adds to a word of another agent's arena, at the same place as `word` in the own. Returns what it
// was.
int64_t FetchAndAdd(char* arena, char* word, int64_t agent, int64_t value, int64_t place);

// A load or a store of a word of the own arena that others may add to.
void TouchWord(char* arena, const char* word, int64_t action, int64_t place);

// Fills bytes of memory with a pattern of so many bytes; once: only at the first call of the run for
// this address.
void Fill(char* arena, char* memory, int64_t bytes, int64_t pattern, int64_t pattern_bytes,
          int64_t once);

// A scope of the calling subcore begins, and ends. Its words are those from the number `first` on. These
// take no arena: programs without agents call them as well.
void BeginScope(int64_t* words, int64_t first);
void EndScope(int64_t* words, int64_t first);

// A `parallel_loop` begins, an iteration of the innermost one begins, and it ends.
void BeginLoop(char* arena, int64_t place);
void NextIteration(char* arena);
void EndLoop(char* arena);

// Prints a line. `numbers`: see log.cc.
void Log(char* arena, const char* values, const int64_t* numbers, int64_t count);

// Compares a load or store of the own arena with transfers; see Events::Touch.
void Touch(char* arena, const char* base, int64_t offset_bits, int64_t bits, int64_t action,
           int64_t place);

// Starts a transfer, and moves its data. `numbers`: see transfers.cc.
void StartTransfer(char* arena, const char* source, char* target, const int64_t* numbers,
                   int64_t count);
void StartIndirect(char* arena, const char* source, char* target, const char* offsets,
                   const int64_t* numbers, int64_t count);

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_FUNCTIONS_H_
