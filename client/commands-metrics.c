/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics: all figures as OpenMetrics text, also as the answer to one HTTP request. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/http.h"
#include "dbus/names.h"
#include "service/cleanup.h"

#define PLAIN_TEXT "text/plain; charset=utf-8"
#define OPENMETRICS_TEXT "application/openmetrics-text; version=1.0.0; charset=utf-8"

static int read_metrics(struct bus_client *client, sd_bus_error *ret_error,
			sd_bus_message **ret_reply, const char **ret)
{
	static const struct bus_method get = { DONOR_STATISTICS_INTERFACE, "GetMetrics", false,
					       false };
	int r;

	r = bus_client_call(client, &get, ret_error, ret_reply, NULL);
	return r < 0 ? r : sd_bus_message_read(*ret_reply, "s", ret);
}

static int answer(struct http_answer *answer)
{
	return http_write_answer(answer) < 0 ? STATUS_FAILED : STATUS_OK;
}

static int answer_error(int status, const char *text)
{
	return answer(&(struct http_answer){ .status = status, .type = PLAIN_TEXT, .body = text });
}

static int answer_metrics(struct bus_client *client, bool is_head)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct http_answer metrics = { .status = 200, .type = OPENMETRICS_TEXT, .is_head = is_head };
	int r;

	r = read_metrics(client, &error, &reply, &metrics.body);
	if (r >= 0)
		return answer(&metrics);
	/* scraped each few seconds, a service that was stopped is no news for the journal */
	if (sd_bus_error_has_name(&error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
	    sd_bus_error_has_name(&error, SD_BUS_ERROR_NAME_HAS_NO_OWNER))
		return answer_error(503, "donord does not run\n");
	(void)bus_complain(&error, r);
	return answer_error(503, "donord cannot be asked; the journal says why\n");
}

/* Started by systemd for a connection; whoever sent the request gets to know what is wrong. */
static int serve(struct bus_client *client)
{
	static struct http_request request;
	int r;

	signal(SIGPIPE, SIG_IGN);
	r = http_read_request(&request);
	if (r == -ECONNRESET)
		return STATUS_OK;
	if (r > 0)
		return answer_error(r, "Ask for: GET /metrics\n");
	if (strcmp(request.path, "/metrics"))
		return answer_error(404, "There is only /metrics here\n");
	if (strcmp(request.method, "GET") && strcmp(request.method, "HEAD"))
		return answer_error(405, "Only GET and HEAD are known here\n");
	return answer_metrics(client, !strcmp(request.method, "HEAD"));
}

int command_metrics(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const char *text;
	int r;

	(void)words;
	if (client->options->given & OPTION_HTTP)
		return serve(client);
	r = read_metrics(client, &error, &reply, &text);
	if (r < 0)
		return bus_complain(&error, r);
	return fputs(text, stdout) < 0 ? STATUS_FAILED : STATUS_OK;
}
