#include "merge.h"

namespace sdykit {

namespace {

struct Merged {
  int64_t ids;
  int64_t uniques;
};

// Returns the numbers of different words and of different keys in a sorted run.
SDYKIT_CLONES Merged Compare(const uint64_t* run, int64_t count) {
  uint64_t equal = 0, changes = 0;
  for (int64_t i = 1; i < count; ++i) {
    const uint64_t difference = run[i] ^ run[i - 1];
    equal += difference == 0;
    changes += (difference >> kKeyShift) != 0;
  }
  return {count - static_cast<int64_t>(equal),
          static_cast<int64_t>(changes) + (count > 0 ? 1 : 0)};
}

// Writes words that are all different; without merging the loop is vectorized.
SDYKIT_CLONES void CopyPlain(const uint64_t* run, int64_t count, float gain, uint64_t mask,
                             int32_t* __restrict ids, int32_t* __restrict samples,
                             float* __restrict gains) {
  for (int64_t i = 0; i < count; ++i) {
    ids[i] = static_cast<int32_t>((run[i] >> kKeyShift) & mask);
    samples[i] = static_cast<int32_t>(run[i]);
    gains[i] = gain;
  }
}

// Writes words of one gain; equal ones become one entry.
void MergePlain(const uint64_t* run, int64_t count, float gain, uint64_t mask, Entries out) {
  int64_t position = -1;
  float total = gain;
  uint64_t last = ~run[0];
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = run[i];
    const bool same = word == last;
    position += !same;
    total = same ? total + gain : gain;
    out.ids[position] = static_cast<int32_t>((word >> kKeyShift) & mask);
    out.samples[position] = static_cast<int32_t>(word);
    out.gains[position] = total;
    last = word;
  }
}

// Writes words with a gain each; the lower halves of the run are positions in the list.
Merged MergeWeighted(const uint64_t* run, int64_t count, const List& list, uint64_t mask,
                     Entries out) {
  if (count == 0) return {0, 0};
  int64_t position = -1, uniques = 0;
  float total = 0;
  uint64_t last = ~list.words[run[0] & kRowMask];
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t place = run[i] & kRowMask;
    const uint64_t word = list.words[place];
    const float gain = list.gains[place];
    const bool same = word == last;
    uniques += (word >> kKeyShift) != (last >> kKeyShift);
    position += !same;
    total = same ? total + gain : gain;
    out.ids[position] = static_cast<int32_t>((word >> kKeyShift) & mask);
    out.samples[position] = static_cast<int32_t>(word);
    out.gains[position] = total;
    last = word;
  }
  return {position + 1, uniques};
}

// Merges words of equal key and row; there is room for all.
Merged Merge(const uint64_t* run, int64_t count, const List& list, uint64_t mask, Entries out) {
  if (list.gains != nullptr) return MergeWeighted(run, count, list, mask, out);
  const Merged merged = Compare(run, count);
  if (merged.ids < count) {
    MergePlain(run, count, list.gain, mask, out);
  } else {
    CopyPlain(run, count, list.gain, mask, out.ids, out.samples, out.gains);
  }
  return merged;
}

// Merges like `Merge`, but drops ids over a limit and ids without room.
//
// A dropped entry counts towards both limits, and its duplicates are dropped with it.
Packed MergeWithin(const uint64_t* items, int64_t item, int64_t stop, const List& list,
                   uint64_t mask, Entries out, int64_t position, int64_t end, Limits limits) {
  Packed packed{position, 0, 0, 0, 0};
  bool fits = false, kept = false;
  uint64_t last = 0;
  for (int64_t i = item; i < stop; ++i) {
    const uint64_t place = items[i] & kRowMask;
    const uint64_t word = list.gains != nullptr ? list.words[place] : items[i];
    const float gain = list.gains != nullptr ? list.gains[place] : list.gain;
    if (i == item || word != last) {
      ++packed.ids;
      packed.uniques += i == item || (word >> kKeyShift) != (last >> kKeyShift);
      last = word;
      fits = packed.ids <= limits.first && packed.uniques <= limits.second;
      kept = fits && packed.position < end;
      if (kept) {
        out.ids[packed.position] = static_cast<int32_t>((word >> kKeyShift) & mask);
        out.samples[packed.position] = static_cast<int32_t>(word);
        out.gains[packed.position] = gain;
        ++packed.position;
      }
    } else if (kept) {
      out.gains[packed.position - 1] += gain;
    }
    packed.dropped += !fits;
    packed.missing += fits && !kept;
  }
  return packed;
}

}  // namespace

Packed PackRun(const uint64_t* items, int64_t item, int64_t stop, const List& list, int bits,
               Entries out, int64_t position, int64_t end, Limits limits) {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  if (position + stop - item <= end) {
    const Merged merged = Merge(items + item, stop - item, list, mask, out + position);
    if (merged.ids <= limits.first && merged.uniques <= limits.second) {
      return {position + merged.ids, merged.ids, merged.uniques, 0, 0};
    }
  }
  return MergeWithin(items, item, stop, list, mask, out, position, end, limits);
}

}  // namespace sdykit
