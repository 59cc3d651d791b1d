#include "base/sha256.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/late_library.hpp"

namespace quarry {
namespace {

LateLibrary crypto(QUARRY_LIBCRYPTO);

}  // namespace

struct Sha256::State {
    EVP_MD_CTX* context = QUARRY_LATE(crypto, EVP_MD_CTX_new)();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    QUARRY_LATE(crypto, EVP_DigestInit_ex)(state_->context, QUARRY_LATE(crypto, EVP_sha256)(),
                                           nullptr);
}

Sha256::~Sha256() {
    QUARRY_LATE(crypto, EVP_MD_CTX_free)(state_->context);
}

void Sha256::add(std::span<const std::byte> bytes) {
    QUARRY_LATE(crypto, EVP_DigestUpdate)(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::digits() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    QUARRY_LATE(crypto, EVP_DigestFinal_ex)(state_->context, digest.data(), &size);
    std::string text;
    for (const unsigned char byte : std::span(digest).first(size)) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string sha256_of(std::string_view text) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text)));
    return sum.digits();
}

Result<std::string> sha256_of_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Error{path + " cannot be read: " + std::strerror(errno) + "."};
    Sha256 sum;
    std::vector<std::byte> part(1 << 18);
    ssize_t got = 0;
    while ((got = read(file, part.data(), part.size())) > 0)
        sum.add(std::span(part).first(static_cast<size_t>(got)));
    const int why = errno;
    close(file);
    if (got < 0) return Error{path + " cannot be read: " + std::strerror(why) + "."};
    return sum.digits();
}

}  // namespace quarry
