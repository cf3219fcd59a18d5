/* SPDX-License-Identifier: GPL-2.0-only */

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "service/cleanup.h"
#include "service/scheduler-btf.h"

static struct btf *btf_free(struct btf *btf)
{
	btf__free(btf);
	return NULL;
}
DEFINE_CLEANUP(struct btf *, btf_free);

static bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t length = strlen(s), tail = strlen(suffix);

	return length >= tail && strcmp(s + length - tail, suffix) == 0;
}

/* The kernel's own implementation, NAME_impl, rightly takes the hidden argument. */
static bool is_sched_ext_function(const char *name)
{
	return (starts_with(name, "scx_bpf_") || starts_with(name, "__scx_bpf_") ||
		starts_with(name, "bpf_iter_scx_dsq_")) &&
	       !ends_with(name, "_impl");
}

static const struct btf_type *skip_modifiers(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && btf_is_mod(t))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static bool is_hidden_argument(const struct btf *btf, __u32 type)
{
	const struct btf_type *t = skip_modifiers(btf, type);

	if (!t || !btf_is_ptr(t))
		return false;
	t = skip_modifiers(btf, t->type);
	return t && strcmp(btf__name_by_offset(btf, t->name_off), "bpf_prog_aux") == 0;
}

static bool takes_hidden_argument(const struct btf *btf, const struct btf_type *function)
{
	const struct btf_type *prototype = btf__type_by_id(btf, function->type);

	if (!prototype || !btf_is_func_proto(prototype))
		return false;
	for (unsigned i = 0; i < btf_vlen(prototype); i++)
		if (is_hidden_argument(btf, btf_params(prototype)[i].type))
			return true;
	return false;
}

unsigned btf_malformed_functions(char *buf, size_t size)
{
	_cleanup_(btf_freep) struct btf *btf = btf__load_vmlinux_btf();
	unsigned nr = 0;
	size_t used = 0;

	buf[0] = '\0';
	if (!btf)
		return 0;
	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name = btf__name_by_offset(btf, t->name_off);

		if (!btf_is_func(t) || !is_sched_ext_function(name) ||
		    !takes_hidden_argument(btf, t))
			continue;
		nr++;
		if (used + strlen(name) + 2 <= size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "",
						 name);
	}
	return nr;
}
