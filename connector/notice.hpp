// The one line on stderr with which Quarry says that it steps aside.
#pragma once

#include <initializer_list>
#include <string_view>

namespace quarry::connector {

enum class Notice {
    Option,
    Symbol,
    Version,
    Memory,
    Driver,
    Under,
    Witness,
    Trace,
    Fetched,
    Carved,
    kCount
};

// Prints "quarry: " and the pieces of a sentence the first time a notice of this kind is given in a
// process. Needs no memory.
void give_notice(Notice kind, std::initializer_list<std::string_view> pieces) noexcept;

}  // namespace quarry::connector
