#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <quarry/launch.hpp>

#include "trace/loss.hpp"

namespace quarry {

LossListener::LossListener() {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return;
    const std::string name = fmt::format("quarry-{:016x}", number);
    const trace::ListenerAddress address(name);
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ >= 0 && bind(socket_, address.get(), address.size) == 0) name_ = name;
}

LossListener::~LossListener() {
    if (socket_ >= 0) close(socket_);
}

bool LossListener::has_heard() const {
    char word = 0;
    return socket_ >= 0 && recv(socket_, &word, sizeof word, MSG_DONTWAIT) >= 0;
}

void mark_loss(const std::string& trace) {
    trace::mark_loss(trace.c_str());
}

}  // namespace quarry
