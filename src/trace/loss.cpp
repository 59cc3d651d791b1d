#include "trace/loss.hpp"

#include <cstddef>

#include "base/raw_calls.hpp"
#include "trace/clock.hpp"
#include "trace/directory.hpp"
#include "trace/process_identity.hpp"

namespace quarry::trace {

ListenerAddress::ListenerAddress(std::string_view name) noexcept {
    address.sun_family = AF_UNIX;
    const size_t length = name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

bool mark_loss(const char* directory) noexcept {
    PathBuffer path;
    return make_empty_process_file(directory, realtime_now(), identity_of_process().host.data(),
                                   path);
}

void tell_of_loss(const char* directory, std::string_view listener) noexcept {
    if (mark_loss(directory) || listener.empty()) return;
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    const ListenerAddress to(listener);
    // If there is no room, it has been told before.
    sendto(socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, to.get(), to.size);
    raw_close(socket);
}

}  // namespace quarry::trace
