// Handles Ctrl-C while the core works.
#pragma once

namespace rankprism {

// Long loops call this several times a second. It throws if the user wants to stop. The Python module sets it; a
// program without Python, such as a fuzzer, leaves it empty.
inline void (*interrupt_hook)() = nullptr;

inline void check_interrupt() {
    if (interrupt_hook != nullptr) interrupt_hook();
}

}  // namespace rankprism
