// Transfers, as machine code starts them. Their data are moved at once.

#include <cstring>
#include <vector>

#include "copies.h"
#include "functions.h"
#include "machine.h"

namespace sdykit::machine {

namespace {

// The first numbers of both functions; `transfer_numbers` of codegen's runtime_functions.py has what
// they mean.
struct Common {
  int64_t place;
  int64_t semaphore;        // that is signalled; kNobody: none
  int64_t semaphore_agent;  // whose it is; kNobody: the own
  int64_t bytes;            // that it counts
  int64_t source_semaphore;
  int64_t source_bytes;
  int64_t target_agent;  // whose arena the target is in; kNobody: the own, or none
  int64_t operation;
  int64_t bits;
  int64_t stored_bits;
  int64_t source_offset;  // in bits, as all offsets and strides
  int64_t target_offset;
};

// What more an indirect transfer has.
struct Rows {
  int64_t count;
  int64_t limit;  // offsets are in [0, limit)
  int64_t offsets_offset;  // in elements, as the next
  int64_t offsets_stride;
  int64_t is_scatter;
  int64_t has_filter;
  int64_t filter;
  int64_t source_stride;
  int64_t target_stride;
  // Rows that are parts of wider ones: how many are in one, whose distance the stride is, and the
  // distance of two of them. Otherwise 1 and 0.
  int64_t source_parts;
  int64_t source_part_bits;
  int64_t target_parts;
  int64_t target_part_bits;

  int64_t SourceOf(int64_t row) const {
    return row / source_parts * source_stride + row % source_parts * source_part_bits;
  }
  int64_t TargetOf(int64_t row) const {
    return row / target_parts * target_stride + row % target_parts * target_part_bits;
  }
};

// The dimensions that follow: sizes, strides of the source, strides of the target.
struct Shape {
  const int64_t* numbers;
  int64_t rank;

  const int64_t* sizes() const { return numbers; }
  const int64_t* source() const { return numbers + rank; }
  const int64_t* target() const { return numbers + 2 * rank; }

