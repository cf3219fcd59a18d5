/* SPDX-License-Identifier: GPL-2.0-only */
/* donor-sim, the command line of the simulator. */

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/text.h"
#include "service/cleanup.h"
#include "tests/sim/figures.h"

static int run(struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;
	struct trace *trace = NULL;
	int status, r;

	if (cli->trace) {
		r = trace_open(cli->trace, &trace);
		if (r < 0) {
			complain("cannot write the trace %s: %s; name another file",
				 safe(cli->trace), strerror(-r));
			return STATUS_FAILED;
		}
	}
	status = experiment_run(experiment, trace);
	if (trace_close(trace) < 0) {
		complain("cannot write the trace %s. Is the disk full?", safe(cli->trace));
		status = STATUS_FAILED;
	}
	r = cli->print.json ? report_json(experiment) : report_table(experiment);
	return status ?: r;
}

static int simulate(const struct cli *cli)
{
	_cleanup_(experiment_done) struct experiment experiment;
	int status = experiment_load(cli, &experiment);

	return status ?: run(&experiment);
}

static int act(const struct cli *cli)
{
	if (cli->print.help)
		cli_print_help();
	else if (cli->print.version)
		puts("donor-sim " DONOR_VERSION);
	else if (cli->list)
		cli_print_list();
	else
		return simulate(cli);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	struct cli cli;
	int r;

	/* not LC_NUMERIC: figures are for scripts as well */
	setlocale(LC_CTYPE, "");
	r = cli_parse(argc, argv, &cli) ?: act(&cli);
	if ((fflush(stdout) || ferror(stdout)) && r == STATUS_OK) {
		complain("cannot write the output: %m. Is the disk full?");
		r = STATUS_FAILED;
	}
	return r;
}
