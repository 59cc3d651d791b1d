// A line on stderr from inside somebody else's program.
#pragma once

#include <initializer_list>
#include <string_view>

namespace quarry {

// Takes no memory and is one write, so that lines of several processes do not mix; stdio's buffers
// stay untouched. What does not fit is cut. Nothing is said into a file that has the
// number of stderr since a program has closed that.
void say(std::initializer_list<std::string_view> pieces) noexcept;

}  // namespace quarry