  Copy CopyOf(const Common& common) const {
    Dimensions dimensions;
    for (int64_t k = 0; k < rank; ++k) dimensions.Add({sizes()[k], source()[k], target()[k]});
    return Copy(dimensions, common.bits, common.stored_bits,
                static_cast<Operation>(common.operation));
  }
};

template <typename Head>
bool Fits(int64_t count) {
  constexpr auto own = static_cast<int64_t>(sizeof(Head) / sizeof(int64_t));
  return count >= own && (count - own) % 3 == 0 && (count - own) / 3 <= Dimensions::kMax;
}

template <typename Head>
Shape ShapeAfter(const int64_t* numbers, int64_t count) {
  constexpr auto own = static_cast<int64_t>(sizeof(Head) / sizeof(int64_t));
  return {numbers + own, (count - own) / 3};
}

int64_t NumberOf(Machine& machine, int64_t agent, int64_t semaphore, int64_t place) {
  if (semaphore == kNobody) return kNobody;
  return machine.NumberOf(machine.SemaphoreOf(agent, semaphore, place));
}

TransferEvent EventOf(Machine& machine, const Common& common, const Shape& shape,
                      const char* source, char* target) {
  return {machine.current(),
          common.place,
          NumberOf(machine, common.semaphore_agent, common.semaphore, common.place),
          common.bytes,
          NumberOf(machine, kNobody, common.source_semaphore, common.place),
          common.source_bytes,
          {const_cast<char*>(source), common.source_offset, shape.rank, shape.sizes(),
           shape.source(), common.bits, nullptr, 0},
          {target, common.target_offset, shape.rank, shape.sizes(), shape.target(),
           common.stored_bits, nullptr, 0},
          common.operation != 0,
          nullptr,
          0,
          0};
}

void SignalAll(Machine& machine, const Common& common) {
  if (common.semaphore != kNobody) {
    machine.SemaphoreOf(common.semaphore_agent, common.semaphore, common.place)
        .Complete(common.bytes, common.place);
  }
  if (common.source_semaphore != kNobody) {
    machine.SemaphoreOf(kNobody, common.source_semaphore, common.place)
        .Complete(common.source_bytes, common.place);
  }
}

int64_t OffsetAt(const char* offsets, const Rows& rows, int64_t at) {
  int32_t offset;
  std::memcpy(&offset, offsets + 4 * (rows.offsets_offset + at * rows.offsets_stride), 4);
  return offset;
}

bool IsLeftOut(const Rows& rows, int64_t offset) {
  return rows.has_filter != 0 && offset == rows.filter;
}

// Calls `visit(position, offset)` for each row that is moved.
template <typename Visit>
void ForRows(const char* offsets, const Rows& rows, Visit visit) {
  for (int64_t at = 0; at < rows.count; ++at) {
    const int64_t offset = OffsetAt(offsets, rows, at);
    if (!IsLeftOut(rows, offset)) visit(at, offset);
  }
}

// The places of rows in the source and in the target, in bits.
Dimension RowOf(const Common& common, const Rows& rows, int64_t at, int64_t offset) {
  const int64_t from = rows.is_scatter != 0 ? at : offset;
  const int64_t to = rows.is_scatter != 0 ? offset : at;
  return {1, common.source_offset + rows.SourceOf(from), common.target_offset + rows.TargetOf(to)};
}

void EnqueueIndirect(Machine& machine, const Common& common, const Rows& rows, const Shape& shape,
                     const char* source, char* target, const char* offsets) {
  // Kept by the machine: an event may end the run.
  std::vector<int64_t>& from = machine.RowsOfSource();
  std::vector<int64_t>& to = machine.RowsOfTarget();
  from.clear();
  to.clear();
  ForRows(offsets, rows, [&](int64_t at, int64_t offset) {
    const Dimension row = RowOf(common, rows, at, offset);
    from.push_back(row.source - common.source_offset);
    to.push_back(row.target - common.target_offset);
  });
  TransferEvent event = EventOf(machine, common, shape, source, target);
  event.source.rows = from.data();
  event.target.rows = to.data();
  event.source.row_count = event.target.row_count = static_cast<int64_t>(from.size());
  event.offsets = offsets + 4 * rows.offsets_offset;
  event.offset_count = rows.count;
  event.offset_stride = rows.offsets_stride;
  machine.events()->Enqueue(event);
}

// What an indirect transfer has before its dimensions.
struct IndirectHead {
  Common common;
  Rows rows;
};

void Transfer(Machine& machine, const char* source, char* target, const int64_t* numbers,
              int64_t count) {
  const auto& common = *reinterpret_cast<const Common*>(numbers);
  const Shape shape = ShapeAfter<Common>(numbers, count);
  char* there =
      common.target_agent == kNobody ? target : machine.At(common.target_agent, target, common.place);
  if (machine.events() != nullptr) {
    machine.events()->Enqueue(EventOf(machine, common, shape, source, there));
  }
  const Copy copy = shape.CopyOf(common);
  if (!copy.is_valid()) machine.Fail(kBadCall, common.place, common.operation, common.bits);
  copy(source, common.source_offset, there, common.target_offset);
  SignalAll(machine, common);
}

void TransferRows(Machine& machine, const char* source, char* target, const char* offsets,
                  const int64_t* numbers, int64_t count) {
  const auto& [common, rows] = *reinterpret_cast<const IndirectHead*>(numbers);
  const Shape shape = ShapeAfter<IndirectHead>(numbers, count);
  const Copy copy = shape.CopyOf(common);
  if (!copy.is_valid()) machine.Fail(kBadCall, common.place, common.operation, common.bits);
  ForRows(offsets, rows, [&](int64_t at, int64_t offset) {
    if (offset >= 0 && offset < rows.limit) return;
    machine.Fail(kOffsetOutOfBounds, common.place, offset, at, rows.limit);
  });
  if (machine.events() != nullptr) {
    EnqueueIndirect(machine, common, rows, shape, source, target, offsets);
  }
  ForRows(offsets, rows, [&](int64_t at, int64_t offset) {
    const Dimension row = RowOf(common, rows, at, offset);
    copy(source, row.source, target, row.target);
  });
  SignalAll(machine, common);
}

}  // namespace

void StartTransfer(char* arena, const char* source, char* target, const int64_t* numbers,
                   int64_t count) {
  Machine& machine = *HeaderOf(arena).machine;
  const bool fits = Fits<Common>(count);
  machine.Guard(fits ? numbers[0] : kNobody, [&] {
    if (!fits) machine.Fail(kBadCall, kNobody, count);
    Transfer(machine, source, target, numbers, count);
  });
}

void StartIndirect(char* arena, const char* source, char* target, const char* offsets,
                   const int64_t* numbers, int64_t count) {
  Machine& machine = *HeaderOf(arena).machine;
  const bool fits = Fits<IndirectHead>(count);
  machine.Guard(fits ? numbers[0] : kNobody, [&] {
    if (!fits) machine.Fail(kBadCall, kNobody, count);
    TransferRows(machine, source, target, offsets, numbers, count);
  });
}

}  // namespace sdykit::machine
