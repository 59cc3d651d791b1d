// Which object of a file is which in its copy.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

class Pairs {
public:
    // Both are one and the same from now on, unless one of them is another already.
    bool join(const Token& old, const Token& copy) {
        const auto found = copies_.find(old);
        if (found != copies_.end()) return found->second == copy;
        if (!taken_.insert(copy).second) return false;
        copies_[old] = copy;
        all_.emplace_back(old, copy);
        return true;
    }

    std::optional<Token> copy_of(const Token& old) const {
        const auto found = copies_.find(old);
        return found != copies_.end() ? std::optional(found->second) : std::nullopt;
    }

    // In the order in which they were joined. More may come while one goes through them.
    size_t count() const { return all_.size(); }
    std::pair<Token, Token> at(size_t number) const { return all_.at(number); }

private:
    std::map<Token, Token> copies_;
    std::set<Token> taken_;
    std::vector<std::pair<Token, Token>> all_;
};

}  // namespace quarry::hdf5
