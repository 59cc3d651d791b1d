// SHA-256, as everybody writes it down: 64 hexadecimal digits.
#pragma once

#include <memory>
#include <quarry/result.hpp>
#include <span>
#include <string>

namespace quarry {

class Sha256 {
public:
    Sha256();
    ~Sha256();

    void add(std::span<const std::byte> bytes);
    std::string digits();  // once

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view text);
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace quarry
