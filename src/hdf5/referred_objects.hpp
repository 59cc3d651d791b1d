// Which datasets are kept because something that is kept refers to them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hdf5/copy_file.hpp"
#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

// Why datasets must be kept whole that nobody chose.
using Required = std::map<Token, std::string>;

class ReferredObjects {
public:
    // What an object that is kept refers to; `path` leads to that object.
    void add(const std::set<Token>& targets, const std::string& path);
    // The same for the attributes of one that is left out, in case it has to be kept after all.
    void add_of_hollow(const Token& hollow, std::set<Token> targets);

    // False if something was left out that turned out to be required, which is noted, with all that
    // is then referred to by attributes of what was left out. What its data refers to turns up when
    // that is copied.
    bool have_all(const std::vector<CopiedDataset>& copied, const CopyOrder& order,
                  Required& required);

private:
    std::map<Token, std::string> referred_;  // and the path of what refers to it
    std::map<Token, std::set<Token>> referred_by_hollow_;
};

}  // namespace quarry::hdf5
