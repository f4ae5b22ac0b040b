// Samples of features as Python has them: arrays in an object array or a list.

#ifndef SDYKIT_BRIDGE_NATIVE_SAMPLES_H_
#define SDYKIT_BRIDGE_NATIVE_SAMPLES_H_

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sdykit {

// Loads the C interface of numpy; returns false with a Python error set.
bool LoadNumpy();

// Finds the position of the first sample that is not an int32 vector, whose
// weights are not a float32 vector of the same length, or that has an id outside
// [0, last_id]; -1 if there is none. `weights` may be nullptr. Both are object
// arrays of one dimension, lists or tuples of the same length; otherwise it
// returns false with a Python error set. Samples may also be an int32 matrix in
// row-major order: then 0 is found if any id is outside, and weights are ignored.
bool FindBadSample(PyObject* samples, PyObject* weights,
                   std::optional<int32_t> last_id, ptrdiff_t* found);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_SAMPLES_H_
