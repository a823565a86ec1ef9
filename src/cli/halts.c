/* Stopping everything takes one command, and so does going on. */
#include "cli/halts.h"

#include "engine/comm/halt.h"

static int write_done(struct kh_frame *f, const char *state, bool changed, const char *note)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "state", state);
	yyjson_mut_obj_add_bool(doc, obj, "changed", changed);
	if (f->options.json)
		return kh_frame_object(f, obj);
	kh_frame_note(f, kh_view_str(note));
	return KH_FRAME_DONE;
}

int kh_halts_stop(struct kh_frame *f)
{
	const struct kh_halts_args *a = f->args;
	struct kh_halt call = {0};

	if (!a->all) {
		(void)kh_error_set(&f->err, KH_EINPUT, "bad_option",
				   "say --all: every upstream server is ended, and no external operation begins until "
				   "`keyhole go`");
		return kh_frame_fail(f);
	}
	if (kh_frame_call(f, kh_halt_stop_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return write_done(f, "stopped", call.changed,
			  call.changed ? "Stopped. No external operation begins until `keyhole go`.\n"
				       : "It was stopped already.\n");
}

int kh_halts_go(struct kh_frame *f)
{
	struct kh_halt call = {0};

	if (kh_frame_call(f, kh_halt_go_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return write_done(f, "running", call.changed,
			  call.changed ? "External operations can begin again.\n" : "It was not stopped.\n");
}
