/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/bus-client.h"
#include "client/exit-status.h"

enum verdict {
	VERDICT_OK,
	VERDICT_WARNING, /* works, but not as it could */
	VERDICT_FAILED, /* donor cannot work; the finding has an exit status */
	VERDICT_UNKNOWN,
	_VERDICT_MAX,
};

struct finding {
	const char *check;
	enum verdict verdict;
	enum exit_status status;
	const char *next_step; /* NULL if there is nothing to do */
	char text[512];
};

struct doctor {
	struct bus_client *client;
	size_t nr;
	struct finding findings[16];
};

/* Notes what a check found. status counts for VERDICT_FAILED only. */
void doctor_note(struct doctor *doctor, const char *check, enum verdict verdict,
		 enum exit_status status, const char *next_step, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* The kernel that donorctl itself runs on. */
void doctor_check_kernel(struct doctor *doctor);

/* The service, and what only it knows. */
void doctor_check_service(struct doctor *doctor);

/* Other services that meddle with scheduling. */
void doctor_check_rivals(struct doctor *doctor);
