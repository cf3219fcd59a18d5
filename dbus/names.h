/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The public names, as README and the interface XML promise them. */
#define DONOR_BUS_NAME "org.donor.Scheduler1"
#define DONOR_OBJECT_PATH "/org/donor/Scheduler1"
#define DONOR_INTERFACE "org.donor.Scheduler1"
#define DONOR_STATISTICS_INTERFACE "org.donor.Scheduler1.Statistics"

/* systemd's, see org.freedesktop.LogControl1(5). */
#define LOG_CONTROL_OBJECT_PATH "/org/freedesktop/LogControl1"
#define LOG_CONTROL_INTERFACE "org.freedesktop.LogControl1"

#define DONOR_ERROR_NO_SUCH_MODE "org.donor.Scheduler1.Error.NoSuchMode"
#define DONOR_ERROR_NO_SUCH_HOOK "org.donor.Scheduler1.Error.NoSuchHook"
#define DONOR_ERROR_TRANSITION_FAILED "org.donor.Scheduler1.Error.TransitionFailed"
#define DONOR_ERROR_CONFLICTING_SCHEDULER "org.donor.Scheduler1.Error.ConflictingScheduler"
#define DONOR_ERROR_KERNEL_UNSUPPORTED "org.donor.Scheduler1.Error.KernelUnsupported"
#define DONOR_ERROR_VERIFIER_REJECTED "org.donor.Scheduler1.Error.VerifierRejected"
#define DONOR_ERROR_ATTACH_FAILED "org.donor.Scheduler1.Error.AttachFailed"
#define DONOR_ERROR_NOT_ATTACHED "org.donor.Scheduler1.Error.NotAttached"
