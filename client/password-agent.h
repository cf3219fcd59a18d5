/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * polkit's agent for terminals: it asks for a password where no desktop does. It is a process of
 * its own, and runs as long as this object.
 */
struct password_agent;

/*
 * Returns when the agent is ready to be asked, or has ended, as where polkit does not run.
 * -ENOTTY: there is no terminal to ask on; -EALREADY: root needs none.
 */
int password_agent_new(struct password_agent **ret);
struct password_agent *password_agent_free(struct password_agent *agent);
