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
#define DONOR_ERROR_NO_SUCH_HOLD "org.donor.Scheduler1.Error.NoSuchHold"
#define DONOR_ERROR_NOT_HOLD_OWNER "org.donor.Scheduler1.Error.NotHoldOwner"
#define DONOR_ERROR_TOO_MANY_HOLDS "org.donor.Scheduler1.Error.TooManyHolds"
#define DONOR_ERROR_NO_SUCH_PARAMETER "org.donor.Scheduler1.Error.NoSuchParameter"
#define DONOR_ERROR_CONFIG_INVALID "org.donor.Scheduler1.Error.ConfigInvalid"
#define DONOR_ERROR_TRANSITION_FAILED "org.donor.Scheduler1.Error.TransitionFailed"
#define DONOR_ERROR_CONFLICTING_SCHEDULER "org.donor.Scheduler1.Error.ConflictingScheduler"
#define DONOR_ERROR_KERNEL_UNSUPPORTED "org.donor.Scheduler1.Error.KernelUnsupported"
#define DONOR_ERROR_VERIFIER_REJECTED "org.donor.Scheduler1.Error.VerifierRejected"
#define DONOR_ERROR_ATTACH_FAILED "org.donor.Scheduler1.Error.AttachFailed"
#define DONOR_ERROR_RESTARTING "org.donor.Scheduler1.Error.Restarting"
#define DONOR_ERROR_BACKED_OFF "org.donor.Scheduler1.Error.BackedOff"
#define DONOR_ERROR_NOT_ATTACHED "org.donor.Scheduler1.Error.NotAttached"

/* The interface that power-profiles-daemon made usual: bus name and interface are the same. */
#define POWER_PROFILES_NAME "org.freedesktop.UPower.PowerProfiles"
#define POWER_PROFILES_PATH "/org/freedesktop/UPower/PowerProfiles"
#define OLD_POWER_PROFILES_NAME "net.hadess.PowerProfiles"
#define OLD_POWER_PROFILES_PATH "/net/hadess/PowerProfiles"

#define DONOR_ACTION_SET_MODE "org.donor.scheduler1.set-mode"
#define DONOR_ACTION_HOLD_MODE "org.donor.scheduler1.hold-mode"
#define DONOR_ACTION_CONFIGURE_DONATION "org.donor.scheduler1.configure-donation"
#define DONOR_ACTION_ADMINISTER "org.donor.scheduler1.administer"
#define DONOR_ACTION_READ_TASK_STATS "org.donor.scheduler1.read-task-stats"
