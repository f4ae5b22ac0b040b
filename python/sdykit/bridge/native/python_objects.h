// What native code holds of Python, and the exceptions that it receives.

#ifndef SDYKIT_BRIDGE_NATIVE_PYTHON_OBJECTS_H_
#define SDYKIT_BRIDGE_NATIVE_PYTHON_OBJECTS_H_

#include <nanobind/nanobind.h>

#include <string>

namespace sdykit {

// Replaces an object that native code holds, null for None. It is not an nb::object,
// whose destructor would run when Python has ended. Needs the GIL.
void ReplaceHeld(PyObject*& held, nanobind::object made);

// Returns the text of an exception as users are to see it. Needs the GIL.
std::string DescribeException(const nanobind::python_error& error);

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_PYTHON_OBJECTS_H_
