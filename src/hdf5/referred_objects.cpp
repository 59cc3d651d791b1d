#include "hdf5/referred_objects.hpp"

#include <deque>

namespace quarry::hdf5 {

void ReferredObjects::add(const std::set<Token>& targets, const std::string& path) {
    for (const Token& target : targets) referred_.emplace(target, path);
}

void ReferredObjects::add_of_hollow(const Token& hollow, std::set<Token> targets) {
    referred_by_hollow_[hollow] = std::move(targets);
}

bool ReferredObjects::have_all(const std::vector<CopiedDataset>& copied, const CopyOrder& order,
                               Required& required) {
    std::map<Token, const CopiedDataset*> missing;
    for (const CopiedDataset& dataset : copied)
        if (dataset.kept != Part::Whole && dataset.remark.empty())
            missing[dataset.token] = &dataset;
    bool is_complete = true;
    std::deque<Token> unseen;
    for (const auto& [target, path] : referred_) unseen.push_back(target);
    for (; !unseen.empty(); unseen.pop_front()) {
        const Token token = unseen.front();
        const auto found = missing.find(token);
        if (found == missing.end() || order.is_dropped(found->second->paths)) continue;
        required.emplace(token, referred_.at(token) + " refers to it");
        is_complete = false;
        for (const Token& target : referred_by_hollow_[token])
            if (referred_.emplace(target, found->second->paths.front()).second)
                unseen.push_back(target);
    }
    return is_complete;
}

}  // namespace quarry::hdf5
