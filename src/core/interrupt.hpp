// Handles Ctrl-C while the core works.
#pragma once

#include "pace.hpp"

namespace rankprism {

// Long loops call this several times a second. It throws if the user wants to stop. The Python module sets it; a
// program without Python, such as a fuzzer, leaves it empty.
inline void (*interrupt_hook)() = nullptr;

// A thread that reads ahead of Python does not ask Python, whose lock somebody else may hold for a long time.
inline void check_interrupt() {
    if (own_pace != nullptr) {
        own_pace->check();
    } else if (interrupt_hook != nullptr) {
        interrupt_hook();
    }
}

}  // namespace rankprism
