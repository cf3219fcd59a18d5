/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/fake.h"

enum {
	NR_CPUS = 8,
};

struct sim_task {
	struct sim_task *next;
	struct task_spec spec;
	struct sim_task_view view;
	cpu_set_t allowed;
	void *metrics_data;
};

struct sim {
	__u64 now_ns;
	struct sim_machine machine;
	struct sim_task *tasks;
	__s32 nr_tasks;
	bool offline[NR_CPUS], busy[NR_CPUS], claimed[NR_CPUS], kicked[NR_CPUS];
	__u32 nr_local[NR_CPUS];
	struct {
		void (*see)(struct sim *sim, const struct sim_event *event, void *data);
		void *data;
	} observers[8];
	unsigned nr_observers;
	char *error;
};

struct sim *fake_new(void)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	sim->machine.topology.nr_cpus = NR_CPUS;
	sim->machine.topology.nr_domains = 2;
	for (__u16 cpu = 0; cpu < NR_CPUS; cpu++) {
		sim->machine.topology.cpus[cpu] = (struct donor_cpu_topology){
			.domain = cpu / 4, .core = cpu & ~1, .nr_threads = 2, .sibling = cpu ^ 1
		};
		sim->machine.capacity[cpu] = 1024;
	}
	for (__u16 d = 0; d < 2; d++)
		sim->machine.topology.domains[d] =
			(struct donor_domain_topology){ .nr_cpus = 4, .nr_cores = 2, .cache = d };
	return sim;
}

struct sim *fake_free(struct sim *sim)
{
	struct sim_task *next;

	for (struct sim_task *t = sim->tasks; t; t = next) {
		next = t->next;
		free(t->metrics_data);
		free(t);
	}
	free(sim->error);
	free(sim);
	return NULL;
}

struct sim_task *fake_task(struct sim *sim, const char *name, __u64 cpus, bool background)
{
	struct sim_task *task = calloc(1, sizeof(*task));

	task->spec = (struct task_spec){ .name = name, .background = background };
	for (unsigned cpu = 0; cpu < NR_CPUS; cpu++)
		if (!cpus || cpus >> cpu & 1)
			CPU_SET(cpu, &task->allowed);
	task->view = (struct sim_task_view){ .pid = ++sim->nr_tasks,
					     .weight = DONOR_WEIGHT_ONE,
					     .nr_allowed = (__u32)CPU_COUNT(&task->allowed) };
	task->next = sim->tasks;
	sim->tasks = task;
	return task;
}

struct sim_task_view *fake_view(struct sim_task *task)
{
	return &task->view;
}

void fake_at(struct sim *sim, __u64 time_us)
{
	sim->now_ns = time_us * 1000;
}

void fake_see(struct sim *sim, const struct sim_event *event)
{
	for (unsigned i = 0; i < sim->nr_observers; i++)
		sim->observers[i].see(sim, event, sim->observers[i].data);
}

void fake_wake(struct sim *sim, struct sim_task *task)
{
	task->view.queued = true;
	fake_see(sim, &(struct sim_event){ .kind = EVENT_WAKE, .task = task });
}

void fake_insert(struct sim *sim, struct sim_task *task, __u64 dsq, __s32 cpu)
{
	if (dsq >= SIM_DSQ_LOCAL)
		sim->nr_local[task->view.cpu = cpu]++;
	fake_see(sim, &(struct sim_event){
			      .kind = EVENT_INSERTED, .task = task, .dsq = dsq, .cpu = cpu });
}

void fake_run(struct sim *sim, struct sim_task *task, __s32 cpu)
{
	if (!sim->busy[cpu])
		fake_see(sim, &(struct sim_event){ .kind = EVENT_BUSY, .cpu = cpu });
	sim->busy[cpu] = sim->claimed[cpu] = true;
	sim->nr_local[cpu] = 0;
	task->view.running = task->view.queued = true;
	fake_see(sim,
		 &(struct sim_event){
			 .kind = EVENT_RUN, .task = task, .cpu = cpu, .from_cpu = task->view.cpu });
	task->view.cpu = cpu;
}

