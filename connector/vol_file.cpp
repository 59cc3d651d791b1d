#include "connector/vol_file.hpp"

#include "connector/access_list.hpp"
#include "connector/byte_layer.hpp"
#include "connector/carved_dataset.hpp"
#include "connector/forward.hpp"
#include "connector/info.hpp"
#include "connector/notice.hpp"
#include "connector/plugin_path.hpp"
#include "connector/refused_copy.hpp"
#include "connector/witness.hpp"

namespace quarry::connector {
namespace {

using Specific = Forward<&H5VL_class_t::file_cls, &H5VL_file_class_t::specific>;

struct FileCall {
    const char* name;
    unsigned flags;
    bool creates;
    hid_t transfer;
};

// Opens or creates: `below` is given the connector below and the access list for it.
template <typename Below>
Object* begin_file(Library& library, const FileCall& call, hid_t access, void** request,
                   Below below_call) {
    restore_plugin_path(library);
    const ChosenInfo info(library, access);
    if (info.get() != nullptr) start_recording(library, info.get()->config);
    if (info.get() != nullptr) begin_serving(info.get()->config);
    const Operation operation(nullptr, call.transfer);
    const Under* under = under_of(library, info.get());
    if (under == nullptr) return nullptr;
    if (is_serving() && !under->is_native)
        give_notice(Notice::Carved, {"what was carved away is not read from originals, since there "
                                     "is another connector below Quarry than HDF5's own. Programs "
                                     "get errors for it; run them without --under, and without "
                                     "connectors in HDF5_VOL_CONNECTOR"});
    const bool writes = call.creates || (call.flags & kWritable) != 0;
    AccessList list(library, *under, info.get(), access,
                    writes ? AccessList::Intent::Write : AccessList::Intent::Read);
    void* file = below_call(*under->callbacks, list.id());
    list.end(file != nullptr ? Outcome::Success : Outcome::Failure);
    if (file != nullptr && info.get() != nullptr) {
        bear_witness(library, info.get()->config, Witnessed::ObjectLayer);
    }
    wrap_request(under, request);
    Object* ours = wrap(under, file);
    if (operation) {
        const trace::OwnTime own(&operation.writer());
        note_file(operation, library, ours, call.name, call.flags, call.creates);
    }
    return ours;
}

// Deletes or looks at a file that is not open.
herr_t on_closed_file(Library& library, H5VL_file_specific_args_t* arguments, hid_t& access,
                      hid_t transfer, void** request) {
    const ChosenInfo info(library, access);
    if (info.get() != nullptr) start_recording(library, info.get()->config);
    const Operation operation(nullptr, transfer);
    const Under* under = under_of(library, info.get());
    if (under == nullptr) return -1;
    AccessList list(library, *under, info.get(), access, AccessList::Intent::Read);
    const hid_t callers = access;
    access = list.id();
    const herr_t answer =
        under->callbacks->file_cls.specific(nullptr, arguments, transfer, request);
    access = callers;
    list.end(answer >= 0 ? Outcome::Success : Outcome::Failure);
    wrap_request(under, request);
    return answer;
}

// When a native open has failed, HDF5 asks every plugin on the path whether the file is its own;
// the list it asks with has no info of ours. At that moment its error stack holds why the open
// failed.
bool is_probe(const Library& library, hid_t access) {
    if (!library.may_be_probed()) return false;
    if (library.infos == 0) return true;
    const KeepErrors keep(library.api);
    return ChosenInfo(library, access).get() == nullptr;
}

herr_t is_accessible(Library& library, H5VL_file_specific_args_t* arguments, hid_t transfer,
                     void** request) {
    auto& question = arguments->args.is_accessible;
    if (is_probe(library, question.fapl_id)) {
        *question.accessible = false;
        return 0;
    }
    return on_closed_file(library, arguments, question.fapl_id, transfer, request);
}

}  // namespace

void* file_create(Library& library, const char* name, unsigned flags, hid_t creation, hid_t access,
                  hid_t transfer, void** request) noexcept {
    Object* file = begin_file(library, {name, flags, true, transfer}, access, request,
                              [&](const H5VL_class_t& callbacks, hid_t list) {
                                  if (is_refused_anew(name, flags))
                                      return static_cast<void*>(nullptr);
                                  const MakingFile making;
                                  return callbacks.file_cls.create(name, flags, creation, list,
                                                                   transfer, request);
                              });
    if (file == nullptr) tell_if_kept(name, flags);
    if (file != nullptr && is_serving()) meet_carved(*file, H5I_FILE, transfer);
    return file;
}

void* file_open(Library& library, const char* name, unsigned flags, hid_t access, hid_t transfer,
                void** request) noexcept {
    Object* file =
        begin_file(library, {name, flags, false, transfer}, access, request,
                   [&](const H5VL_class_t& callbacks, hid_t list) {
                       if (is_refused(name, flags)) return static_cast<void*>(nullptr);
                       return callbacks.file_cls.open(name, flags, list, transfer, request);
                   });
    if (file != nullptr && is_serving()) meet_carved(*file, H5I_FILE, transfer);
    return file;
}

herr_t file_close(void* object, hid_t transfer, void** request) noexcept {
    {
        const Operation asking(nullptr, transfer);
        if (asking) note_state(asking, as_object(object));
    }
    using File = Close<&H5VL_class_t::file_cls, &H5VL_file_class_t::close>;
    return File::call(object, transfer, request);
}

herr_t file_get(void* object, H5VL_file_get_args_t* arguments, hid_t transfer,
                void** request) noexcept {
    using Get = Forward<&H5VL_class_t::file_cls, &H5VL_file_class_t::get>;
    const Under* under = as_object(object).under;
    const herr_t answer = Get::call(object, arguments, transfer, request);
    if (answer >= 0 && arguments->op_type == H5VL_FILE_GET_FAPL) {
        give_back_callers_driver(*under->library, arguments->args.get_fapl.fapl_id);
    }
    return answer;
}

herr_t file_specific(Library& library, void* object, H5VL_file_specific_args_t* arguments,
                     hid_t transfer, void** request) noexcept {
    switch (arguments->op_type) {
        case H5VL_FILE_IS_ACCESSIBLE:
            return is_accessible(library, arguments, transfer, request);
        case H5VL_FILE_DELETE:
            return on_closed_file(library, arguments, arguments->args.del.fapl_id, transfer,
                                  request);
        case H5VL_FILE_REOPEN: {
            const Under* under = as_object(object).under;
            const herr_t answer = Specific::call(object, arguments, transfer, request);
            void** file = arguments->args.reopen.file;
            if (answer >= 0) *file = wrap(under, *file);
            return answer;
        }
        case H5VL_FILE_IS_EQUAL:  // the second file is given as the connector at the bottom knows
                                  // it
        case H5VL_FILE_FLUSH:
            break;
    }
    return Specific::call(object, arguments, transfer, request);
}

}  // namespace quarry::connector
