#include "connector/file_facts.hpp"

#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

uint32_t page_size_of(const Object& file) {
    const hdf5::Api& api = file.under->library->api;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_FCPL;
    const auto get = file.under->callbacks->file_cls.get;
    if (get(file.below, &question, current_call.transfer, nullptr) < 0) return 0;
    const hid_t list = question.args.get_fcpl.fcpl_id;
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_NONE;
    hbool_t persists = false;
    hsize_t threshold = 0;
    hsize_t size = 0;
    const bool paged =
        api.H5Pget_file_space_strategy(list, &strategy, &persists, &threshold) >= 0 &&
        strategy == H5F_FSPACE_STRATEGY_PAGE && api.H5Pget_file_space_page_size(list, &size) >= 0;
    api.H5Pclose(list);
    return paged ? static_cast<uint32_t>(size) : 0;
}

}  // namespace

std::optional<FileFacts> facts_of_file(const Object& file) noexcept {
    const auto optional = file.under->callbacks->file_cls.optional;
    if (!file.under->is_native || optional == nullptr) return std::nullopt;
    H5F_info2_t info{};
    H5VL_native_file_optional_args_t question{};
    question.get_info.type = H5I_FILE;
    question.get_info.finfo = &info;
    H5VL_optional_args_t arguments{H5VL_NATIVE_FILE_GET_INFO, &question};
    if (optional(file.below, &arguments, current_call.transfer, nullptr) < 0) return std::nullopt;
    // Older ones cannot say that there are pages.
    constexpr unsigned kFirstWithPages = 2;
    const bool may_have_pages = info.super.version >= kFirstWithPages;
    return FileFacts{info.free.tot_space, info.super.version,
                     may_have_pages ? page_size_of(file) : 0};
}

}  // namespace quarry::connector