void fake_stop(struct sim *sim, struct sim_task *task, bool runnable)
{
	task->view.running = false;
	task->view.queued = runnable;
	fake_see(sim, &(struct sim_event){ .kind = EVENT_STOP,
					   .task = task,
					   .cpu = task->view.cpu,
					   .runnable = runnable });
}

void fake_idle(struct sim *sim, __s32 cpu)
{
	sim->busy[cpu] = sim->claimed[cpu] = sim->kicked[cpu] = false;
	fake_see(sim, &(struct sim_event){ .kind = EVENT_IDLE, .cpu = cpu });
}

void fake_exit(struct sim *sim, struct sim_task *task)
{
	task->view.exiting = true;
	fake_see(sim,
		 &(struct sim_event){ .kind = EVENT_EXIT, .task = task, .cpu = task->view.cpu });
}

void fake_step(struct sim *sim)
{
	fake_see(sim, &(struct sim_event){ .kind = EVENT_STEP });
}

void fake_claim(struct sim *sim, __s32 cpu)
{
	sim->claimed[cpu] = true;
	fake_see(sim, &(struct sim_event){ .kind = EVENT_CLAIM, .cpu = cpu });
}

void fake_kick(struct sim *sim, __s32 cpu, bool pending)
{
	sim->kicked[cpu] = pending;
	if (pending)
		fake_see(sim, &(struct sim_event){ .kind = EVENT_KICK, .cpu = cpu });
}

void fake_online(struct sim *sim, __s32 cpu, bool online)
{
	sim->offline[cpu] = !online;
	fake_see(sim,
		 &(struct sim_event){ .kind = online ? EVENT_ONLINE : EVENT_OFFLINE, .cpu = cpu });
}

/* What the observers ask the engine for. */

__u64 sim_now_ns(const struct sim *sim)
{
	return sim->now_ns;
}

const struct donor_topology *sim_topology(const struct sim *sim)
{
	return &sim->machine.topology;
}

const struct sim_machine *sim_machine(const struct sim *sim)
{
	return &sim->machine;
}

void sim_observe(struct sim *sim,
		 void (*see)(struct sim *sim, const struct sim_event *event, void *data),
		 void *data)
{
	sim->observers[sim->nr_observers].see = see;
	sim->observers[sim->nr_observers++].data = data;
}

void sim_eject(struct sim *sim, const char *format, ...)
{
	va_list args;

	if (sim->error)
		return;
	va_start(args, format);
	if (vasprintf(&sim->error, format, args) < 0)
		abort();
	va_end(args);
}

const char *sim_error(const struct sim *sim)
{
	return sim->error;
}

struct sim_task *sim_next_task(const struct sim *sim, struct sim_task *task)
{
	return task ? task->next : sim->tasks;
}

const struct sim_task_view *task_view(const struct sim_task *task)
{
	return &task->view;
}

const cpu_set_t *task_allowed(const struct sim_task *task)
{
	return &task->allowed;
}

const struct task_spec *task_spec(const struct sim_task *task)
{
	return &task->spec;
}

void *task_metrics_data(struct sim_task *task)
{
	return task->metrics_data;
}

void task_set_metrics_data(struct sim_task *task, void *data)
{
	task->metrics_data = data;
}

bool cpu_is_online(const struct sim *sim, __s32 cpu)
{
	return !sim->offline[cpu];
}

bool cpu_is_idle(const struct sim *sim, __s32 cpu)
{
	return !sim->busy[cpu];
}

bool cpu_kick_pending(const struct sim *sim, __s32 cpu)
{
	return sim->kicked[cpu];
}

__u32 cpu_nr_local(const struct sim *sim, __s32 cpu)
{
	return sim->nr_local[cpu];
}

bool kernel_test_idle(const struct sim *sim, __s32 cpu)
{
	return !sim->claimed[cpu];
}
