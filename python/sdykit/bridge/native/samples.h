// Samples of features as Python has them: arrays in an object array or a list.

#ifndef SDYKIT_BRIDGE_NATIVE_SAMPLES_H_
#define SDYKIT_BRIDGE_NATIVE_SAMPLES_H_

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sdykit {

// Loads the C interface of numpy; false: a Python error is set.
bool LoadNumpy();

// Finds the first sample that is no int32 vector, whose weights are no float32
// vector of the same length, or with an id outside [0, last_id]; -1 without one.
// `weights` may be nullptr. Both are object arrays of one dimension, lists or
// tuples; false: one is not, or they differ in length, and a Python error is set.
// Samples may also be an int32 matrix in row-major order: then 0 is found if any
// of its ids is outside, and weights are not looked at.
bool FindBadSample(PyObject* samples, PyObject* weights,
                   std::optional<int32_t> last_id, ptrdiff_t* found);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_SAMPLES_H_
