#include "connector/notice.hpp"

#include <array>
#include <atomic>

#include "base/say.hpp"

namespace quarry::connector {
namespace {

std::array<std::atomic<bool>, static_cast<size_t>(Notice::kCount)> given;

}  // namespace

void give_notice(Notice kind, std::initializer_list<std::string_view> pieces) noexcept {
    if (given[static_cast<size_t>(kind)].exchange(true)) return;
    say(pieces);
}

}  // namespace quarry::connector
