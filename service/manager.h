/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "service/cleanup.h"
#include "service/config.h"
#include "service/exits.h"
#include "service/holds.h"
#include "service/metrics.h"
#include "service/mode.h"
#include "service/override.h"
#include "service/scheduler.h"
#include "service/status.h"

/*
 * The scheduler as a service: what people wish, what the kernel does, and the news between the two.
 * The bus files call it to act, and it calls them to announce. It lives on the caller's event loop
 * and bus connection.
 */
struct manager;

int manager_new(struct manager **ret, sd_event *event, sd_bus *bus, const struct config *config);
struct manager *manager_free(struct manager *manager);
DEFINE_CLEANUP(struct manager *, manager_free);

/* The event loop's exit code when donord has to be started anew: EX_TEMPFAIL, as in the unit. */
enum { MANAGER_EXIT_RESTART = 75 };

/*
 * Watch the kernel, take over what is attached, or attach if the configuration says so. What goes
 * wrong there shows in State.
 */
int manager_start(struct manager *manager);

/* Told to end: detach, and the bus still hears of it; or leave it to the next one in a restart. */
void manager_stop(struct manager *manager);

/*
 * Requests. `who` says for log and signals who asked: "SetMode by uid 1000". On failure nothing
 * changed, and the error text is manager_reason(). Negative errnos as in bus-error.h.
 */
/*
 * asked: without its times, which are found here. timeout_us: 0 for none. Unless they are to be
 * kept, it ends the holds of programs, also if the mode is the same.
 */
int manager_set_mode(struct manager *manager, const struct override *asked, uint64_t timeout_us,
		     bool keep_holds, const char *who);
int manager_release_override(struct manager *manager, const char *who);

/* request: mode, uid, owner, texts, times. pidfd as in holds-watch.h. */
int manager_hold_mode(struct manager *manager, const struct hold *request, int pidfd,
		      const char *who, uint32_t *ret_cookie);
int manager_release_hold(struct manager *manager, uint32_t cookie, const char *sender, uint32_t uid,
			 const char *who);

int manager_set_donation(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
			 bool persist, const char *who);

struct parameter_request {
	const struct knob *knob;
	bool reset; /* take run-time choices back; the value is not used */
	uint64_t value;
	bool persist; /* beyond a reboot */
	bool has_mode; /* only in this mode, else in all */
	enum donor_mode mode;
};
/* -ERANGE: not a value that the knob can have, or that fits the others. */
int manager_set_parameter(struct manager *manager, const struct parameter_request *request,
			  const char *who);

/*
 * Read the files again. Each sentence about what was passed over is logged and given to warn, which
 * may be NULL. -EINVAL: there are files and none could be read; what was in force stays.
 */
int manager_reload(struct manager *manager, config_warn_t warn, void *userdata, const char *who);

/* The power profiles that donor offers: a person chose one, or a program's hold began or ended. */
int manager_offer_changed(struct manager *manager, bool is_choice, const char *who);
int manager_attach(struct manager *manager, const char *who);
int manager_detach(struct manager *manager, const char *who);

/* Exits so far are forgiven; what failed is detached. */
void manager_reset_failed(struct manager *manager, const char *who);

/* Why the last request failed: cause and next step. */
const char *manager_reason(const struct manager *manager);

/* What the bus has been told; valid until the manager acts again. */
const struct status *manager_status(const struct manager *manager);

/* What the status does not hold; NULL when not attached. Asks the kernel first. */
const struct scheduler *manager_scheduler(struct manager *manager);
const struct holds *manager_holds(const struct manager *manager);
const struct request_config *manager_requests(const struct manager *manager);
const struct wish *manager_wish(const struct manager *manager);
const struct config *manager_config(const struct manager *manager);

/* Who says what a knob's value in force is: "default", "file:line", "run-time". Returns buf. */
const char *manager_parameter_origin(const struct manager *manager, const struct knob *knob,
				     char *buf, size_t size);
const struct exits *manager_exits(const struct manager *manager);

/* All figures as text. Asks the kernel first. */
int manager_metrics(struct manager *manager, enum metrics_format format, char **ret);
