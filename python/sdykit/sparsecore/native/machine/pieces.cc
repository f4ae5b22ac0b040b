// Pieces of ordinary phases, which a failure leaves by a jump.

#include <csetjmp>
#include <utility>
#include <vector>

#include "functions.h"

namespace sdykit::machine {

namespace {

class PieceRun final : public Run {
 public:
  using Run::Run;

  std::jmp_buf& start() { return start_; }

 private:
  [[noreturn]] void Leave() override { std::longjmp(start_, 1); }

  std::jmp_buf start_;
};

}  // namespace

void RunOrdinary(RunPiece* piece, void* const* buffers, const int64_t* dims, int64_t begin,
                 int64_t end, char* scratch, int64_t* status) {
  PieceRun run(status);
  *reinterpret_cast<Header*>(scratch) = {&run, begin, nullptr, 0, {}};
  if (setjmp(run.start()) == 0) piece(buffers, dims, begin, end, scratch);
}

void Fail(char* arena, int64_t kind, int64_t place, const int64_t* numbers, int64_t count) {
  const Header& header = HeaderOf(arena);
  {
    std::vector<int64_t> report = {kind, header.agent, place};
    report.insert(report.end(), numbers, numbers + count);
    header.run->Report(std::move(report));
  }
  header.run->Leave();
}

}  // namespace sdykit::machine
