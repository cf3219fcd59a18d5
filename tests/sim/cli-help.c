/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "tests/sim/cli.h"

static const struct {
	const char *name;
	const char *help;
} machines[] = {
#define MACHINE(name, description, cpus, kinds, frequencies, help) { name, help },
#include "tests/sim/machines.def"
#undef MACHINE
}, workloads[] = {
#define WORKLOAD(name, help) { name, help },
#include "tests/sim/workloads.def"
#undef WORKLOAD
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void cli_print_help(void)
{
	puts("donor-sim [OPTIONS] --workload=NAME\n\n"
	     "Runs workloads under donor and other schedulers on a model of a machine.\n\n"
	     "What runs:\n"
	     "  -m --machine=NAME      Machine: a name, an lstopo file or \"pack:1 l3:8 core:4 pu:2\"\n"
	     "  -w --workload=NAME     Workload to wait for: a name or an rt-app file; repeatable\n"
	     "  -b --background=NAME   Workload that runs beside it; repeatable\n"
	     "  -p --policy=NAME,...   Schedulers to compare, or all; donor unless given\n"
	     "  -l --list              List machines, workloads and policies\n\n"
	     "How:\n"
	     "     --seeds=N           Runs of each, whose medians are shown; 1 unless given\n"
	     "     --seed=FIRST        Seed of the first; 1 unless given\n"
	     "     --scale=N           Shorten counted loops, queues and durations to one N-th\n"
	     "     --duration=TIME     End after this simulated time, such as 5 or 500ms\n"
	     "     --hz=N              Ticks per second of the kernel; 250 unless given\n"
	     "     --no-smt-sharing    A busy sibling costs nothing: for comparison\n"
	     "     --interleave        Other CPUs act in the midst of callbacks\n"
	     "     --mode=MODE         Of donor: power, balanced or performance\n"
	     "     --set=KNOB=VALUE    A parameter of donor's; repeatable\n\n"
	     "What is shown:\n"
	     "     --json[=STYLE]      Print JSON: pretty, short or off\n"
	     "     --no-legend         Leave out headings of tables\n"
	     "     --trace=FILE        Write what happened with the first seed, for Perfetto\n"
	     "  -h --help              Print this text\n"
	     "     --version           Print the version of donor-sim\n\n"
	     "See donor-sim(1) for the figures, the exit status and the JSON keys.");
}

void cli_print_list(void)
{
	puts("Machines:");
	for (unsigned i = 0; i < ARRAY_SIZE(machines); i++)
		printf("  %-17s %s\n", machines[i].name, machines[i].help);
	puts("\nWorkloads:");
	for (unsigned i = 0; i < ARRAY_SIZE(workloads); i++)
		printf("  %-17s %s\n", workloads[i].name, workloads[i].help);
	puts("\nPolicies:");
	for (unsigned i = 0; policies[i]; i++)
		printf("  %-17s %s\n", policies[i]->name, policies[i]->help);
}
