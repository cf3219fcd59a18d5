/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "service/mode.h"

/*
 * donor.conf and its drop-ins, in the order that systemd's tools have made usual: the main file is
 * the first of /etc/donor, /run/donor and /usr/lib/donor. After it come the *.conf files of the
 * donor.conf.d directories of all three, by file name, a later one winning; of two with the same
 * name only the one in /etc counts, then the one in /run.
 */

enum {
	CONFIG_PATH_BYTES = 256,
	CONFIG_MAX_FILES = 32,
	NR_POWER_PROFILES = 3, /* power-saver, balanced, performance */
};

/* A mode, or that the source in question has nothing to say. */
struct mode_choice {
	bool present;
	enum donor_mode mode;
};

/* What ends a mode that a person chose. */
enum override_until {
	UNTIL_RELEASED,
	UNTIL_PROFILE_CHANGE,
	UNTIL_POWER_SOURCE_CHANGE,
	UNTIL_REBOOT,
	_UNTIL_MAX,
};

/* [Scheduler] but for the mode, [Restart]: the scheduler in the kernel. */
struct attach_config {
	bool attach;  /* at start */
	bool wait_for_other; /* OnConflict=wait: attach when a foreign scheduler has left; else fail */
	bool drop_capabilities; /* once the scheduler is loaded */
	uint64_t min_us, max_us; /* back-off: the first pause, doubled up to the longest one */
	unsigned limit; /* so many exits within window_us, and donor gives up */
	uint64_t window_us;
	uint64_t stable_us; /* attached that long, earlier exits are forgiven */
	unsigned boot_limit; /* so many unclean attempts, and donor stays detached */
	unsigned keep_exits; /* [Log] KeepExits=: as many are listed */
};

/* [PowerProfiles], [Battery]: what chooses a mode by itself. */
struct automatic_config {
	bool follow; /* the desktop's power profile */
	struct mode_choice profiles[NR_POWER_PROFILES];
	struct mode_choice unknown; /* a profile with another name */
	struct mode_choice on_degraded; /* no more than this while performance is degraded */
	uint64_t settle_us;
	bool provide; /* Provide=auto: offer power profiles when nobody does */
	struct mode_choice on_battery, on_ac; /* only where nobody provides profiles */
	unsigned low_pct; /* 0: no rule for a low battery */
	struct mode_choice low;
	unsigned hysteresis_pct;
};

/* [Override], [Holds]: what people and programs ask for. */
struct request_config {
	enum override_until until;
	bool persist;
	unsigned max_holds_per_uid, max_holds;
	uint64_t max_hold_us;
};

/* [Metrics], [Log] */
struct report_config {
	char text_file[CONFIG_PATH_BYTES]; /* empty: none */
	uint64_t interval_us;
	unsigned log_level; /* enum log_level */
};

enum {
	NR_CONFIG_KEYS = 0
#define GROUP(...)
#define KEY(...) +1
#include "service/config-keys.def"
#undef KEY
#undef GROUP
};

/* Where a value was read: file 0 is a default, else it is files[file - 1]. */
struct config_origin {
	unsigned file;
	unsigned line;
};

struct config_sources {
	char root[CONFIG_PATH_BYTES];
	char files[CONFIG_MAX_FILES][CONFIG_PATH_BYTES]; /* those that were read, in that order */
	unsigned nr_files;
	unsigned nr_ignored; /* files that are damaged as a whole, or cannot be read */
	struct config_origin keys[NR_CONFIG_KEYS]; /* as in config_keys[] */
	struct config_origin knobs[_DONOR_MODE_MAX][NR_KNOBS]; /* of wish.configured */
};

struct config {
	struct wish wish;
	struct mode_choice lock; /* Lock=: this mode and no other */
	struct attach_config attach;
	struct automatic_config automatic;
	struct request_config request;
	struct report_config report;
	struct config_sources sources;
};

/* What holds without any file. */
struct config config_defaults(void);

/* Something in a file that was passed over: one sentence that begins with "file:line: ". */
typedef void (*config_warn_t)(void *userdata, const char *text);

/*
 * What is wrong in a file costs that key, or that file, its effect and nothing else. root: put
 * before each path; NULL for none. -ENOMEM, -ENAMETOOLONG (the root).
 */
int config_read(const char *root, config_warn_t warn, void *userdata, struct config *ret);

/* "/etc/donor/donor.conf:12" or "default"; returns buf. */
const char *config_origin_format(const struct config *config, const struct config_origin *origin,
				 char *buf, size_t size);
