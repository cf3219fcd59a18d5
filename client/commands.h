/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/bus-client.h"

/*
 * One function per command. The words are those after the command's own, as many as the table in
 * donorctl.c allows, and end with NULL. Each prints its complaints and returns the exit status.
 */
int command_status(struct bus_client *client, char **words);
int command_get(struct bus_client *client, char **words);
int command_set(struct bus_client *client, char **words);
int command_release(struct bus_client *client, char **words);
int command_holds(struct bus_client *client, char **words);
int command_run(struct bus_client *client, char **words);
int command_modes(struct bus_client *client, char **words);
int command_donation(struct bus_client *client, char **words);
int command_tune(struct bus_client *client, char **words);
int command_stats(struct bus_client *client, char **words);
int command_domains(struct bus_client *client, char **words);
int command_attach(struct bus_client *client, char **words);
int command_detach(struct bus_client *client, char **words);
int command_config(struct bus_client *client, char **words);
int command_reload(struct bus_client *client, char **words);
int command_exits(struct bus_client *client, char **words);
int command_reset_failed(struct bus_client *client, char **words);
int command_log_level(struct bus_client *client, char **words);
int command_metrics(struct bus_client *client, char **words);
int command_monitor(struct bus_client *client, char **words);
int command_top(struct bus_client *client, char **words);
int command_verify(struct bus_client *client, char **words);
int command_wait(struct bus_client *client, char **words);
int command_doctor(struct bus_client *client, char **words);
int command_version(struct bus_client *client, char **words);
int command_help(struct bus_client *client, char **words);
