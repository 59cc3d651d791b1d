// Faults that a test injects. In the product every question is answered "no" at compile time.
#pragma once

#ifdef QUARRY_FAULT_INJECTION
#include <cstdlib>
#include <string_view>
#endif

namespace quarry::fault {

// Whether QUARRY_FAULT asks for this one: "kind" or "kind:detail".
#ifdef QUARRY_FAULT_INJECTION
inline bool injected(std::string_view kind, std::string_view detail = {}) {
    const char* wanted = std::getenv("QUARRY_FAULT");
    if (wanted == nullptr) return false;
    const std::string_view text(wanted);
    if (text.substr(0, kind.size()) != kind) return false;
    const std::string_view rest = text.substr(kind.size());
    return detail.empty() ? rest.empty() : rest.size() > 1 && rest.substr(1) == detail;
}
#else
constexpr bool injected(const char*, const char* = nullptr) {
    return false;
}
#endif

}  // namespace quarry::fault
