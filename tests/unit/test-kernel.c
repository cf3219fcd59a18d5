/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/kernel.h"

#define MESSAGE(text) { text, sizeof(text) } /* with the last NUL, as the kernel sends it */

static void only_uevents_of_sched_ext_are_news(void **state)
{
	static const struct {
		struct {
			const char *text;
			size_t size;
		} message;
		bool expect;
	} rows[] = {
		{ MESSAGE("remove@/kernel/sched_ext/root\0ACTION=remove\0SUBSYSTEM=sched_ext\0"
			  "SCXOPS=donor\0SEQNUM=1"),
		  true },
		{ MESSAGE("add@/kernel/sched_ext/root\0ACTION=add\0SUBSYSTEM=sched_ext"), true },
		{ MESSAGE("add@/devices/x\0ACTION=add\0SUBSYSTEM=block\0SEQNUM=2"), false },
		{ MESSAGE("add@/devices/x\0NAME=SUBSYSTEM=sched_ext\0SUBSYSTEM=net"), false },
		{ MESSAGE("add@/devices/x\0SUBSYSTEM=sched_extra"), false },
		{ MESSAGE("add@/devices/x\0SUBSYSTEM=sched_ex"), false },
		{ { "SUBSYSTEM=sched_ext", 5 }, false }, /* cut off */
		{ { "SUBSYSTEM=sched_ext", 19 }, true }, /* its NUL cut off */
		{ { "", 0 }, false },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(kernel_uevent_is_sched_ext(rows[i].message.text,
							    rows[i].message.size),
				 rows[i].expect);
}

/* Whatever runs here: what it says must fit together. */
static void the_running_kernel_is_read_without_contradiction(void **state)
{
	struct kernel_state kernel;

	memset(&kernel, 0xff, sizeof(kernel));
	kernel_read(&kernel);
	if (!kernel.has_sched_ext)
		assert_false(kernel.enabled);
	assert_int_equal(kernel.enabled, kernel.ops[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_uevents_of_sched_ext_are_news),
		cmocka_unit_test(the_running_kernel_is_read_without_contradiction),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
